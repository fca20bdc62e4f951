package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"gateway/internal/backup"
	"gateway/internal/backup/archive"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret/privatefile"
)

// partial ends the name of an archive that is being written.
const partial = ".part"

// lockFile is held by whoever makes a backup, and tells one folder from another.
const lockFile = ".lock"

func (s *service) folder() string { return filepath.Join(s.Dir, backup.Folder) }

func (s *service) keyFile() string { return filepath.Join(s.Dir, backup.KeyFile) }

// path is where the archive of a backup is.
func (s *service) path(id string) string { return filepath.Join(s.folder(), id+archive.Suffix) }

// errBusy means that another process, or another run of this one, makes a backup.
var errBusy = errors.New("a backup is being made")

// lock makes the folder and takes its lock, or fails with errBusy. The kernel drops the lock with the process.
func (s *service) lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.folder(), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the backups: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(s.folder(), lockFile), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the backups: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errBusy
	}
	if err == nil {
		err = mark(f)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // closing drops the lock
}

// mark gives the folder a name of its own, in the file of the lock, unless it has one. Where another file system is mounted,
// or none any more, there is another.
func mark(lock *os.File) error {
	if name, err := readMark(lock); err != nil || name != "" {
		return err
	}
	if err := lock.Truncate(0); err != nil {
		return fmt.Errorf("mark the folder of the backups: %w", err)
	}
	_, err := lock.WriteAt([]byte(db.NewID()), 0)
	if err = errors.Join(err, lock.Sync(), privatefile.SyncDir(filepath.Dir(lock.Name()))); err != nil { // the rows that name it are synced too
		return fmt.Errorf("mark the folder of the backups: %w", err)
	}
	return nil
}

func readMark(lock io.ReaderAt) (string, error) {
	text := make([]byte, len("00000000-0000-0000-0000-000000000000"))
	n, err := lock.ReadAt(text, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the mark of the folder of the backups: %w", err)
	}
	if name := string(text[:n]); db.ValidID(name) {
		return name, nil
	}
	return "", nil
}

// here is the mark of the folder as it is now; empty: it is not there, or nobody used it yet.
func (s *service) here() (string, error) {
	f, err := os.OpenFile(filepath.Join(s.folder(), lockFile), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the mark of the folder of the backups: %w", err)
	}
	defer f.Close()
	return readMark(f)
}

// removePartial removes what killed runs left. Whoever calls it has the lock.
func (s *service) removePartial() error {
	entries, err := os.ReadDir(s.folder())
	if err != nil {
		return fmt.Errorf("look for partial archives: %w", err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), archive.Suffix+partial) {
			err = errors.Join(err, os.Remove(filepath.Join(s.folder(), e.Name())))
		}
	}
	return err
}

// remove removes an archive, if it is there.
func (s *service) remove(id string) error {
	if err := os.Remove(s.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the archive of backup %s: %w", id, err)
	}
	return nil
}

// reserve is what stays free beside an archive: the database writes to the same disk.
const reserve = 128 << 20

// space is what there is for archives, and what the next one takes with the reserve.
func (s *service) space(ctx context.Context) (free, needed int64, err error) {
	var database, last int64
	err = s.DB.QueryRow(ctx, `select pg_database_size(current_database()),
		coalesce((select size from backups where status = 'done' order by started_at desc limit 1), 0)`).Scan(&database, &last)
	if err != nil {
		return 0, 0, fmt.Errorf("estimate the size of a backup: %w", err)
	}
	// The first one is a guess: text compresses to a quarter, indexes are not part of it.
	needed = database / 4
	if last > 0 {
		needed = last + last/4
	}
	disks, err := s.Host.Disks(s.folder(), s.Dir)
	if err != nil || len(disks) == 0 {
		return 0, 0, errors.Join(err, fmt.Errorf("the disk of %s cannot be checked", s.Dir))
	}
	return int64(disks[0].Free), needed + reserve, nil
}

// tooSmall says that there is not enough space, while there still is enough for everything else.
func tooSmall(free, needed int64) fault.Sentence {
	return fault.Said("%d MB are free on the disk of this node, and a backup needs about %d MB", free>>20, needed>>20)
}
