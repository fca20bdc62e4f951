package dns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/api/apitest"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
)

// rig is the component behind the real edge and on a real database, with a real unbound
// at its other end. Only what lies between two processes is short-cut.
type rig struct {
	*apitest.Caller
	t         testing.TB
	p         *part
	part      component.Component
	pool      *pgxpool.Pool
	unbound   *daemon
	installed daemon.Rendering
}

// newRig starts all but unbound, which the first sync starts.
func newRig(t testing.TB, extra string) *rig {
	t.Helper()
	r := &rig{t: t, unbound: newDaemon(t, extra)}
	blueprint := New(Options{})
	r.pool = dbtest.New(t, change.Schema(), audit.Schema(), blueprint.Schema())
	r.p = newPart(Options{
		DB: r.pool, Run: change.NewRunner(r.pool, audit.NewLog("node-1", time.Now), time.Now),
		Applier: r, Units: r.unbound, Exec: runDebian(t), Socket: r.unbound.client.Path,
	})
	r.part = r.p.component()
	r.Caller = apitest.New(t, "dns", r.part.Routes)
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

type object = apitest.Object

func (r *rig) zone(name string, forwardTo ...string) string {
	r.t.Helper()
	return r.Do("POST", "/dns/zones", object{"name": name, "forward_to": append([]string{}, forwardTo...)}).Want(http.StatusCreated).ID()
}

func (r *rig) record(zone, name, typ, value string) string {
	r.t.Helper()
	return r.Do("POST", "/dns/records", object{"zone_id": zone, "name": name, "type": typ, "value": value}).Want(http.StatusCreated).ID()
}

// settings replaces some of the settings.
func (r *rig) settings(change object) apitest.Answer {
	r.t.Helper()
	var now object
	if err := json.Unmarshal(r.Do("GET", "/dns/settings", nil).Want(http.StatusOK).Data, &now); err != nil {
		r.t.Fatal(err)
	}
	for _, meta := range []string{"id", "revision", "created_at", "updated_at"} {
		delete(now, meta)
	}
	for k, v := range change {
		now[k] = v
	}
	return r.Do("PUT", "/dns/settings", now)
}

// rendered is the file as it would be now.
func (r *rig) rendered() daemon.Rendering {
	r.t.Helper()
	out, err := r.part.Render(r.t.Context(), r.pool, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// sync does what the applier does: render, check, install, apply.
func (r *rig) sync() {
	r.t.Helper()
	now := r.rendered()
	for _, p := range now.Problems {
		r.t.Errorf("left out: %+v", p)
	}
	if len(r.installed.Files) == 0 || !r.part.Unchecked(r.installed, now) {
		if err := checkRendering(r.t, r.part, now); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := r.install(now); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) install(now daemon.Rendering) error {
	r.unbound.write(r.unbound.file(), string(now.File(Path))+"# gw-sha256 0123456789abcdef\n")
	err := r.part.Apply(r.t.Context(), r.installed, now)
	r.installed = now
	return err
}

func checkRendering(t testing.TB, part component.Component, now daemon.Rendering) error {
	t.Helper()
	dir, err := os.MkdirTemp("", "staged")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := errors.Join(os.MkdirAll(filepath.Dir(dir+Path), 0o700), os.WriteFile(dir+Path, now.File(Path), 0o600)); err != nil {
		t.Fatal(err)
	}
	return part.Check(t.Context(), dir)
}

// text is the rendered file.
func (r *rig) text() string {
	r.t.Helper()
	return string(r.rendered().File(Path))
}

// actions is the audit log as "action subject", oldest first.
func (r *rig) actions() []string {
	r.t.Helper()
	entries, err := audit.Recent(r.t.Context(), r.pool, 100)
	if err != nil {
		r.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Action+" "+e.Subject)
	}
	slices.Reverse(out)
	return out
}

// fill stores records past the API, the way a restore would: h0 to h(n-1), each with an address.
func (r *rig) fill(zone, name string, n int) {
	r.t.Helper()
	ctx := r.t.Context()
	err := pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		id := db.NewID()
		var b pgx.Batch
		b.Queue(`insert into changes (id, component, action, subject, actor, created_at) values ($1, 'dns', 'test', '', 'test', now())`, id)
		b.Queue(`select set_config('gateway.change_id', $1, true)`, id)
		b.Queue(`insert into dns_records (id, revision, created_at, updated_at, zone_id, name, type, value, ttl, fqdn)
			select gen_random_uuid(), 1, now(), now(), $1, 'h' || n, 'A', '10.' || n / 65536 || '.' || n / 256 % 256 || '.' || n % 256, 3600, 'h' || n || '.' || $2::text || '.'
			from generate_series(0, $3 - 1) n`, zone, name, n)
		return tx.SendBatch(ctx, &b).Close()
	})
	if err != nil {
		r.t.Fatal(err)
	}
}
