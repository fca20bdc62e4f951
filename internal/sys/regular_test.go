package sys_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gateway/internal/sys"
)

func TestOnlyARegularFileIsOpened(t *testing.T) {
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := sys.OpenRegular(file)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, path := range []string{link, pipe, dir, filepath.Join(dir, "missing")} {
		if f, err := sys.OpenRegular(path); err == nil {
			f.Close()
			t.Errorf("%s was opened", path)
		}
	}
}
