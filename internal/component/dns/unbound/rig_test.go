package unbound_test

import (
	"testing"

	"gateway/internal/component/dns/dnstest"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/daemon"
)

type object = dnstest.Object

// rig lets a test look into the daemon's side, too.
type rig struct {
	*dnstest.Rig
	resolver *unbound.Resolver
}

func newRig(t testing.TB, extra string) *rig {
	t.Helper()
	r := &rig{}
	r.Rig = dnstest.NewWith(t, extra, func(o unbound.Options) daemon.Daemon {
		r.resolver = unbound.NewResolver(o)
		return r.resolver.Daemon()
	})
	return r
}
