package restore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gateway/internal/secret/privatefile"
)

// Folder is the state folder with its state files. It works as the folder's owner. The new files are
// staged below it, and the old ones are kept there until the restore is over.
type Folder struct {
	Dir   string
	Names []string // of the state files; nothing else is ever written
	// Area is the folder below it for what is staged and kept: one for a restore, another for a verification.
	Area string
}

// The areas.
const (
	restoreArea = "restore"
	verifyArea  = "verify"
)

// Staged is where the new file lies until it is moved into place.
func (f Folder) Staged(name string) string { return filepath.Join(f.area(), "new", name) }

func (f Folder) kept(name string) string { return filepath.Join(f.area(), "old", name) }

func (f Folder) area() string {
	if f.Area == "" {
		return filepath.Join(f.Dir, restoreArea)
	}
	return filepath.Join(f.Dir, f.Area)
}

// missing marks that there was no such file before.
func (f Folder) missing(name string) string { return f.kept(name) + ".missing" }

func (f Folder) live(name string) string { return filepath.Join(f.Dir, name) }

// Put stages one file.
func (f Folder) Put(name string, data []byte) error {
	if !slices.Contains(f.Names, name) {
		return fmt.Errorf("%q is not a state file", name)
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(f.live(name)); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(f.Staged(name)), 0o700); err != nil {
		return err
	}
	return privatefile.Replace(f.Staged(name), data, mode)
}

// Forward puts every staged file into place and keeps the one that was there. No file is ever
// missing meanwhile: whoever starts without its key would make a new one.
func (f Folder) Forward() error {
	for _, name := range f.Names {
		staged, err := exists(f.Staged(name))
		if err != nil {
			return err
		}
		if !staged {
			continue
		}
		if err := f.keep(name); err != nil {
			return fmt.Errorf("keep %s: %w", name, err)
		}
		if err := os.Rename(f.Staged(name), f.live(name)); err != nil {
			return err
		}
		if err := privatefile.SyncDir(filepath.Dir(f.live(name))); err != nil {
			return err
		}
	}
	return nil
}

// keep makes the old file safe, unless it is.
func (f Folder) keep(name string) error {
	kept, err := exists(f.kept(name))
	gone, err2 := exists(f.missing(name))
	if err := errors.Join(err, err2); err != nil || kept || gone {
		return err
	}
	dir := filepath.Dir(f.kept(name))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	err = os.Link(f.live(name), f.kept(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = os.WriteFile(f.missing(name), nil, 0o600)
	}
	return errors.Join(err, privatefile.SyncDir(dir))
}

// Back puts every kept file into place again.
func (f Folder) Back() error {
	for _, name := range f.Names {
		err := os.Rename(f.kept(name), f.live(name))
		if errors.Is(err, fs.ErrNotExist) {
			err = f.removeAgain(name)
		}
		if err != nil {
			return fmt.Errorf("put %s back: %w", name, err)
		}
		if err := privatefile.SyncDir(filepath.Dir(f.live(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeAgain removes a file that was not there before.
func (f Folder) removeAgain(name string) error {
	gone, err := exists(f.missing(name))
	if err != nil || !gone {
		return err
	}
	staged, err := exists(f.Staged(name))
	if err != nil || staged { // it never came into place
		return err
	}
	if err := os.Remove(f.live(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := privatefile.SyncDir(filepath.Dir(f.live(name))); err != nil {
		return err
	}
	return os.Remove(f.missing(name)) // so that a file which a service makes then is not removed when this is done again
}

// Clean removes what is staged and kept.
func (f Folder) Clean() error { return os.RemoveAll(f.area()) }

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
