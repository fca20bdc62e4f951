// Package dnstest puts the API of the resolver, a real database and a real unbound together,
// for tests of what lies between. It names neither package dns nor package unbound, so that
// the tests of both can use it. It is imported by tests only.
package dnstest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	mdns "github.com/miekg/dns"

	"gateway/internal/api/apitest"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/sys"
)

// Setup is how the two sides are made.
type Setup struct {
	API    func(r *Rig, run *change.Runner) component.Component
	Daemon func(u *Unbound, exec sys.Runner) daemon.Daemon
	Schema db.Schema
	// Print is how a record's value is shown.
	Print func(mdns.RR) string
}

// Rig is the component behind the real edge and on a real database, with a real unbound
// at its other end. Only what lies between two processes is short-cut.
type Rig struct {
	*apitest.Caller
	Daemon    daemon.Daemon
	Pool      *pgxpool.Pool
	Unbound   *Unbound
	Installed daemon.Rendering
}

// New starts all but unbound, which the first Sync starts. extra are further lines of its
// configuration.
func New(t testing.TB, extra string, s Setup) *Rig {
	t.Helper()
	r := &Rig{Unbound: newUnbound(t, extra, s.Print), Pool: dbtest.New(t, change.Schema(), audit.Schema(), s.Schema)}
	r.Daemon = s.Daemon(r.Unbound, Run(t))
	run := change.NewRunner(r.Pool, audit.NewLog("node-1", time.Now), time.Now, nil, nil)
	r.Caller = apitest.New(t, r.Daemon.Name, s.API(r, run).Routes)
	return r
}

// Ask is the way to gateway-apply, without the way.
func (r *Rig) Ask(ctx context.Context, name, verb string, in, out any) error {
	if name != r.Daemon.Name || in != nil {
		return fmt.Errorf("asked %s for %s with %v", name, verb, in)
	}
	answer, err := r.Daemon.Verbs[verb](ctx, nil)
	if err != nil || out == nil {
		return err
	}
	b, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, out)
}

// Object is what a request carries.
type Object = apitest.Object

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
func (r *Rig) Settings(change Object) apitest.Answer {
	r.T.Helper()
	var now Object
	if err := json.Unmarshal(r.Do("GET", "/dns/settings", nil).Want(http.StatusOK).Data, &now); err != nil {
		r.T.Fatal(err)
	}
	for _, meta := range []string{"id", "revision", "created_at", "updated_at"} {
		delete(now, meta)
	}
	for k, v := range change {
		now[k] = v
	}
	return r.Do("PUT", "/dns/settings", now)
}

// Rendered is the file as it would be now.
func (r *Rig) Rendered() daemon.Rendering {
	r.T.Helper()
	out, err := r.Daemon.Render(r.T.Context(), r.Pool, nil)
	if err != nil {
		r.T.Fatal(err)
	}
	return out
}

// Sync does what the applier does: render, check, install, apply.
func (r *Rig) Sync() {
	r.T.Helper()
	now := r.Rendered()
	for _, p := range now.Problems {
		r.T.Errorf("left out: %+v", p)
	}
	if len(r.Installed.Files) == 0 || !r.Daemon.Plain(r.Installed, now) {
		if err := Check(r.T, r.Daemon.Config, now); err != nil {
			r.T.Fatal(err)
		}
	}
	if err := r.install(now); err != nil {
		r.T.Fatal(err)
	}
}

func (r *Rig) install(now daemon.Rendering) error {
	r.Unbound.Write(string(now.Files[0].Data) + "# gw-sha256 0123456789abcdef\n")
	err := r.Daemon.Apply(r.T.Context(), r.Installed, now)
	r.Installed = now
	return err
}

// Check has unbound judge what was rendered.
func Check(t testing.TB, c daemon.Config, now daemon.Rendering) error {
	t.Helper()
	dir, err := os.MkdirTemp("", "staged")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := now.Stage(dir); err != nil {
		t.Fatal(err)
	}
	return c.Check(t.Context(), dir)
}

// Text is the rendered file.
func (r *Rig) Text() string {
	r.T.Helper()
	return string(r.Rendered().Files[0].Data)
}

// Actions is the audit log as "action subject", oldest first.
func (r *Rig) Actions() []string {
	r.T.Helper()
	entries, err := audit.Recent(r.T.Context(), r.Pool, 100)
	if err != nil {
		r.T.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Action+" "+e.Subject)
	}
	slices.Reverse(out)
	return out
}

// Fill stores records past the API, the way a restore would: h0 to h(n-1), each with an address.
func (r *Rig) Fill(zone, name string, n int) {
	r.T.Helper()
	ctx := r.T.Context()
	err := pgx.BeginFunc(ctx, r.Pool, func(tx pgx.Tx) error {
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
		r.T.Fatal(err)
	}
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
