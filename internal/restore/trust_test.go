package restore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gateway/internal/restore"
)

// Whoever owns the state folder puts there what they like; root reads it.
func TestRootTakesNothingButFilesOfTheFolder(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "shadow")
	good := []byte(`{"backup_id":"` + archived + `","steps":[]}`)
	for _, tc := range []struct {
		name string
		put  func(dir, path string) error
		says string
	}{
		{"a file", func(_, path string) error { return os.WriteFile(path, good, 0o600) }, ""},
		{"nothing", func(string, string) error { return nil }, ""},
		{"a link out of it", func(_, path string) error {
			return os.Symlink(outside, path)
		}, "escapes"},
		{"a link within it", func(dir, path string) error {
			if err := os.WriteFile(filepath.Join(dir, "master.key"), good, 0o600); err != nil {
				return err
			}
			return os.Symlink("master.key", path)
		}, "not a regular file"},
		{"a pipe", func(_, path string) error { return unix.Mkfifo(path, 0o600) }, "not a regular file"},
		{"a folder", func(_, path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		{"an id that is none", func(_, path string) error {
			return os.WriteFile(path, []byte(`{"backup_id":"../../x.service","steps":[]}`), 0o600)
		}, "must be a UUID"},
		{"somebody else's file", func(_, path string) error {
			if os.Geteuid() != 0 {
				t.Skip("needs root")
			}
			if err := os.WriteFile(path, good, 0o600); err != nil {
				return err
			}
			return os.Chown(path, 12345, 12345)
		}, "belongs neither"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := os.WriteFile(outside, good, 0o600); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := tc.put(dir, filepath.Join(dir, restore.StateFile)); err != nil {
				t.Fatal(err)
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			_, err = restore.LookAt(root)
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("err = %v, want %q", err, tc.says)
			}
		})
	}
}

func TestAnArchiveIsAFileOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := restore.HasArchive(root, "../../etc/passwd"); err == nil || !strings.Contains(err.Error(), "UUID") {
		t.Errorf("a path: %v", err)
	}
	if err := restore.HasArchive(root, archived); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("none: %v", err)
	}
	path := filepath.Join(dir, restore.ArchivePath(archived))
	if err := os.Symlink("/etc/passwd", path); err != nil {
		t.Fatal(err)
	}
	if err := restore.HasArchive(root, archived); err == nil {
		t.Error("a link is taken for an archive")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("an archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := restore.HasArchive(root, archived); err != nil {
		t.Error(err)
	}
}

// What root asks for and answers is written by a helper of the folder's owner.
func TestTheFolderIsWrittenByItsOwner(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	w := restore.Worker{Folder: restore.Folder{Dir: dir}}
	if said := act(t, w, "request", map[string]any{"plan": map[string]any{"id": archived, "actor": "local"}, "options": map[string]any{"confirm_within": 300}}); said != "" {
		t.Fatal(said)
	}
	data, err := os.ReadFile(filepath.Join(dir, restore.RequestPath(archived)))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := restore.ParseRequest(archived, data); err != nil || p.Within != 300 || p.Actor != "local" {
		t.Errorf("the request is %+v, %v", p, err)
	}
	if said := act(t, w, "request", map[string]any{"plan": map[string]any{"id": "../x"}}); !strings.Contains(said, "UUID") && !strings.Contains(said, "id") {
		t.Errorf("an id that is none: %q", said)
	}
	if said := act(t, w, "answer", map[string]any{"answer": "confirm"}); !strings.Contains(said, "no restore waits") {
		t.Errorf("nobody waits: %q", said)
	}
}
