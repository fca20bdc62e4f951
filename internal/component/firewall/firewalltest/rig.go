// Package firewalltest has the packet filter behind the real edge and on a real database, for
// the tests of package firewall and of the packages below it. It is imported by tests only.
package firewalltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/api/apitest"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/firewall"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/sys"
	"gateway/lab"
)

// Rig is the component and its daemon, with one reader of the policy as in a process of the product.
type Rig struct {
	*apitest.Caller
	DB     *pgxpool.Pool
	Policy *policy.Reader
	Daemon daemon.Daemon
	// Network has the interfaces, whose zones rules are about.
	Network *apitest.Caller
	Log     *bytes.Buffer
	// Installed is what the kernel was brought to last, of a live rig.
	Installed daemon.Rendering

	space *lab.Space // where the kernel's packet filter is, of a live rig
}

// Object is what a request carries.
type Object = apitest.Object

// Options are how a rig differs from a plain one.
type Options struct {
	// Network makes the component that has the interfaces. A component does not import
	// another one, but its tests may.
	Network func(pool db.Pool, run *change.Runner) component.Component
	// Live has every change by the API judged, and come back when the kernel of a network of
	// its own has it.
	Live bool
	// Needed is what other components need; nil for nothing.
	Needed func(ctx context.Context, q db.DB) (daemon.Needed, error)
	// Daemon makes the daemon; nil for filter.New.
	Daemon func(filter.Options) daemon.Daemon
}

// New returns a rig.
func New(t testing.TB, o Options) *Rig {
	t.Helper()
	r := &Rig{Log: &bytes.Buffer{}}
	r.DB = dbtest.New(t, change.Schema(), audit.Schema(), firewall.New(firewall.Options{}).Schema(), o.Network(nil, nil).Schema())
	tables, needed := daemon.NeedsOf(nil)
	if o.Needed != nil {
		needed = o.Needed
	}
	if o.Daemon == nil {
		o.Daemon = filter.New
	}
	log := slog.New(slog.NewTextHandler(r.Log, nil))
	r.Policy = policy.New(tables, needed)
	r.Daemon = o.Daemon(filter.Options{Policy: r.Policy, Exec: runDebian(t), Host: nowhere{}, Log: log})
	run := r.runner(o.Live)
	r.Caller = apitest.New(t, "firewall", firewall.New(firewall.Options{DB: r.DB, Run: run, Applier: r, Policy: r.Policy, Log: log}).Routes)
	r.Network = apitest.New(t, "network", o.Network(r.DB, run).Routes)
	if o.Live {
		r.space = lab.NewSpace(t)
		r.Sync()
	}
	return r
}

func (r *Rig) runner(live bool) *change.Runner {
	trail := audit.NewLog("node-1", time.Now)
	if !live {
		return change.NewRunner(r.DB, trail, time.Now, nil, nil)
	}
	return change.NewRunner(r.DB, trail, time.Now, daemon.Set{Configs: []daemon.Config{r.Daemon.Config}}, func(string) change.Applied { return r.Sync() })
}

// nowhere is a host without routes: nobody who asks can be cut off.
type nowhere struct{}

func (nowhere) Route(netip.Addr) (sys.Route, error) {
	return sys.Route{}, errors.New("there is no route")
}

func (nowhere) Routes() ([]sys.Hop, error) { return nil, nil }

// Sync does what the applier does: render, check, apply.
func (r *Rig) Sync() change.Applied {
	r.T.Helper()
	now := r.Rendered()
	if !r.Daemon.Plain(r.Installed, now) {
		r.T.Error("the files are not plain text")
	}
	if err := r.space.Do(func() error { return r.Daemon.Apply(r.T.Context(), r.Installed, now) }); err != nil {
		return change.Applied{State: "failed", Why: err.Error()}
	}
	r.Installed = now
	return change.Applied{State: "live"}
}

// Rendered is what the daemon makes of what is stored.
func (r *Rig) Rendered() daemon.Rendering {
	r.T.Helper()
	out, err := r.Daemon.Render(r.T.Context(), r.DB, nil)
	if err != nil {
		r.T.Fatal(err)
	}
	return out
}

// RulesText is the file of the rules.
func (r *Rig) RulesText() string { r.T.Helper(); return string(r.Rendered().File(filter.RulesPath)) }

// ElementsText is the file of the sets.
func (r *Rig) ElementsText() string {
	r.T.Helper()
	return string(r.Rendered().File(filter.ElementsPath))
}

// Kernel is the table as nft lists it.
func (r *Rig) Kernel() string { r.T.Helper(); return r.Nft("list", "table", "inet", "gateway") }

// Nft runs nft as an operator would.
func (r *Rig) Nft(args ...string) string {
	r.T.Helper()
	var out sys.Result
	err := r.space.Do(func() (err error) {
		out, err = runDebian(r.T)(r.T.Context(), sys.Command{Path: "/usr/sbin/nft", Args: args, MaxOutput: 64 << 20})
		return err
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return string(out.Stdout)
}

// runDebian runs programs of Debian 13.
func runDebian(t testing.TB) sys.Runner {
	return func(ctx context.Context, c sys.Command) (sys.Result, error) {
		argv := lab.InRoot(t, "", append([]string{c.Path}, c.Args...)...)
		c.Path, c.Args = "/usr/bin/"+argv[0], argv[1:]
		return sys.Run(ctx, c)
	}
}

// Ask is the way to gateway-apply, without the way.
func (r *Rig) Ask(ctx context.Context, component, verb string, in, out any) error {
	if component != r.Daemon.Name || in != nil {
		return fmt.Errorf("asked %s for %s with %v", component, verb, in)
	}
	var answer any
	err := r.space.Do(func() (err error) {
		answer, err = r.Daemon.Verbs[verb](ctx, nil)
		return err
	})
	if err != nil || out == nil {
		return err
	}
	b, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, out)
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

// Edit replaces some fields of an object.
func (r *Rig) Edit(path string, changes ...Object) apitest.Answer {
	r.T.Helper()
	var now Object
	r.Do("GET", path, nil).Want(http.StatusOK).Into(&now)
	for _, read := range []string{"id", "revision", "created_at", "updated_at", "builtin", "members", "member_count", "addresses", "warning"} {
		delete(now, read)
	}
	return r.Do("PUT", path, With(now, changes...))
}

// With is an object with other fields put over it.
func With(base Object, more ...Object) Object {
	out := Object{}
	for _, m := range append([]Object{base}, more...) {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// Restore writes past the API, the way a restore would.
func (r *Rig) Restore(sql string, args ...any) {
	r.T.Helper()
	ctx := r.T.Context()
	err := pgx.BeginFunc(ctx, r.DB, func(tx pgx.Tx) error {
		id := db.NewID()
		var b pgx.Batch
		b.Queue(`insert into changes (id, component, action, subject, actor, created_at) values ($1, 'firewall', 'test', '', 'test', now())`, id)
		b.Queue(`select set_config('gateway.change_id', $1, true)`, id)
		b.Queue(sql, args...)
		return tx.SendBatch(ctx, &b).Close()
	})
	if err != nil {
		r.T.Fatal(err)
	}
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
