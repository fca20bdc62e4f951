package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// startPostgres makes a cluster in memory and starts it: a database per test is a thousand
// files, and making them on a disk takes ten times the processor. The shared
// root is below the overlay and does not change. $1 is the root, $2 the folder
// of the run, $3 the port.
const startPostgres = overlay + `
[ $? = 0 ] || exit 1
top=$2/top bin=/usr/lib/postgresql/17/bin data=/var/lib/postgresql/lab
mount -t proc proc "$top/proc" && mount --rbind /dev "$top/dev" && mount -t tmpfs tmpfs "$top/dev/shm" || exit 1
mount -t tmpfs -o mode=755 tmpfs "$top/var/lib/postgresql" && chown --reference="$1/var/lib/postgresql" "$top/var/lib/postgresql" || exit 1
pg() { chroot "$top" runuser -u postgres -- "$@" >&2 </dev/null; }
pg $bin/initdb -D $data -A trust -U postgres -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions || exit 1
cat >>"$top$data/postgresql.conf" <<END || exit 1
listen_addresses = '127.0.0.1'
port = $3
unix_socket_directories = '/tmp'
fsync = off
full_page_writes = off
max_connections = 200
wal_level = logical
max_replication_slots = 20
max_wal_senders = 20
END
pg $bin/pg_ctl -D $data -l /tmp/postgres.log -w -t 60 start || { cat "$top/tmp/postgres.log" >&2; exit 1; }
true`

// Postgres starts a PostgreSQL 17 on a free port of 127.0.0.1 for tests that
// need no node, and returns how to connect to it as its superuser. Durability is
// off. It ends by stop, or with this process.
func Postgres(ctx context.Context) (dsn string, stop func(), err error) {
	if err := checkHost(); err != nil {
		return "", nil, err
	}
	root, err := Root(ctx)
	if err != nil {
		return "", nil, err
	}
	// A free port can be taken by another process before PostgreSQL has it.
	for range 3 {
		if dsn, stop, err = postgres(ctx, root); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return "", nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return dsn, stop, nil
}

func postgres(ctx context.Context, root string) (string, func(), error) {
	dir, held, err := claim(ctx)
	if err != nil {
		return "", nil, err
	}
	remove := func() error { return errors.Join(removeLab(dir), held.Close()) }
	h, port, err := holdPostgres(ctx, root, dir)
	if err != nil {
		return "", nil, errors.Join(err, remove())
	}
	stop := sync.OnceFunc(func() {
		h.stop()
		_ = remove() // a later sweep takes what could not be removed
	})
	s := State{ID: filepath.Base(dir), Owner: os.Getpid()}
	if err := s.save(dir, h); err != nil {
		stop()
		return "", nil, err
	}
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port), stop, nil
}

func holdPostgres(ctx context.Context, root, dir string) (*holder, int, error) {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	if err := overlayDirs(dir); err != nil {
		return nil, 0, err
	}
	port, err := freePort()
	if err != nil {
		return nil, 0, err
	}
	prefix := []string{"unshare", "--mount", "--ipc", "--pid", "--fork"}
	h, err := hold(ctx, prefix, startPostgres, root, dir, strconv.Itoa(port))
	return h, port, err
}

func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("look for a free port: %w", err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}
