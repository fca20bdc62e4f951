package ntp

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/api"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/daemon"
	"gateway/internal/db/dbtest"
	"gateway/internal/fault"
	"gateway/internal/identity"
)

// gateway is the component behind the real edge, on a real database.
type gateway struct {
	t      *testing.T
	api    http.Handler
	pool   *pgxpool.Pool
	daemon daemon.Daemon
}

// accounts lets a token be the name of its role.
type accounts struct{}

func (accounts) Authenticate(_ context.Context, c api.Credential) (identity.Identity, error) {
	return identity.Identity{UserID: "1", Email: c.Bearer + "@example.com", Role: identity.Role(c.Bearer)}, nil
}

func (accounts) Revocations() (<-chan struct{}, func()) { return nil, func() {} }

type up struct{}

func (up) Up() bool { return true }

// newGateway takes what the options are to have beside a database.
func newGateway(t *testing.T, o Options) *gateway {
	t.Helper()
	schema := New(Options{}).Schema()
	g := &gateway{t: t, daemon: chrony.New(chrony.Options{}), pool: dbtest.New(t, change.Schema(), audit.Schema(), schema)}
	o.DB, o.Run, o.Now = g.pool, change.NewRunner(g.pool, audit.NewLog("node-1", time.Now), time.Now, nil, nil), time.Now
	edge := api.New(api.Options{
		Version: "1.2.3", Auth: accounts{}, Database: up{}, SetupDone: func() bool { return true },
		Site: fstest.MapFS{"index.html": {}}, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	})
	New(o).Routes(edge.Router(chrony.Name))
	g.api = edge.Handler()
	return g
}

// reply is an answer of the API.
type reply struct {
	status int
	Data   json.RawMessage
	Error  *api.Error
}

func (g *gateway) call(role, method, path string, body any) reply {
	g.t.Helper()
	var payload bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&payload).Encode(body); err != nil {
			g.t.Fatal(err)
		}
	}
	req := httptest.NewRequestWithContext(g.t.Context(), method, api.Prefix+path, &payload)
	req.Header.Set("Authorization", "Bearer "+role)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	g.api.ServeHTTP(w, req)
	r := reply{status: w.Code}
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil {
		g.t.Fatalf("%s %s = %d %s", method, path, w.Code, w.Body)
	}
	return r
}

func (g *gateway) admin(method, path string, body any, want int) reply {
	g.t.Helper()
	r := g.call("admin", method, path, body)
	if r.status != want {
		g.t.Fatalf("%s %s = %d %+v, want %d", method, path, r.status, r.Error, want)
	}
	return r
}

func data[T any](t *testing.T, r reply) T {
	t.Helper()
	var v T
	d := json.NewDecoder(bytes.NewReader(r.Data))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, r.Data)
	}
	return v
}

// fields are the names of the fields that a refusal complains about.
func (r reply) fields() string {
	var out []string
	for _, f := range r.Error.Fields {
		out = append(out, f.Name)
	}
	return strings.Join(out, " ")
}

// actions are the audited ones with their subjects, oldest first.
func (g *gateway) actions() []string {
	g.t.Helper()
	entries, err := audit.Recent(g.t.Context(), g.pool, 100)
	if err != nil {
		g.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append([]string{e.Actor + " " + e.Action + " " + e.Subject}, out...)
	}
	return out
}

func (g *gateway) text() string {
	g.t.Helper()
	r, err := g.daemon.Render(g.t.Context(), g.pool, nil)
	if err != nil || len(r.Problems) > 0 {
		g.t.Fatalf("render: %v, %+v", err, r.Problems)
	}
	return string(r.File(chrony.ConfFile))
}

