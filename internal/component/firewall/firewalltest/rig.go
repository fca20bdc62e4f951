// Package firewalltest has the packet filter behind the real edge and on a real database, for
// the tests of package firewall and of the packages below it. It is imported by tests only.
package firewalltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/firewall"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/component/network"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/uplink"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/sys"
	"gateway/lab"
)

// Rig is the component and its daemon, with one reader of the policy as in a process of the product.
type Rig struct {
	*componenttest.Rig
	Policy *policy.Reader
	// Network has the interfaces, whose zones rules are about.
	Network *apitest.Caller
	Log     *bytes.Buffer

	space *lab.Space // where the kernel's packet filter is, of a live rig
}

// Object is what a request carries.
type Object = componenttest.Object

// Options are how a rig differs from a plain one.
type Options struct {
	// Live has every change by the API judged, and come back when the kernel of a network of
	// its own has it.
	Live bool
	// Needed is what other components need; nil for nothing.
	Needed func(ctx context.Context, q db.DB) (daemon.Needed, error)
	// Others are components that need something.
	Others []daemon.Daemon
	// Daemon makes the daemon; nil for filter.New.
	Daemon func(filter.Options) daemon.Daemon
}

// New returns a plain rig.
func New(t testing.TB) *Rig { t.Helper(); return NewWith(t, Options{}) }

// NewLive returns a live rig.
func NewLive(t testing.TB) *Rig { t.Helper(); return NewWith(t, Options{Live: true}) }

// NewWith returns a rig that differs from a plain one.
func NewWith(t testing.TB, o Options) *Rig {
	t.Helper()
	tables, needed := daemon.NeedsOf(o.Others)
	if o.Needed != nil {
		needed = o.Needed
	}
	if o.Daemon == nil {
		o.Daemon = filter.New
	}
	r := &Rig{Log: &bytes.Buffer{}, Policy: policy.New(tables, needed)}
	log := slog.New(slog.NewTextHandler(r.Log, nil))
	if o.Live {
		r.space = lab.NewSpace(t)
	}
	r.Rig = componenttest.New(t, componenttest.Setup{
		Live: o.Live, Schemas: []db.Schema{network.New(network.Options{}).Schema(), tunnel.New(tunnel.Options{}).Schema(), uplink.New(uplink.Options{}).Schema()},
		Component: func(c *componenttest.Rig) component.Component {
			return firewall.New(firewall.Options{DB: c.Pool, Run: c.Run, Applier: c, Policy: r.Policy, Log: log})
		},
		Daemon: func(*componenttest.Rig) daemon.Daemon {
			return r.inSpace(o.Daemon(filter.Options{Policy: r.Policy, Exec: componenttest.ExecInRoot(t), Host: nowhere{}, Log: log}))
		},
	})
	r.Network = apitest.New(t, "network", network.New(network.Options{DB: r.Pool, Run: r.Run}).Routes)
	if o.Live {
		r.MustSync()
	}
	return r
}

// inSpace has all that concerns the kernel happen in the rig's network.
func (r *Rig) inSpace(d daemon.Daemon) daemon.Daemon {
	plain, apply, observe, verbs := d.Plain, d.Apply, d.Observe, d.Verbs
	d.Background = nil
	d.Plain = func(old, now daemon.Rendering) bool {
		ok := plain(old, now)
		if !ok {
			r.T.Error("the files are not plain text")
		}
		return ok
	}
	d.Apply = func(ctx context.Context, old, now daemon.Rendering) error {
		return r.space.Do(func() error { return apply(ctx, old, now) })
	}
	d.Observe = func(ctx context.Context) (mark string, err error) {
		err = r.space.Do(func() (err error) { mark, err = observe(ctx); return err })
		return mark, err
	}
	d.Verbs = map[string]daemon.Verb{}
	for name, verb := range verbs {
		d.Verbs[name] = func(ctx context.Context, in json.RawMessage) (out any, err error) {
			err = r.space.Do(func() (err error) { out, err = verb(ctx, in); return err })
			return out, err
		}
	}
	return d
}

// nowhere is a host without routes: nobody who asks can be cut off.
type nowhere struct{}

func (nowhere) Route(netip.Addr) (sys.Route, error) {
	return sys.Route{}, errors.New("there is no route")
}

func (nowhere) RouteMarked(netip.Addr, uint32) (sys.Route, error) {
	return sys.Route{}, errors.New("there is no route")
}

func (nowhere) Routes() ([]sys.Hop, error) { return nil, nil }

// RulesText is the file of the rules.
func (r *Rig) RulesText() string { r.T.Helper(); return r.Text(filter.RulesPath) }

