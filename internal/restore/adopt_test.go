package restore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway/internal/backup"
	"gateway/internal/backup/archive"
	"gateway/internal/restore"
)

// The id in an archive is whatever its maker wrote.
func TestAnArchiveDoesNotReplaceAnotherOne(t *testing.T) {
	dir := t.TempDir()
	own := newKeys(t, dir)
	elsewhere := t.TempDir()
	foreign := newKeys(t, elsewhere)
	const passphrase = "correct horse battery staple"
	if err := foreign.SetPassphrase(filepath.Join(elsewhere, backup.KeyFile), passphrase); err != nil {
		t.Fatal(err)
	}
	made := func(k *backup.Keys) []byte {
		var out bytes.Buffer
		h := header()
		h.Escrow = k.Escrow()
		w, err := archive.NewWriter(&out, h, k.Sealing())
		if err == nil {
			err = w.Manifest(archive.Manifest{Tables: []archive.Table{}, Left: []string{}, Files: []archive.FileInfo{}})
		}
		if err == nil {
			_, err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	first := made(own)
	bring := func(data []byte, passphrase string) string {
		w := restore.Worker{Folder: restore.Folder{Dir: dir}, Archive: file(t, data)}
		return act(t, w, "import", map[string]any{"passphrase": passphrase})
	}
	for range 2 { // the same one again is fine
		if said := bring(first, ""); said != "" {
			t.Fatal(said)
		}
	}
	for name, other := range map[string]struct {
		data       []byte
		passphrase string
	}{"of this node": {made(own), ""}, "of another node": {made(foreign), passphrase}} {
		if said := bring(other.data, other.passphrase); !strings.Contains(said, "another archive") {
			t.Errorf("%s: %q, want it refused", name, said)
		}
		if got, err := os.ReadFile(filepath.Join(dir, restore.ArchivePath(archived))); err != nil || !bytes.Equal(got, first) {
			t.Errorf("%s: the archive that was there is another one now, %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, restore.KeysPath(archived))); !os.IsNotExist(err) {
			t.Errorf("%s: there is a key: %v", name, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, restore.ArchivePath(archived))); err != nil {
		t.Fatal(err)
	}
	full := restore.Worker{
		Folder: restore.Folder{Dir: dir}, Archive: file(t, first),
		Disk: func(string) (restore.Disk, error) { return restore.Disk{ID: 1, Free: 256 << 20}, nil },
	}
	if said := act(t, full, "import", map[string]any{}); !strings.Contains(said, "MB are free") {
		t.Errorf("where it would fill the disk: %q", said)
	}
	if said := bring(made(foreign), passphrase); said != "" {
		t.Errorf("where none is: %q", said)
	}
	if _, err := os.Stat(filepath.Join(dir, restore.KeysPath(archived))); err != nil {
		t.Error(err)
	}
}
