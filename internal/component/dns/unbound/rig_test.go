package unbound_test

import (
	"testing"

	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/dns"
	"gateway/internal/component/dns/dnstest"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/daemon"
	"gateway/internal/sys"
)

type object = dnstest.Object

// rig lets a test look into the daemon's side, too.
type rig struct {
	*dnstest.Rig
	resolver *unbound.Resolver
}

// newRig starts all but unbound, which the first sync starts.
func newRig(t testing.TB, extra string) *rig {
	t.Helper()
	r := &rig{}
	r.Rig = dnstest.New(t, extra, dnstest.Setup{
		API: func(r *dnstest.Rig, run *change.Runner) component.Component {
			return dns.New(dns.Options{DB: r.Pool, Run: run, Applier: r})
		},
		Daemon: func(u *dnstest.Unbound, exec sys.Runner) daemon.Daemon {
			r.resolver = unbound.NewResolver(unbound.Options{Units: u, Exec: exec, Socket: u.Client.Path})
			return r.resolver.Daemon()
		},
		Schema: dns.New(dns.Options{}).Schema(), Print: unbound.OperatorValue,
	})
	return r
}