// shows NTP-01, NTP-02, NTP-03
func TestSettings(t *testing.T) {
	g := newGateway(t, Options{})
	s := data[Settings](t, g.admin("GET", "/ntp/settings", nil, 200))
	if s.ServeClients || !s.Makestep || !s.Rtcsync || s.ListenAddresses == nil || len(s.ListenAddresses) != 0 || len(s.AllowACL) != 4 || s.Revision != 1 {
		t.Errorf("at first, settings = %+v", s)
	}
	if text := g.text(); !strings.Contains(text, "\nport 0\n") || strings.Contains(text, "allow") {
		t.Errorf("at first the daemon is not client-only:\n%s", text)
	}
	want := SettingsInput{ListenAddresses: []string{"192.0.2.1", "2001:DB8::1"}, AllowACL: []string{"192.0.2.0/24"}, ServeClients: true}
	s = data[Settings](t, g.admin("PUT", "/ntp/settings", want, 200))
	if again := data[Settings](t, g.admin("GET", "/ntp/settings", nil, 200)); again.Revision != 2 || again.ListenAddresses[1] != "2001:db8::1" || !again.ServeClients || again.Makestep || again.Rtcsync {
		t.Errorf("settings = %+v, then %+v", s, again)
	}
	if text := g.text(); text != "# Made by gateway from its database. Edits are undone; change it through the API instead.\n"+
		"pool 0.debian.pool.ntp.org iburst maxsources 1\npool 1.debian.pool.ntp.org iburst maxsources 1\n"+
		"pool 2.debian.pool.ntp.org iburst maxsources 1\npool 3.debian.pool.ntp.org iburst maxsources 1\n"+
		"bindaddress 192.0.2.1\nbindaddress 2001:db8::1\nallow 192.0.2.0/24\n" {
		t.Errorf("rendered:\n%s", text)
	}
	want.ListenAddresses, want.AllowACL = []string{"192.0.2.1", "192.0.2.2", "x"}, []string{"192.0.2.0/24", "all"}
	if r := g.admin("PUT", "/ntp/settings", want, 400); r.fields() != "listen_addresses[2] allow_acl[1] listen_addresses[1]" {
		t.Errorf("fields = %q", r.fields())
	}
	if r := g.call("viewer", "PUT", "/ntp/settings", want); r.status != http.StatusForbidden {
		t.Errorf("a viewer's change = %d", r.status)
	}
	if got := g.actions(); len(got) != 1 || got[0] != "admin@example.com ntp.settings.update settings" {
		t.Errorf("audited: %q", got)
	}
}

// shows NTP-08
func TestFourPoolsAreSeeded(t *testing.T) {
	g := newGateway(t, Options{})
	pools := data[[]Pool](t, g.admin("GET", "/ntp/pools", nil, 200))
	if len(pools) != 4 {
		t.Fatalf("%d pools, want 4", len(pools))
	}
	for _, p := range pools {
		if p.Kind != "pool" || !strings.HasSuffix(p.Address, ".debian.pool.ntp.org") || !p.Iburst || p.Prefer || p.Minpoll != nil || p.Maxpoll != nil {
			t.Errorf("pool = %+v", p)
		}
		var wrong fault.Problems
		if p.Validate(&wrong); wrong.Err() != nil {
			t.Errorf("%s: %v", p.Address, wrong.Err())
		}
	}
}

