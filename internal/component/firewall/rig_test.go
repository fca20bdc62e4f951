package firewall

import (
	"context"
	"encoding/json"
	"fmt"
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
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
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
}

type object = apitest.Object

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, db: dbtest.New(t, change.Schema(), audit.Schema(), New(Options{}).Schema(), network.New(network.Options{}).Schema())}
	run := change.NewRunner(r.db, audit.NewLog("node-1", time.Now), time.Now)
	r.p = newPart(Options{DB: r.db, Run: run, Applier: r})
	r.part = r.p.component()
	r.Caller = apitest.New(t, "firewall", r.part.Routes)
	r.network = apitest.New(t, "network", network.New(network.Options{DB: r.db, Run: run}).Routes)
	return r
}

// Ask is the way to gateway-apply, without the way.
func (r *rig) Ask(ctx context.Context, part, verb string, in, out any) error {
	if part != r.part.Name || in != nil {
		return fmt.Errorf("asked %s for %s with %v", part, verb, in)
	}
	answer, err := r.part.Verbs[verb](ctx, nil)
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
