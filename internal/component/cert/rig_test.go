package cert

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/coder/websocket"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/api"
	"gateway/internal/audit"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/db/dbtest"
	"gateway/internal/dnsprovider/clients"
	"gateway/internal/fault"
	"gateway/internal/haproxy"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
	"gateway/lab/haproxytest"
)

// rig is the component behind the real edge and on a real database. Only what lies
// between two processes is short-cut, and the clock is the test's.
type rig struct {
	t         testing.TB
	p         *part
	part      component.Component
	edge      *api.Server
	api       http.Handler
	pool      *pgxpool.Pool
	box       *secret.Box
	setup     setupstate.State
	haproxy   *proxy // nil: there is none
	installed component.Rendering

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
	run.Manage(component.Set{Parts: []component.Component{r.part}, Unseal: r.box.Unseal}, func(string) change.Applied {
		if r.haproxy == nil {
			return change.Applied{State: "live"}
		}
		return r.sync()
	})
	r.edge = api.New(api.Options{
		Version: "1.2.3", Auth: accounts{}, Database: r, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
		Site: fstest.MapFS{"index.html": {}}, SetupDone: func() bool { return true },
	})
	r.part.Routes(r.edge.Router("cert"))
	r.api = r.edge.Handler()
	return r
}

func (r *rig) Up() bool { return true }

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

type accounts struct{}

func (accounts) Authenticate(_ context.Context, c api.Credential) (auth.Identity, error) {
	return auth.Identity{Email: "ann@example.com", Role: auth.Role(c.Bearer), SessionID: "s1"}, nil
}

func (accounts) Revocations() (<-chan struct{}, func()) { return nil, func() {} }

// answer is what came back from the API.
type answer struct {
	Status int
	Data   json.RawMessage
	Error  struct {
		Code, Message string
		Fields        []fault.Field
	}
	text string
}

// do calls an operation as an administrator.
func (r *rig) do(method, path string, body any) answer {
	r.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	req := httptest.NewRequest(method, api.Prefix+path, bytes.NewReader(text))
	if body == nil {
		req = httptest.NewRequest(method, api.Prefix+path, http.NoBody)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer admin")
	w := httptest.NewRecorder()
	r.api.ServeHTTP(w, req)
	a := answer{Status: w.Code, text: w.Body.String()}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		r.t.Fatalf("%s %s answered %q: %v", method, path, w.Body, err)
	}
	return a
}

// want fails the test when the status is another one.
func (a answer) want(t testing.TB, status int) answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("answered %d %s %+v, want %d", a.Status, a.Data, a.Error, status)
	}
	return a
}

func (a answer) into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.Data, v); err != nil {
		t.Fatal(err)
	}
}

// complaint is what the answer says about a field.
func (a answer) complaint(field string) string {
	i := slices.IndexFunc(a.Error.Fields, func(f fault.Field) bool { return f.Name == field })
	if i < 0 {
		return ""
	}
	return a.Error.Fields[i].Message
}

type object = map[string]any

// make stores a certificate.
func (r *rig) make(in object) Certificate {
	r.t.Helper()
	var c Certificate
	r.do("POST", "/certificates", in).want(r.t, http.StatusCreated).into(r.t, &c)
	return c
}

func (r *rig) get(id string) Certificate {
	r.t.Helper()
	var c Certificate
	r.do("GET", "/certificates/"+id, nil).want(r.t, http.StatusOK).into(r.t, &c)
	return c
}

func (r *rig) rendered() component.Rendering {
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
	r.haproxy.install(r.installed, now)
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
	h.put(Fallback, fallback.pem())
	r.haproxy = h
	r.p.HAProxy.Runtime, r.p.HAProxy.Master = h.Runtime, h.Master
	if came := r.sync(); came.State != "live" {
		r.t.Fatalf("the first round: %+v", came)
	}
	return h
}

func (h *proxy) put(path string, data []byte) {
	h.t.Helper()
	name := h.Path(path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// install writes files as the applier does, with its mark at their end.
func (h *proxy) install(old, now component.Rendering) {
	h.t.Helper()
	for _, f := range now.Files {
		if !bytes.Equal(old.File(f.Path), f.Data) {
			h.put(f.Path, append(slices.Clone(f.Data), "# gw-sha256 0123456789abcdef\n"...))
		}
	}
	for _, f := range old.Files {
		if now.File(f.Path) == nil {
			_ = os.Remove(h.Path(f.Path))
		}
	}
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
