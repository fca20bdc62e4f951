package firewall

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/api/apitest"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/network"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/sys"
	"gateway/lab"
)

// rig is the component behind the real edge and on a real database.
type rig struct {
	*apitest.Caller
	t    testing.TB
	p    *part
	part component.Component
	db   *pgxpool.Pool
	// network has the interfaces, whose zones rules are about.
	network *apitest.Caller
	log     *bytes.Buffer

	space     *lab.Space // where the kernel's packet filter is, once live
	installed daemon.Rendering
}

type object = apitest.Object

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, log: &bytes.Buffer{}, db: dbtest.New(t, change.Schema(), audit.Schema(), New(Options{}).Schema(), network.New(network.Options{}).Schema())}
	run := change.NewRunner(r.db, audit.NewLog("node-1", time.Now), time.Now)
	r.p = newPart(Options{DB: r.db, Run: run, Applier: r, Exec: runDebian(t), Log: slog.New(slog.NewTextHandler(r.log, nil))})
	r.part = r.p.component()
	r.Caller = apitest.New(t, "firewall", r.part.Routes)
	r.network = apitest.New(t, "network", network.New(network.Options{DB: r.db, Run: run}).Routes)
	return r
}

// live has every change by the API come back when the kernel of a network of its own has it.
func (r *rig) live() *rig {
	r.t.Helper()
	r.space = lab.NewSpace(r.t)
	r.sync()
	r.p.Run.Manage(daemon.Set{Parts: []component.Component{r.part}}, func(string) change.Applied { return r.sync() })
	return r
}

// sync does what the applier does: render, check, apply.
func (r *rig) sync() change.Applied {
	r.t.Helper()
	now := r.rendered()
	if !r.part.Unchecked(r.installed, now) {
		r.t.Error("the files are not plain text")
	}
	if err := r.space.Do(func() error { return r.part.Apply(r.t.Context(), r.installed, now) }); err != nil {
		return change.Applied{State: "failed", Why: err.Error()}
	}
	r.installed = now
	return change.Applied{State: "live"}
}

func (r *rig) rendered() daemon.Rendering {
	r.t.Helper()
	out, err := r.part.Render(r.t.Context(), r.db, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *rig) rulesText() string { r.t.Helper(); return string(r.rendered().File(RulesPath)) }

func (r *rig) elementsText() string { r.t.Helper(); return string(r.rendered().File(ElementsPath)) }

// kernel is the table as nft lists it.
func (r *rig) kernel() string { r.t.Helper(); return r.nft("list", "table", "inet", "gateway") }

// nft runs nft as an operator would.
func (r *rig) nft(args ...string) string {
	r.t.Helper()
	var out sys.Result
	err := r.space.Do(func() (err error) {
		out, err = r.p.Exec(r.t.Context(), sys.Command{Path: "/usr/sbin/nft", Args: args, MaxOutput: 64 << 20})
		return err
	})
	if err != nil {
		r.t.Fatal(err)
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
func (r *rig) Ask(ctx context.Context, part, verb string, in, out any) error {
	if part != r.part.Name || in != nil {
		return fmt.Errorf("asked %s for %s with %v", part, verb, in)
	}
	var answer any
	err := r.space.Do(func() (err error) {
		answer, err = r.part.Verbs[verb](ctx, nil)
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

// made creates an object and returns its id.
func (r *rig) made(path string, body object) string {
	r.t.Helper()
	return r.Do("POST", path, body).Want(http.StatusCreated).ID()
}

func (r *rig) address(name, kind, value string) string {
	r.t.Helper()
	return r.made("/firewall/address-objects", object{"name": name, "kind": kind, "value": value})
}

func (r *rig) iface(name, role string) string {
	r.t.Helper()
	return r.network.Do("POST", "/network-interfaces", object{"name": name, "type": "ethernet", "role": role}).Want(http.StatusCreated).ID()
}

// builtin is the id of something that came with the product.
func (r *rig) builtin(path, name string) string {
	r.t.Helper()
	var all []struct{ ID, Name string }
	r.Do("GET", path+"?q="+url.QueryEscape(name), nil).Want(http.StatusOK).Into(&all)
	for _, o := range all {
		if o.Name == name {
			return o.ID
		}
	}
	r.t.Fatalf("there is no %s at %s", name, path)
	return ""
}

// edit replaces some fields of an object.
func (r *rig) edit(path string, changes ...object) apitest.Answer {
	r.t.Helper()
	var now object
	r.Do("GET", path, nil).Want(http.StatusOK).Into(&now)
	for _, read := range []string{"id", "revision", "created_at", "updated_at", "builtin", "members", "member_count", "addresses", "warning"} {
		delete(now, read)
	}
	return r.Do("PUT", path, with(now, changes...))
}

func with(base object, more ...object) object {
	out := object{}
	for _, m := range append([]object{base}, more...) {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// restore writes past the API, the way a restore would.
func (r *rig) restore(sql string, args ...any) {
	r.t.Helper()
	ctx := r.t.Context()
	err := pgx.BeginFunc(ctx, r.db, func(tx pgx.Tx) error {
		id := db.NewID()
		var b pgx.Batch
		b.Queue(`insert into changes (id, component, action, subject, actor, created_at) values ($1, 'firewall', 'test', '', 'test', now())`, id)
		b.Queue(`select set_config('gateway.change_id', $1, true)`, id)
		b.Queue(sql, args...)
		return tx.SendBatch(ctx, &b).Close()
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// fill puts many addresses into a group, past the API: 10.0.0.1, 10.0.0.3 and so on.
func (r *rig) fill(group string, n int) {
	r.t.Helper()
	for done := 0; done < n; done += 10_000 { // one statement must not take too long
		r.restore(`with o as (insert into firewall_address_objects (id, revision, created_at, updated_at, name, kind, value, description)
			select gen_random_uuid(), 1, now(), now(), 'h' || n, 'host', '10.' || n * 2 / 65536 || '.' || n * 2 / 256 % 256 || '.' || n * 2 % 256 + 1, ''
			from generate_series($2::int, least($2::int + 10000, $3::int) - 1) n returning id)
			insert into firewall_address_members (id, revision, created_at, updated_at, group_id, object_id)
			select gen_random_uuid(), 1, now(), now(), $1, id from o`, group, done, n)
	}
}

// crowd stores many rules between a hundred pairs of zones.
func (r *rig) crowd(n int) {
	r.t.Helper()
	r.restore(`insert into firewall_zones (id, revision, created_at, updated_at, name, description, builtin)
		select gen_random_uuid(), 1, now(), now(), 'z' || n, '', false from generate_series(0, 9) n`)
	r.restore(`insert into network_interfaces (id, revision, created_at, updated_at, name, type, role, parent, members, description)
		select gen_random_uuid(), 1, now(), now(), 'eth' || n, 'ethernet', 'z' || n, '', '{}', '' from generate_series(0, 9) n`)
	r.restore(`insert into firewall_rules (id, revision, created_at, updated_at, name, src_zone, src_kind, src_cidr, dst_zone, dst_kind, dst_cidr, service_object_id,
			action, log, priority, enabled, comment, note, labels)
		select gen_random_uuid(), 1, now(), now(), 'rule ' || n, 'z' || n % 10, 'cidr', '10.' || n / 256 || '.' || n % 256 || '.0/24', 'z' || n / 10 % 10, 'any', '',
			'00000000-0000-7000-8000-000000300102', 'accept', false, n, true, '', '', '{}' from generate_series(0, $1 - 1) n`, n)
}
