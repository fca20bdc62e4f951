package cert

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/api/apitest"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component/cert/certtest"
	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/daemon"
	"gateway/internal/db/dbtest"
	"gateway/internal/dnsprovider/clients"
	"gateway/internal/haproxy"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
)

// rig is the component behind the real edge and on a real database. Only what lies
// between two processes is short-cut, and the clock is the test's.
type rig struct {
	*apitest.Caller
	t         testing.TB
	s         *service
	proxied   *haproxy.Daemon
	daemon    daemon.Daemon
	pool      *pgxpool.Pool
	box       *secret.Box
	setup     setupstate.State
	haproxy   *certtest.Proxy // nil: there is none
	installed daemon.Rendering

	mu     sync.Mutex
	ahead  time.Duration // of the real clock
	alerts []Alert
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t}
	var err error
	if r.box, err = secret.NewBox(bytes.Repeat([]byte{7}, 32)); err != nil {
		t.Fatal(err)
	}
	r.setup = setupstate.Default()
	r.pool = dbtest.New(t, change.Schema(), audit.Schema(), New(Options{}).Schema())
	log := slog.New(slog.DiscardHandler)
	r.proxied = haproxy.NewDaemon(r)
	r.daemon = pemfiles.New(pemfiles.Options{HAProxy: r.proxied, Log: log})
	daemons := daemon.Set{Configs: []daemon.Config{r.daemon.Config}, Unseal: r.box.Unseal}
	// A change of rows comes back when it is installed, as it does on a node.
	run := change.NewRunner(r.pool, audit.NewLog("node-1", r.now), r.now, daemons, func(string) change.Applied {
		if r.haproxy == nil {
			return change.Applied{State: "live"}
		}
		return r.sync()
	})
	r.s = newService(Options{DB: r.pool, Run: run, Box: r.box, Setup: r, Now: r.now, Log: log, Alert: r.alert, Providers: clients.Open})
	r.Caller = apitest.New(t, "cert", r.s.component().Routes)
	return r
}

func (r *rig) Load() (setupstate.State, error) { return r.setup, nil }

// Start is asked for when HAProxy is down.
func (r *rig) Start(_ context.Context, unit string) error {
	if unit != haproxy.Unit {
		return fmt.Errorf("asked to start %s", unit)
	}
	if r.haproxy != nil {
		r.haproxy.Serve()
	}
	return nil
}

func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Add(r.ahead)
}

// pass lets time go by.
func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ahead += d
}

func (r *rig) alert(_ context.Context, a Alert) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alerts = append(r.alerts, a)
}

func (r *rig) alerted() []Alert {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.alerts)
}

type object = apitest.Object

// make stores a certificate.
func (r *rig) make(in object) Certificate {
	r.t.Helper()
	var c Certificate
	r.Do("POST", "/certificates", in).Want(http.StatusCreated).Into(&c)
	return c
}

func (r *rig) get(id string) Certificate {
	r.t.Helper()
	var c Certificate
	r.Do("GET", "/certificates/"+id, nil).Want(http.StatusOK).Into(&c)
	return c
}

func (r *rig) rendered() daemon.Rendering {
	r.t.Helper()
	out, err := r.daemon.Render(r.t.Context(), r.pool, r.box.Unseal)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// sync does what the applier does: render, check, install, apply.
func (r *rig) sync() change.Applied {
	r.t.Helper()
	now := r.rendered()
	if len(r.installed.Files) == 0 || !r.daemon.Plain(r.installed, now) {
		dir := r.t.TempDir()
		if err := now.Stage(dir); err != nil {
			r.t.Fatal(err)
		}
		if err := r.daemon.Check(r.t.Context(), dir); err != nil {
			return change.Applied{State: "failed", Why: err.Error()}
		}
	}
	r.haproxy.Install(r.installed, now)
	if err := r.daemon.Apply(r.t.Context(), r.installed, now); err != nil {
		return change.Applied{State: "failed", Why: err.Error()}
	}
	r.installed = now
	return change.Applied{State: "live"}
}

// withProxy starts HAProxy on the fallback and what else there is.
func (r *rig) withProxy() *certtest.Proxy {
	r.t.Helper()
	h := certtest.New(r.t, pemfiles.ListPath)
	fallback, err := selfSigned([]string{"gateway.invalid"}, ecdsaP256, time.Now())
	if err != nil {
		r.t.Fatal(err)
	}
	h.Put(pemfiles.Fallback, fallback.PEM())
	r.haproxy = h
	r.proxied.Runtime, r.proxied.Master = h.Runtime, h.Master
	if came := r.sync(); came.State != "live" {
		r.t.Fatalf("the first round: %+v", came)
	}
	return h
}
