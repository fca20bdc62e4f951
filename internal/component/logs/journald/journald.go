// Package journald is the daemon side of the logs: it renders the bounds of the journals and the configuration of the log
// shipper from the row, and restarts whom that concerns. How lines are sent is left to packages logship
// and ship, what operators see to package logs.
package journald

import (
	"context"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/logship"
)

const (
	// Name is the component's one word.
	Name = "logs"
	// Service is the log shipper as the list of services names it.
	Service = "log-shipper"
	// Unit is journald's.
	Unit = "systemd-journald.service"

	table = "logs_settings"
)

// Options are what the daemons are managed with.
type Options struct {
	Units Units // *sys.Units
	// AccessLog is the journal namespace of the access log.
	AccessLog string
}

// Units starts what systemd runs.
type Units interface {
	Start(ctx context.Context, unit string) error
	Restart(ctx context.Context, unit string) error
}

// logging is journald, with the log shipper beside it, and what each journald read when it was restarted from here.
type logging struct {
	Options
	read map[string]string // by path
}

// New returns the daemon.
func New(o Options) daemon.Daemon {
	l := &logging{Options: o, read: map[string]string{}}
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(), Source: daemon.Steps[state]{Load: l.load, Render: state.render},
			Services: []daemon.Service{{
				Name: Service, Unit: logship.Unit, Title: "Log shipper (syslog)", Phrase: "the log shipper",
				Required: true, Setting: table, Column: "remote_enabled",
			}},
		},
		Units: []string{Unit, logship.Unit},
		Apply: l.apply,
	}
}

// Tables are those of the component.
func Tables() []db.Table { return []db.Table{{Name: table, Scope: db.NodeLocal}} }

// apply restarts those whose files differ. Journald reads its files only then; systemd keeps its sockets and the streams of all
// services for it, so that no line is lost.
func (l *logging) apply(ctx context.Context, old, now daemon.Rendering) error {
	for _, of := range []struct {
		path, unit string
	}{{JournalFile, Unit}, {AccessFile, "systemd-journald@" + l.AccessLog + ".service"}} {
		text := string(now.File(of.path))
		if has, known := l.read[of.path]; same(old, now, of.path) || known && has == text {
			continue // nothing is known of before when the log shipper died, and journald has no part in that
		}
		delete(l.read, of.path)
		if err := l.Units.Restart(ctx, of.unit); err != nil {
			return inWords(err, of.unit)
		}
		l.read[of.path] = text
	}
	if !up(now) {
		return nil
	}
	act := l.Units.Restart
	if up(old) && same(old, now, logship.ConfFile, logship.CAFile) {
		act = l.Units.Start
	}
	return inWords(act(ctx, logship.Unit), logship.Unit)
}

// same reports whether files are known to be as before.
func same(old, now daemon.Rendering, paths ...string) bool {
	for _, path := range paths {
		if len(old.Files) == 0 || string(old.File(path)) != string(now.File(path)) {
			return false
		}
	}
	return true
}

func up(r daemon.Rendering) bool {
	for _, u := range r.Units {
		if u.Name == logship.Unit {
			return u.Up
		}
	}
	return false
}