// shows NTP-06, NTP-07
func TestPools(t *testing.T) {
	g := newGateway(t, Options{})
	type in map[string]any
	made := data[Pool](t, g.admin("POST", "/ntp/pools", in{"kind": "server", "address": "NTP1.example.com", "prefer": true, "minpoll": 0, "maxpoll": 24}, 201))
	if made.Address != "ntp1.example.com" || !made.Iburst || !made.Prefer || *made.Minpoll != 0 || *made.Maxpoll != 24 {
		t.Errorf("made %+v", made)
	}
	path := "/ntp/pools/" + made.ID
	if text := g.text(); !strings.Contains(text, "\nserver ntp1.example.com iburst prefer minpoll 0 maxpoll 24\n") {
		t.Errorf("rendered:\n%s", text)
	}
	// What was read can be written back as it is.
	body := in{"kind": "server", "address": made.Address, "iburst": true, "prefer": false, "minpoll": nil, "maxpoll": nil}
	changed := data[Pool](t, g.admin("PUT", path, body, 200))
	if changed.Revision != 2 || changed.Minpoll != nil || changed.Maxpoll != nil || changed.Prefer {
		t.Errorf("changed %+v", changed)
	}
	if r := g.admin("POST", "/ntp/pools", in{"kind": "pool", "address": "Ntp1.Example.Com"}, 409); r.fields() != "address" {
		t.Errorf("a second one of the name: %+v", r.Error)
	}
	if got := data[[]Pool](t, g.admin("GET", "/ntp/pools?filter=kind:server&q=NTP1", nil, 200)); len(got) != 1 || got[0].ID != made.ID {
		t.Errorf("found %+v", got)
	}
	for field, bad := range map[string]in{
		"address": {"kind": "server", "address": "a.example.com key 1"},
		"kind":    {"kind": "peer", "address": "a.example.com"},
		"minpoll": {"kind": "server", "address": "a.example.com", "minpoll": -7},
		"maxpoll": {"kind": "server", "address": "a.example.com", "maxpoll": 3},
	} {
		if r := g.admin("POST", "/ntp/pools", bad, 400); r.fields() != field {
			t.Errorf("%v: fields %q, want %q", bad, r.fields(), field)
		}
	}
	g.admin("DELETE", path, nil, 200)
	g.admin("GET", path, nil, 404)
	want := []string{"admin@example.com ntp.pool.create NTP1.example.com", "admin@example.com ntp.pool.update ntp1.example.com", "admin@example.com ntp.pool.delete ntp1.example.com"}
	if got := g.actions(); strings.Join(got, "; ") != strings.Join(want, "; ") { // shows AUDIT-19
		t.Errorf("audited: %q", got)
	}
}

// Hostile strings are refused by the edge, one by one, and none of them is echoed.
func TestHostileValuesAreRefused(t *testing.T) {
	g := newGateway(t, Options{})
	for _, bad := range []string{"a\nmailonchange root 0", "a b", "-x", "a\x00b", "a\u2028b", "a;b", "#a", "", "include /etc/passwd", strings.Repeat("a", 300), "a\u202eb"} {
		if r := g.admin("POST", "/ntp/pools", map[string]any{"kind": "server", "address": bad}, 400); bad != "" && strings.Contains(r.Error.Message+r.Error.Fields[0].Message, bad) {
			t.Errorf("%q is echoed: %+v", bad, r.Error)
		}
		set := SettingsInput{ListenAddresses: []string{bad}, AllowACL: []string{bad}}
		g.admin("PUT", "/ntp/settings", set, 400)
	}
	if got := g.actions(); len(got) != 0 {
		t.Errorf("audited: %q", got)
	}
}

// FW-24 rests on this: the packet filter opens what is declared here.
func TestOpenings(t *testing.T) {
	g := newGateway(t, Options{})
	for _, tc := range []struct {
		name   string
		serve  bool
		listen []string
		want   int
	}{
		{"client-only", false, nil, 0},
		{"client-only, with an address", false, []string{"192.0.2.1"}, 0},
		{"on every address", true, nil, 1},
		{"on one", true, []string{"192.0.2.1"}, 1},
		{"on the loopback", true, []string{"127.0.0.1", "::1"}, 0},
		{"on the loopback and beyond", true, []string{"127.0.0.1", "2001:db8::1"}, 1},
	} {
		g.admin("PUT", "/ntp/settings", SettingsInput{ListenAddresses: tc.listen, ServeClients: tc.serve}, 200)
		got, err := g.daemon.Needs.Openings(t.Context(), g.pool)
		if err != nil || len(got) != tc.want {
			t.Errorf("%s: %+v, %v; want %d", tc.name, got, err, tc.want)
		}
		if len(got) == 1 && (got[0].Protocol != "udp" || got[0].Port != 123 || got[0].Role != "") {
			t.Errorf("%s: %+v", tc.name, got)
		}
	}
}

func TestObjects(t *testing.T) {
	for _, o := range New(Options{}).Objects {
		if o.Single == (len(o.Name) > 0) || o.Path == "" || o.Key == "" {
			t.Errorf("object = %+v", o)
		}
	}
}
