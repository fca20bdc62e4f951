package apply

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gateway/internal/apply/files"
	"gateway/internal/daemon"
)

// shelf is a component of many files, without a daemon.
func shelf(t *testing.T, root string) *worker {
	t.Helper()
	e := &Engine{EngineOptions: EngineOptions{
		Tree: files.Tree{Root: root}, StateDir: "/state", Clock: Clock{Now: time.Now}, Log: slog.New(slog.DiscardHandler),
	}}
	for _, dir := range []string{"/state", "/etc/shelf"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return newWorker(e, daemon.Daemon{Config: daemon.Config{Name: "shelf"}, Folders: []string{"/etc/shelf"}})
}

func books(n, edition int) daemon.Rendering {
	var r daemon.Rendering
	for i := range n {
		text := fmt.Sprintf("book %d\n", i)
		if i == 0 {
			text = fmt.Sprintf("book 0, edition %d\n", edition)
		}
		r.Files = append(r.Files, daemon.File{Path: fmt.Sprintf("/etc/shelf/%d", i), Mode: 0o600, Data: []byte(text)})
	}
	return r.Hashed()
}

func TestTheLastGoodFilesAreKeptOneByOne(t *testing.T) {
	root := t.TempDir()
	w := shelf(t, root)
	w.keep(books(100, 1))
	var written []string
	w.Tree.At = func(step string) {
		if step == "renamed" {
			written = append(written, step)
		}
	}
	w.keep(books(100, 2))
	if len(written) != 2 {
		t.Errorf("%d files were written for one that is new, want it and the list", len(written))
	}
	again := shelf(t, root)
	if err := again.loadGood(); err != nil {
		t.Fatal(err)
	}
	if got, want := again.good.Hash(), books(100, 2).Hash(); got != want {
		t.Errorf("loaded %s, want %s", got, want)
	}
	left, err := os.ReadDir(filepath.Join(root, "/state/shelf.files"))
	if err != nil || len(left) != 100 {
		t.Errorf("%d files are kept, want 100 (%v)", len(left), err)
	}
}

func TestHalfOfTheLastGoodFilesIsNone(t *testing.T) {
	root := t.TempDir()
	w := shelf(t, root)
	w.keep(books(3, 1))
	blobs, err := filepath.Glob(filepath.Join(root, "/state/shelf.files/*"))
	if err != nil || len(blobs) != 3 {
		t.Fatalf("%d blobs, %v", len(blobs), err)
	}
	if err := os.Truncate(blobs[1], 5); err != nil {
		t.Fatal(err)
	}
	again := shelf(t, root)
	if err := again.loadGood(); err != nil {
		t.Fatal(err)
	}
	if len(again.good.Files) != 0 {
		t.Errorf("there are %d good files, want none", len(again.good.Files))
	}
}

func TestAFolderHoldsWhatIsInstalled(t *testing.T) {
	root := t.TempDir()
	w := shelf(t, root)
	if err := w.install(books(3, 1), w.onDiskAlready); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"9", ".0.gateway-new"} {
		if err := os.WriteFile(filepath.Join(root, "/etc/shelf", name), []byte("left over\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.tidy()
	left, err := os.ReadDir(filepath.Join(root, "/etc/shelf"))
	if err != nil || len(left) != 3 {
		t.Errorf("%d files are left, want 3 (%v)", len(left), err)
	}
}
