package cert

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/api/apitest"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/daemon"
	"gateway/internal/db/dbtest"
	"gateway/internal/dnsprovider/clients"
	"gateway/internal/haproxy"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
	"gateway/lab/haproxytest"
)

// rig is the component behind the real edge and on a real database. Only what lies
// between two processes is short-cut, and the clock is the test's.
type rig struct {
	*apitest.Caller
	t         testing.TB
	p         *part
	part      component.Component
	pool      *pgxpool.Pool
	box       *secret.Box
	setup     setupstate.State
	haproxy   *proxy // nil: there is none
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
	run := change.NewRunner(r.pool, audit.NewLog("node-1", r.now), r.now)
	r.p = newPart(Options{
		DB: r.pool, Run: run, Box: r.box, Setup: r, HAProxy: haproxy.NewDaemon(r), Now: r.now, Log: slog.New(slog.DiscardHandler), Alert: r.alert, Providers: clients.Open,
	})
	r.part = r.p.component()
	// A change of rows comes back when it is installed, as it does on a node.
	run.Manage(daemon.Set{Parts: []component.Component{r.part}, Unseal: r.box.Unseal}, func(string) change.Applied {
		if r.haproxy == nil {
			return change.Applied{State: "live"}
		}
		return r.sync()
	})
	r.Caller = apitest.New(t, "cert", r.part.Routes)
	return r
}

func (r *rig) Load() (setupstate.State, error) { return r.setup, nil }

// Start is asked for when HAProxy is down.
func (r *rig) Start(_ context.Context, unit string) error {
	if unit != Unit {
		return fmt.Errorf("asked to start %s", unit)
	}
	if r.haproxy != nil {
		r.haproxy.start()
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
	out, err := r.part.Render(r.t.Context(), r.pool, r.box.Unseal)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// sync does what the applier does: render, check, install, apply.
func (r *rig) sync() change.Applied {
	r.t.Helper()
	now := r.rendered()
	if len(r.installed.Files) == 0 || !r.part.Unchecked(r.installed, now) {
		dir := r.t.TempDir()
		if err := now.Stage(dir); err != nil {
			r.t.Fatal(err)
		}
		if err := r.part.Check(r.t.Context(), dir); err != nil {
			return change.Applied{State: "failed", Why: err.Error()}
		}
	}
	r.haproxy.Install(r.installed, now)
	if err := r.part.Apply(r.t.Context(), r.installed, now); err != nil {
		return change.Applied{State: "failed", Why: err.Error()}
	}
	r.installed = now
	return change.Applied{State: "live"}
}

// proxy is a real HAProxy that sees our files at their own paths.
type proxy struct {
	*haproxytest.Daemon
	t testing.TB
}

const proxyConfig = `
defaults
	mode http
	timeout connect 2s
	timeout client 10m
	timeout server 10m
	timeout tunnel 1h
frontend web
	bind unix@%[1]s/web ssl crt-list %[2]s alpn http/1.1
	use_backend echo if { hdr(upgrade) -i websocket }
	http-request return status 200 content-type text/plain string "served" unless { hdr(upgrade) -m found }
backend echo
	server one %[3]s
`

// withProxy starts HAProxy on the fallback and what else there is.
func (r *rig) withProxy() *proxy {
	r.t.Helper()
	h := &proxy{Daemon: haproxytest.New(r.t), t: r.t}
	fallback, err := selfSigned([]string{"gateway.invalid"}, ecdsaP256, time.Now())
	if err != nil {
		r.t.Fatal(err)
	}
	h.Put(Fallback, fallback.pem())
	r.haproxy = h
	r.p.HAProxy.Runtime, r.p.HAProxy.Master = h.Runtime, h.Master
	if came := r.sync(); came.State != "live" {
		r.t.Fatalf("the first round: %+v", came)
	}
	return h
}

// start runs HAProxy, which sees the files of the test below /etc/gateway.
func (h *proxy) start() {
	h.t.Helper()
	h.Start(fmt.Sprintf(proxyConfig, h.Dir, ListPath, newEcho(h.t)))
}

// serves is the serial that a client sees who asks for a name.
func (h *proxy) serves(name string) string {
	h.t.Helper()
	conn := tls.Client(h.Dial("web"), &tls.Config{ServerName: name, InsecureSkipVerify: true})
	defer conn.Close()
	if err := conn.HandshakeContext(h.t.Context()); err != nil {
		h.t.Fatalf("handshake for %s: %v", name, err)
	}
	return serial(conn.ConnectionState().PeerCertificates[0])
}

// newEcho is a server whose WebSockets send back what they get.
func newEcho(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		for err == nil {
			var kind websocket.MessageType
			var data []byte
			if kind, data, err = conn.Read(r.Context()); err == nil {
				err = conn.Write(r.Context(), kind, data)
			}
		}
	}))
	t.Cleanup(s.CloseClientConnections)
	return s.Listener.Addr().String()
}
