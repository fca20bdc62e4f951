package dns

import (
	"testing"

	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/dns/dnstest"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/daemon"
	"gateway/internal/sys"
)

type object = dnstest.Object

// newRig starts all but unbound, which the first sync starts.
func newRig(t testing.TB, extra string) *dnstest.Rig {
	t.Helper()
	return dnstest.New(t, extra, dnstest.Setup{
		API: func(r *dnstest.Rig, run *change.Runner) component.Component {
			return New(Options{DB: r.Pool, Run: run, Applier: r})
		},
		Daemon: func(u *dnstest.Unbound, exec sys.Runner) daemon.Daemon {
			return unbound.New(unbound.Options{Units: u, Exec: exec, Socket: u.Client.Path})
		},
		Schema: New(Options{}).Schema(), Print: unbound.OperatorValue,
	})
}
