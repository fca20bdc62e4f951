package privatefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Lock waits until nobody else, in this process or another, holds the lock of path.
// The kernel drops the lock when the holder dies.
//
// The lock is on a side file that is never removed: path itself is replaced by renames,
// and a lock on a replaced file excludes nobody.
func Lock(path string) (unlock func(), err error) { return lock(path, unix.LOCK_EX) }

// ErrLocked means that somebody else holds the lock.
var ErrLocked = errors.New("locked by somebody else")

// TryLock is Lock for whoever does not wait: ErrLocked at once.
func TryLock(path string) (unlock func(), err error) {
	unlock, err = lock(path, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return unlock, err
}

func lock(path string, how int) (unlock func(), err error) {
	f, err := openLock(path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return func() { _ = f.Close() }, nil // closing drops the lock
}

func openLock(side string) (*os.File, error) {
	open := func() (*os.File, error) {
		return os.OpenFile(side, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	}
	f, err := open()
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := Create(side, nil, 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return open()
}
