package pemfiles

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component/cert/certtest"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/haproxy"
	"gateway/internal/secret"
)

// Schema is what package cert stores, which imports this one: TestMain, outside of the
// package, sets it.
var Schema db.Schema

// rig is the daemon's side on a real database, with a real HAProxy at its other end. Rows are
// written past the API.
type rig struct {
	t         testing.TB
	adapter   *adapter
	daemon    daemon.Daemon
	pool      *pgxpool.Pool
	box       *secret.Box
	haproxy   *certtest.Proxy
	installed daemon.Rendering
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, pool: dbtest.New(t, change.Schema(), audit.Schema(), Schema), haproxy: certtest.New(t, ListPath)}
	var err error
	if r.box, err = secret.NewBox(bytes.Repeat([]byte{7}, 32)); err != nil {
		t.Fatal(err)
	}
	proxied := haproxy.NewDaemon(r)
	proxied.Runtime, proxied.Master = r.haproxy.Runtime, r.haproxy.Master
	r.adapter = &adapter{Options{HAProxy: proxied, Log: slog.New(slog.DiscardHandler)}}
	r.daemon = r.adapter.daemon()
	return r
}

// Start is asked for when HAProxy is down.
func (r *rig) Start(_ context.Context, unit string) error {
	if unit != haproxy.Unit {
		return fmt.Errorf("asked to start %s", unit)
	}
	r.haproxy.Serve()
	return nil
}

func (r *rig) rendered() daemon.Rendering {
	r.t.Helper()
	out, err := r.daemon.Render(r.t.Context(), r.pool, r.box.Unseal)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// serve starts HAProxy on the fallback and what is stored: checked, installed and applied.
func (r *rig) serve() {
	r.t.Helper()
	r.haproxy.Put(Fallback, selfSigned(r.t, "gateway.invalid").PEM())
	now, dir := r.rendered(), r.t.TempDir()
	if err := now.Stage(dir); err != nil {
		r.t.Fatal(err)
	}
	if err := r.daemon.Check(r.t.Context(), dir); err != nil {
		r.t.Fatal(err)
	}
	r.haproxy.Install(r.installed, now)
	if err := r.daemon.Apply(r.t.Context(), r.installed, now); err != nil {
		r.t.Fatal(err)
	}
	r.installed = now
}
