// Package chrony is the daemon side of NTP: it renders one drop-in file of chrony's from the
// rows, has chronyd check it, and restarts the daemon on it. How the daemon is started, and
// with what else, is left to the drop-in of chrony.service in the Debian package, letting
// clients through the packet filter to package firewall, what operators see to package ntp.
package chrony

import (
	"context"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/sys"
)

const (
	// Name is the component's one word.
	Name = "ntp"
	// Unit is the daemon's.
	Unit = "chrony.service"
)

// Options are what the daemon is managed with.
type Options struct {
	Units Units // *sys.Units
	Exec  sys.Runner
}

// Units starts what systemd runs.
type Units interface {
	Start(ctx context.Context, unit string) error
	Restart(ctx context.Context, unit string) error
}

// chronyd is the daemon, as its program is called.
type chronyd struct {
	units Units
	exec  sys.Runner
}

// New returns the daemon.
func New(o Options) daemon.Daemon {
	c := &chronyd{units: o.Units, exec: o.Exec}
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(), Source: daemon.Steps[State]{Load: load, Render: State.Render},
			Needs: daemon.Needs{Tables: []string{"ntp_settings"}, Openings: openings},
			Check: c.check,
			Services: []daemon.Service{{
				Name: Name, Unit: Unit, Title: "NTP daemon (chrony)", Phrase: "the NTP daemon", Package: "chrony",
				Required: true, Setting: "ntp_settings", Restart: true,
			}},
		},
		Units: []string{Unit},
		Apply: c.apply,
		Verbs: map[string]daemon.Verb{ForceSync: c.forceSync},
		Waits: []string{ForceSync},
	}
}

// Tables are those of the component.
func Tables() []db.Table {
	return []db.Table{
		{Name: "ntp_settings", Scope: db.NodeLocal},
		{Name: "ntp_pools", Scope: db.Replicated},
	}
}

// openings is the port that clients ask, while there is something for them to reach.
func openings(ctx context.Context, q db.DB) ([]daemon.Opening, error) {
	s, err := loadSettings(ctx, q)
	if err != nil || !s.On() || !s.ServeClients || !s.reachable() {
		return nil, err
	}
	return []daemon.Opening{{Protocol: "udp", Port: 123, Why: "NTP for clients"}}, nil
}
