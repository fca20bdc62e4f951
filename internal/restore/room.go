package restore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"gateway/internal/backup/archive"
	"gateway/internal/backup/dump"
	"gateway/internal/fault"
)

// Disk is a file system, and how many bytes are free on it.
type Disk struct{ ID, Free uint64 }

// spare is what stays free beside what an archive becomes.
const spare = 256 << 20

// room refuses an archive that could fill a disk: the live database is on it too, and stops then. Rows with their
// indexes and the log of the transaction take up to two and a half times their text, which is counted here: what an
// archive says of itself is not believed. A log on a disk of its own takes no more than that text.
func (w Worker) room(ctx context.Context, o archive.Opening) error {
	if w.Archive == nil {
		return errors.New("no archive was handed over")
	}
	_, sums, err := dump.Check(w.Archive, o, w.Schemas)
	if err != nil {
		return err
	}
	rows, log, err := w.Cluster.places(ctx)
	if err != nil {
		return fmt.Errorf("ask where the databases are: %w", err)
	}
	text := uint64(sums.DBBytes)
	var seen []uint64
	for _, dir := range append(rows, log) {
		there, err := w.disk(dir)
		if err != nil {
			return err
		}
		if slices.Contains(seen, there.ID) {
			continue
		}
		seen = append(seen, there.ID)
		needed := text/2*5 + spare
		if dir == log {
			needed = text + spare
		}
		if there.Free < needed {
			return fault.Say("the disk of the database has %d MB free, and loading this archive needs %d MB", there.Free/1e6, needed/1e6)
		}
	}
	return nil
}

// places are the folders that the rows of a new database go to, also for a while, and that of the log.
func (c Cluster) places(ctx context.Context) (rows []string, log string, err error) {
	var data string
	err = c.within(ctx, "postgres", func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `select current_setting('data_directory'), array(select pg_tablespace_location(oid) from pg_tablespace
			where pg_tablespace_location(oid) <> '' and (oid = (select dattablespace from pg_database where datname = 'template0')
				or spcname = current_setting('default_tablespace') or spcname = any(regexp_split_to_array(current_setting('temp_tablespaces'), '[ ,"]+'))))`).Scan(&data, &rows)
	})
	return append([]string{filepath.Join(data, "base")}, rows...), filepath.Join(data, "pg_wal"), err
}

// roomFor refuses to copy an archive into a folder that it would fill: the other services write there too.
func (w Worker) roomFor(dir string) error {
	info, err := w.Archive.Stat()
	if err != nil {
		return err
	}
	there, err := w.disk(dir)
	if err != nil {
		return err
	}
	if needed := uint64(info.Size()) + spare; there.Free < needed {
		return fault.Say("%d MB are free on the disk of this node, and a backup needs about %d MB", there.Free>>20, needed>>20)
	}
	return nil
}

func (w Worker) disk(dir string) (Disk, error) {
	if w.Disk != nil {
		return w.Disk(dir)
	}
	var s unix.Statfs_t
	var at unix.Stat_t
	if err := errors.Join(unix.Statfs(dir, &s), unix.Stat(dir, &at)); err != nil {
		return Disk{}, fmt.Errorf("read the fill of %s: %w", dir, err)
	}
	return Disk{ID: at.Dev, Free: s.Bavail * uint64(s.Frsize)}, nil
}
