package restore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gateway/internal/audit"
)

// Cluster is the PostgreSQL cluster, as its superuser sees it.
type Cluster struct {
	// Address is how to reach a database of it.
	Address func(database string) string
	// Prefix is put before the names of the databases, by tests that share a cluster.
	Prefix string
	// Node is this machine's id, for its audit entries.
	Node string
	Now  func() time.Time
}

func (c Cluster) connect(ctx context.Context, name string) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, c.Address(name))
	if err != nil {
		return nil, fmt.Errorf("connect to the database %s: %w", name, err)
	}
	return conn, nil
}

// within runs fn with a connection to the database.
func (c Cluster) within(ctx context.Context, name string, fn func(*pgx.Conn) error) error {
	conn, err := c.connect(ctx, name)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return fn(conn)
}

// exchangeLock is the advisory lock of whoever exchanges the databases, in the database postgres. The server commits what a
// process asked for also when that was killed meanwhile; the lock goes with the session, and so after the commit.
const exchangeLock = `hashtextextended('gateway/restore/' || $1, 0)`

// intruders are sessions of other roles that hold it: the API's can, and would keep every restore from being undone.
const intruders = `select pg_terminate_backend(l.pid, 5000) from pg_locks l join pg_stat_activity a on a.pid = l.pid
	where l.locktype = 'advisory' and a.usename <> current_user and l.objsubid = 1 and (l.classid::bigint << 32 | l.objid::bigint) = ` + exchangeLock

// exchangeLockTimeout bounds the wait: a server goes on to wait for a lock for whoever was killed meanwhile.
const exchangeLockTimeout = `set lock_timeout = '40s'`

// alone runs fn with a connection to the database postgres, when nobody exchanges databases and no exchange of a killed
// process is under way.
func (c Cluster) alone(ctx context.Context, fn func(*pgx.Conn) error) error {
	return c.within(ctx, "postgres", func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, exchangeLockTimeout); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, intruders, c.Prefix); err != nil {
			return fmt.Errorf("end who keeps the databases from being exchanged: %w", err)
		}
		if _, err := conn.Exec(ctx, "select pg_advisory_lock("+exchangeLock+")", c.Prefix); err != nil {
			return fmt.Errorf("wait for whoever exchanges the databases: %w", err)
		}
		return fn(conn)
	})
}

// Names looks which databases there are, once that cannot change by an exchange that somebody began.
func (c Cluster) Names(ctx context.Context) (n Names, err error) {
	err = c.alone(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `select coalesce(bool_or(datname = $1), false), coalesce(bool_or(datname = $2), false), coalesce(bool_or(datname = $3), false)
			from pg_database`, c.Prefix+Live, c.Prefix+Restored, c.Prefix+Before).Scan(&n.Live, &n.Restored, &n.Before)
	})
	return n, err
}

// Ensure makes an empty live database where there is none, as on a node that lost it: the steps are the same then.
func (c Cluster) Ensure(ctx context.Context, owner string) error {
	names, err := c.Names(ctx)
	if err != nil || names.Live {
		return err
	}
	return c.within(ctx, "postgres", func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "create database "+pgx.Identifier{c.Prefix + Live}.Sanitize()+" owner "+pgx.Identifier{owner}.Sanitize()+
			" template template0 encoding 'UTF8' locale 'C.UTF-8' locale_provider builtin builtin_locale 'C.UTF-8'")
		return err
	})
}

// Swap makes the restored database the live one, and keeps the old one beside it.
func (c Cluster) Swap(ctx context.Context) error {
	return c.rename(ctx, [2]string{Live, Before}, [2]string{Restored, Live})
}

// SwapBack is Swap backwards.
func (c Cluster) SwapBack(ctx context.Context) error {
	return c.rename(ctx, [2]string{Live, Restored}, [2]string{Before, Live})
}

// renameTries is how often sessions are ended that came meanwhile, such as a gateway-ctl of somebody.
const renameTries = 20

// rename gives the databases their names in one transaction: all of them or none.
func (c Cluster) rename(ctx context.Context, pairs ...[2]string) error {
	var names []string
	for _, p := range pairs {
		names = append(names, c.Prefix+p[0])
	}
	return c.alone(ctx, func(conn *pgx.Conn) error {
		var err error
		for range renameTries {
			if _, err = conn.Exec(ctx, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = any($1)`, names); err != nil {
				return fmt.Errorf("end the sessions of the databases: %w", err)
			}
			err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
				for _, p := range pairs {
					from, to := pgx.Identifier{c.Prefix + p[0]}.Sanitize(), pgx.Identifier{c.Prefix + p[1]}.Sanitize()
					if _, err := tx.Exec(ctx, "alter database "+from+" rename to "+to); err != nil {
						return fmt.Errorf("rename the database %s: %w", p[0], err)
					}
				}
				return nil
			})
			var pg *pgconn.PgError
			if err == nil || !errors.As(err, &pg) || pg.Code != "55006" { // still in use
				return err
			}
		}
		return err
	})
}

// Drop removes one of the databases that a restore makes. The live one is never among them.
func (c Cluster) Drop(ctx context.Context, name string) error {
	if !slices.Contains([]string{Restored, Before, Verified}, name) {
		return fmt.Errorf("the database %s is not one that a restore may drop", name)
	}
	return c.within(ctx, "postgres", func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "drop database if exists "+pgx.Identifier{c.Prefix + name}.Sanitize()+" with (force)")
		if err != nil {
			return fmt.Errorf("drop the database %s: %w", name, err)
		}
		return nil
	})
}

// Note adds an audit entry to the live database.
func (c Cluster) Note(ctx context.Context, n Note) error {
	return c.within(ctx, c.Prefix+Live, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return c.append(ctx, tx, n) })
	})
}

func (c Cluster) append(ctx context.Context, tx pgx.Tx, n Note) error {
	log := audit.NewLog(c.Node, c.Now)
	return log.Append(ctx, tx, audit.Entry{Actor: n.Actor, Action: n.Action, Subject: n.Subject, Detail: n.detail()})
}
