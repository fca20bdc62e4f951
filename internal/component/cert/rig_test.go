package cert

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/internal/component"
	"gateway/internal/component/cert/certtest"
	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/dnsprovider/clients"
	"gateway/internal/haproxy"
	"gateway/internal/setupstate"
)

// rig is the component whose files HAProxy reads, where there is one. The clock is the test's.
type rig struct {
	*componenttest.Rig
	s       *service
	proxied *haproxy.Daemon
	setup   setupstate.State
	haproxy *certtest.Proxy // nil: there is none
	refuse  error           // of HAProxy, to serve what is installed

	mu     sync.Mutex
	ahead  time.Duration // of the real clock
	alerts []Alert
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{setup: setupstate.Default()}
	r.Rig = componenttest.New(t, componenttest.Setup{
		Live: true, Now: r.now, Folders: []string{"/etc/gateway/haproxy/certs"},
		Component: func(c *componenttest.Rig) component.Component {
			r.s = newService(Options{DB: c.Pool, Run: c.Run, Box: c.Box, Applier: c, Setup: r, Now: r.now, Log: slog.New(slog.DiscardHandler), Alert: r.alert, Providers: clients.Opener(func() ([]netip.Addr, error) { return nil, nil })})
			return r.s.component()
		},
		Daemon: func(c *componenttest.Rig) daemon.Daemon {
			r.proxied = haproxy.NewDaemon(c.Units)
			d := pemfiles.New(pemfiles.Options{HAProxy: r.proxied, Log: slog.New(slog.DiscardHandler)})
			apply := d.Apply
			d.Apply = func(ctx context.Context, old, now daemon.Rendering) error {
				if r.haproxy == nil || r.refuse != nil {
					return r.refuse
				}
				return apply(ctx, old, now)
			}
			return d
		},
	})
	return r
}

func (r *rig) Load() (setupstate.State, error) { return r.setup, nil }

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
	r.T.Helper()
	var c Certificate
	r.Do("POST", "/certificates", in).Want(http.StatusCreated).Into(&c)
	return c
}

func (r *rig) get(id string) Certificate {
	r.T.Helper()
	var c Certificate
	r.Do("GET", "/certificates/"+id, nil).Want(http.StatusOK).Into(&c)
	return c
}

// withProxy starts HAProxy on the fallback and what else there is.
func (r *rig) withProxy() *certtest.Proxy {
	r.T.Helper()
	h := certtest.New(r.T, r.Root, pemfiles.ListPath)
	fallback, err := selfSigned([]string{"gateway.invalid"}, ecdsaP256, time.Now())
	if err != nil {
		r.T.Fatal(err)
	}
	h.Put(pemfiles.Fallback, fallback.PEM())
	r.MustSync()
	h.Serve()
	r.haproxy, r.proxied.Runtime, r.proxied.Master = h, h.Runtime, h.Master
	r.Units.Act = func(context.Context, string, string) error { h.Serve(); return nil } // asked for when HAProxy is down
	return h
}
