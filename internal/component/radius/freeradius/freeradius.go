// Package freeradius is the daemon side of RADIUS: it renders FreeRADIUS's configuration from the
// rows, has FreeRADIUS check it, and brings changes to the running daemon: users and new clients
// without a restart. It also says what a client and a user may be, since only what can be rendered
// may be stored. How the daemon is started is left to the drop-in of its unit in the Debian
// package, opening the ports to the packet filter, what operators see to package radius.
package freeradius

import (
	"cmp"
	"context"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret"
	"gateway/internal/sys"
)

const (
	// Name is the component's one word.
	Name = "radius"
	// Unit is the daemon's.
	Unit = "freeradius.service"
	// Group is who reads the secrets beside root.
	Group = "freerad"

	settingsTable = "radius_settings"
	probeTable    = "radius_probe"
	clientsTable  = "radius_clients"
	usersTable    = "radius_users"
)

// Options are what the daemon is managed with.
type Options struct {
	Units Units // *sys.Units
	Exec  sys.Runner
	// Log is the folder of the log of sign-ins, where it is not the package's.
	Log string
}

// Units starts what systemd runs.
type Units interface {
	Start(ctx context.Context, unit string) error
	Restart(ctx context.Context, unit string) error
}

// server is the FreeRADIUS of this machine.
type server struct {
	units Units
	exec  sys.Runner
	log   *signInLog
}

// New returns the daemon.
func New(o Options) daemon.Daemon {
	s := &server{units: o.Units, exec: o.Exec, log: newSignInLog(cmp.Or(o.Log, LogFolder))}
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(), Source: daemon.Steps[State]{Load: load, Render: State.Render},
			Needs: daemon.Needs{Tables: []string{settingsTable}, Openings: openings},
			Check: s.check, Plain: plain,
			Services: []daemon.Service{{
				Name: Name, Unit: Unit, Title: "RADIUS server (FreeRADIUS)", Phrase: "the RADIUS server", Package: "freeradius",
				Required: true, Setting: settingsTable,
			}},
		},
		Units:      []string{Unit},
		Folders:    []string{ClientsFolder},
		After:      []string{"network"}, // which makes the addresses
		Apply:      s.apply,
		Background: s.lookAfterLog,
		Verbs:      map[string]daemon.Verb{SignInsVerb: s.signIns},
	}
}

// Tables are those of the component. Users are judged one by one as they are accepted.
func Tables() []db.Table {
	return []db.Table{
		{Name: settingsTable, Scope: db.NodeLocal},
		{Name: probeTable, Scope: db.History, API: &db.Rights{Insert: true, Delete: true}},
		{Name: clientsTable, Scope: db.Replicated, Omit: []string{"secret"}},
		{Name: usersTable, Scope: db.Replicated, Omit: []string{"password"}, RowsChecked: true},
	}
}

// ProbePlace is where the secret of the sign-ins from this machine is stored.
func ProbePlace(id string) secret.Place {
	return secret.Place{Table: probeTable, Column: "secret", Row: id}
}

// SecretPlace is where the secret of a client is stored.
func SecretPlace(id string) secret.Place {
	return secret.Place{Table: clientsTable, Column: "secret", Row: id}
}

// PasswordPlace is where the password of a user is stored.
func PasswordPlace(id string) secret.Place {
	return secret.Place{Table: usersTable, Column: "password", Row: id}
}

// openings are the two ports, in the zones that are served, while somebody else than this
// machine can reach the daemon.
func openings(ctx context.Context, q db.DB) ([]daemon.Opening, error) {
	r, err := loadSettings(ctx, q)
	if err != nil || !r.On() || !r.Reachable() {
		return nil, err
	}
	var p fault.Problems
	if r.Validate(&p); p.Err() != nil { // nobody is served then
		return nil, nil
	}
	var out []daemon.Opening
	for _, zone := range r.Zones {
		const page = "/radius?tab=settings"
		out = append(out,
			daemon.Opening{Protocol: "udp", Port: r.AuthPort, Why: "RADIUS for clients", Role: zone, Page: page},
			daemon.Opening{Protocol: "udp", Port: r.AccountingPort, Why: "RADIUS accounting", Role: zone, Page: page})
	}
	return out, nil
}