// ElementsText is the file of the sets.
func (r *Rig) ElementsText() string { r.T.Helper(); return r.Text(filter.ElementsPath) }

// Kernel is the table as nft lists it.
func (r *Rig) Kernel() string { r.T.Helper(); return r.Nft("list", "table", "inet", "gateway") }

// Nft runs nft as an operator would.
func (r *Rig) Nft(args ...string) string {
	r.T.Helper()
	var out sys.Result
	err := r.space.Do(func() (err error) {
		out, err = componenttest.ExecInRoot(r.T)(r.T.Context(), sys.Command{Path: "/usr/sbin/nft", Args: args, MaxOutput: 64 << 20})
		return err
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return string(out.Stdout)
}

// Made creates an Object and returns its id.
func (r *Rig) Made(path string, body Object) string {
	r.T.Helper()
	return r.Do("POST", path, body).Want(http.StatusCreated).ID()
}

// Address creates an address object.
func (r *Rig) Address(name, kind, value string) string {
	r.T.Helper()
	return r.Made("/firewall/address-objects", Object{"name": name, "kind": kind, "value": value})
}

// Iface creates an interface in a zone.
func (r *Rig) Iface(name, role string) string {
	r.T.Helper()
	return r.Network.Do("POST", "/network-interfaces", Object{"name": name, "type": "ethernet", "role": role}).Want(http.StatusCreated).ID()
}

// UplinkGroup stores a group of uplinks, past its own component.
func (r *Rig) UplinkGroup(name string, number int, family string) string {
	r.T.Helper()
	id := db.NewID()
	r.Restore(`insert into uplink_groups (id, revision, created_at, updated_at, name, number, family, is_default, description)
		values ($1, 1, now(), now(), $2, $3, $4, false, '')`, id, name, number, family)
	return id
}

// Builtin is the id of something that came with the product.
func (r *Rig) Builtin(path, name string) string {
	r.T.Helper()
	var all []struct{ ID, Name string }
	r.Do("GET", path+"?q="+url.QueryEscape(name), nil).Want(http.StatusOK).Into(&all)
	for _, o := range all {
		if o.Name == name {
			return o.ID
		}
	}
	r.T.Fatalf("there is no %s at %s", name, path)
	return ""
}

// FillGroup puts many addresses into a group, past the API: 10.0.0.1, 10.0.0.3 and so on.
func (r *Rig) FillGroup(group string, n int) {
	r.T.Helper()
	for done := 0; done < n; done += 10_000 { // one statement must not take too long
		r.Restore(`with o as (insert into firewall_address_objects (id, revision, created_at, updated_at, name, kind, value, description)
			select gen_random_uuid(), 1, now(), now(), 'h' || n, 'host', '10.' || n * 2 / 65536 || '.' || n * 2 / 256 % 256 || '.' || n * 2 % 256 + 1, ''
			from generate_series($2::int, least($2::int + 10000, $3::int) - 1) n returning id)
			insert into firewall_address_members (id, revision, created_at, updated_at, group_id, object_id)
			select gen_random_uuid(), 1, now(), now(), $1, id from o`, group, done, n)
	}
}

// FillRules stores many rules between a hundred pairs of zones.
func (r *Rig) FillRules(n int) {
	r.T.Helper()
	r.Restore(`insert into firewall_zones (id, revision, created_at, updated_at, name, description, builtin)
		select gen_random_uuid(), 1, now(), now(), 'z' || n, '', false from generate_series(0, 9) n`)
	r.Restore(`insert into network_interfaces (id, revision, created_at, updated_at, name, type, role, parent, members, description)
		select gen_random_uuid(), 1, now(), now(), 'eth' || n, 'ethernet', 'z' || n, '', '{}', '' from generate_series(0, 9) n`)
	r.Restore(`insert into firewall_rules (id, revision, created_at, updated_at, name, src_zone, src_kind, src_cidr, dst_zone, dst_kind, dst_cidr, service_object_id,
			action, log, priority, enabled, comment, note, labels)
		select gen_random_uuid(), 1, now(), now(), 'rule ' || n, 'z' || n % 10, 'cidr', '10.' || n / 256 || '.' || n % 256 || '.0/24', 'z' || n / 10 % 10, 'any', '',
			'00000000-0000-7000-8000-000000300102', 'accept', false, n, true, '', '', '{}' from generate_series(0, $1 - 1) n`, n)
}

// LineWith is the first rendered line that has all of the words.
func LineWith(text string, words ...string) string {
next:
	for l := range strings.Lines(text) {
		for _, w := range words {
			if !strings.Contains(l, w) {
				continue next
			}
		}
		return strings.TrimSpace(l)
	}
	return ""
}
