// Package privatefile writes and reads the small files that hold secrets or local
// state. A file appears under its name complete and durable or not at all, and
// belongs to the owner of its directory, so that what gateway-ctl writes as root the
// API can read. What the files mean is left to the callers.
package privatefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// maxSize bounds what Read takes into memory; the files here have a few hundred bytes.
const maxSize = 64 << 10

// Create makes the file at path, or fails with fs.ErrExist and leaves the present one alone.
//
// The content is written under another name and linked into place: plain O_EXCL would
// show a racing reader, or a crash, an empty file.
func Create(path string, data []byte, mode fs.FileMode) error {
	pending, err := stage(path, data, mode)
	if err != nil {
		return err
	}
	if err := pending.Sync(); err != nil {
		return errors.Join(err, pending.Cleanup())
	}
	err = os.Link(pending.Name(), path)
	if err := errors.Join(err, pending.Cleanup()); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// Replace makes the file at path or exchanges the present one atomically. A symbolic
// link at path is itself replaced, never followed.
func Replace(path string, data []byte, mode fs.FileMode) error {
	pending, err := stage(path, data, mode)
	if err != nil {
		return err
	}
	if err := pending.CloseAtomicallyReplace(); err != nil {
		return errors.Join(err, pending.Cleanup())
	}
	return SyncDir(filepath.Dir(path))
}

// stage writes data under a temporary name beside path, with its final mode and owner.
func stage(path string, data []byte, mode fs.FileMode) (*renameio.PendingFile, error) {
	dir := filepath.Dir(path)
	pending, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(mode))
	if err != nil {
		return nil, err
	}
	_, err = pending.Write(data)
	if err == nil {
		err = giveToOwner(pending.File, dir)
	}
	if err != nil {
		return nil, errors.Join(err, pending.Cleanup())
	}
	return pending, nil
}

// giveToOwner makes f belong to the owner of dir. Only root can; everyone else
// owns what they create anyway.
func giveToOwner(f *os.File, dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: dir, Err: err}
	}
	return f.Chown(int(st.Uid), int(st.Gid))
}

// SyncDir makes renames, links and removals in dir survive a power cut.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Read returns the content of the file at path. It refuses symbolic links, anything
// that is not a regular file, and a file that others than its owner may read.
func Read(path string) ([]byte, error) {
	// O_NONBLOCK: opening a FIFO planted at path must not hang the service.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if exposed(f, info.Mode()) {
		return nil, fmt.Errorf("%s is readable by others than its owner (mode %04o); fix it with chmod go=", path, info.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxSize)
	}
	return data, nil
}
