// Package dnstest has the resolver with a real unbound, for the tests of package dns and of
// the packages below it. It is imported by tests only.
package dnstest

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/dns"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/daemon"
)

// Rig is the component with unbound at its other end.
type Rig struct {
	*componenttest.Rig
	Unbound *Unbound
}

// Object is what a request carries.
type Object = componenttest.Object

// New starts all but unbound, which the first round starts.
func New(t testing.TB) *Rig { t.Helper(); return NewWith(t, "", unbound.New) }

// NewWith is New with further lines of unbound's configuration, and a daemon of the test's.
func NewWith(t testing.TB, extra string, daemonOf func(unbound.Options) daemon.Daemon) *Rig {
	t.Helper()
	r := &Rig{}
	r.Rig = componenttest.New(t, componenttest.Setup{
		Component: func(c *componenttest.Rig) component.Component {
			return dns.New(dns.Options{DB: c.Pool, Run: c.Run, Applier: c})
		},
		Daemon: func(c *componenttest.Rig) daemon.Daemon {
			r.Unbound = newUnbound(t, filepath.Join(c.Root, unbound.Path), extra)
			c.Units.Act = func(ctx context.Context, _, _ string) error { return r.Unbound.Restart(ctx) }
			return daemonOf(unbound.Options{Units: c.Units, Exec: componenttest.Exec(t), Socket: r.Unbound.Client.Path})
		},
	})
	return r
}

// Zone makes a zone and returns its id.
func (r *Rig) Zone(name string, forwardTo ...string) string {
	r.T.Helper()
	return r.Do("POST", "/dns/zones", Object{"name": name, "forward_to": append([]string{}, forwardTo...)}).Want(http.StatusCreated).ID()
}

// Record makes a record and returns its id.
func (r *Rig) Record(zone, name, typ, value string) string {
	r.T.Helper()
	return r.Do("POST", "/dns/records", Object{"zone_id": zone, "name": name, "type": typ, "value": value}).Want(http.StatusCreated).ID()
}

// Settings replaces some of the settings.
func (r *Rig) Settings(change Object) {
	r.T.Helper()
	r.Edit("/dns/settings", change).Want(http.StatusOK)
}

// Fill stores records past the API, the way a restore would: h0 to h(n-1), each with an address.
func (r *Rig) Fill(zone, name string, n int) {
	r.T.Helper()
	r.Restore(`insert into dns_records (id, revision, created_at, updated_at, zone_id, name, type, value, ttl, fqdn)
		select gen_random_uuid(), 1, now(), now(), $1, 'h' || n, 'A', '10.' || n / 65536 || '.' || n / 256 % 256 || '.' || n % 256, 3600, 'h' || n || '.' || $2::text || '.'
		from generate_series(0, $3 - 1) n`, zone, name, n)
}

// Find is the id of a record.
func (r *Rig) Find(fqdn, typ string) string {
	r.T.Helper()
	var id string
	if err := r.Pool.QueryRow(r.T.Context(), `select id::text from dns_records where fqdn = $1 and type = $2`, fqdn, typ).Scan(&id); err != nil {
		r.T.Fatal(err)
	}
	return id
}
