package haproxyconf

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/api/apitest"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/proxy/proxytest"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/haproxy"
	"gateway/lab/haproxytest"
)

// rig is both sides of the component, behind the real edge and on a real database, with a
// real HAProxy at the other end. Only what lies between two processes is short-cut.
type rig struct {
	proxytest.Client
	t         testing.TB
	adapter   *adapter
	daemon    daemon.Daemon
	db        *pgxpool.Pool
	haproxy   *haproxytest.Daemon
	at        string // the address that HAProxy listens on: one of its own, for the ports are real
	installed daemon.Rendering
	checked   int     // how often HAProxy judged the files
	api       *origin // in place of the management service
}

type object = proxytest.Object

// Applier is the way to gateway-apply.
type Applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
}

// API is package proxy, which imports this one: TestMain, outside of the package, sets it.
var API struct {
	New          func(pool db.Pool, run *change.Runner, applier Applier) component.Component
	ListenOnIPv6 func(ctx context.Context, tx pgx.Tx, on bool) error
}

// newRig starts HAProxy without any site. Every change by the API then comes back when it
// is installed, as it does on a node.
func newRig(t testing.TB) *rig {
	t.Helper()
	r := newDaemon(t)
	r.haproxy, r.api = haproxytest.New(t), newOrigin(t, "api")
	r.at = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(250), rand.IntN(250), 2+rand.IntN(250))
	r.adapter.HAProxy = &haproxy.Daemon{Runtime: r.haproxy.Runtime, Master: r.haproxy.Master}
	certificate, err := madeUp()
	if err != nil {
		t.Fatal(err)
	}
	r.haproxy.Put("/etc/gateway/tls/management.pem", certificate)
	r.haproxy.Put(crtList, []byte("/etc/gateway/tls/management.pem\n"))
	r.listenOnIPv6(false)
	r.installed = r.rendered()
	r.haproxy.Start(r.install(daemon.Rendering{}, r.installed))
	r.serve(daemon.Set{Configs: []daemon.Config{r.daemon.Config}}, func(string) change.Applied { return r.sync() })
	return r
}

// newStore is a rig without HAProxy: changes are stored, and that is all.
func newStore(t testing.TB) *rig {
	t.Helper()
	r := newDaemon(t)
	r.serve(nil, nil)
	return r
}

// newDaemon is a rig without the API.
func newDaemon(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, adapter: newAdapter(Options{Exec: runDebian(t)})}
	r.daemon = r.adapter.daemon()
	r.db = dbtest.New(t, change.Schema(), audit.Schema(), API.New(nil, nil, nil).Schema())
	return r
}

// serve offers the API, whose changes heed the daemons and wait for sync.
func (r *rig) serve(daemons change.Daemons, sync func(string) change.Applied) {
	r.Client = proxytest.Client{Caller: apitest.New(r.t, Name, API.New(r.db, r.runner(daemons, sync), r).Routes)}
}

func (r *rig) runner(daemons change.Daemons, sync func(string) change.Applied) *change.Runner {
	return change.NewRunner(r.db, audit.NewLog("node-1", time.Now), time.Now, daemons, sync)
}

func (r *rig) listenOnIPv6(on bool) {
	r.t.Helper()
	c := change.Change{Component: Name, Action: "proxy.ipv6", Subject: "test", Actor: "test"}
	if err := r.runner(nil, nil).Run(r.t.Context(), c, func(tx change.Tx) error { return API.ListenOnIPv6(r.t.Context(), tx, on) }); err != nil {
		r.t.Fatal(err)
	}
}

// Ask is the way to gateway-apply, without the way.
func (r *rig) Ask(ctx context.Context, name, verb string, in, out any) error {
	if name != Name || in != nil {
		return fmt.Errorf("asked %s for %s with %v", name, verb, in)
	}
	answer, err := r.daemon.Verbs[verb](ctx, nil)
	if err != nil || out == nil {
		return err
	}
	b, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, out)
}

func (r *rig) rendered() daemon.Rendering {
	r.t.Helper()
	out, err := r.daemon.Render(r.t.Context(), r.db, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// sync does what the applier does: render, check, install, apply, or put back.
func (r *rig) sync() change.Applied {
	now := r.rendered()
	if !r.daemon.Plain(r.installed, now) {
		r.checked++
		dir := r.t.TempDir()
		if err := now.Stage(dir); err != nil {
			r.t.Fatal(err)
		}
		if err := r.daemon.Check(r.t.Context(), dir); err != nil {
			return change.Applied{State: "failed", Why: err.Error()}
		}
	}
	r.install(r.installed, now)
	if err := r.daemon.Apply(r.t.Context(), r.installed, now); err != nil {
		r.install(now, r.installed)
		return change.Applied{State: "failed", Why: err.Error()}
	}
	r.installed = now
	return change.Applied{State: "live"}
}

// install puts the configuration where the test's HAProxy reads it, fit for a machine that
// others use too.
func (r *rig) install(old, now daemon.Rendering) string {
	r.t.Helper()
	r.haproxy.Install(old, now)
	text := strings.NewReplacer(
		"\tstats socket /run/haproxy/admin.sock mode 660 level admin\n", "",
		"bind 0.0.0.0:", "bind "+r.at+":", "bind quic4@:", "bind quic4@"+r.at+":", "server api unix@/gateway/api.sock ", "server api "+r.api.at+" ",
	).Replace(string(now.File(Path)))
	r.haproxy.Write("haproxy.cfg", text)
	return text
}

// restore writes past the API, the way a restore would.
func (r *rig) restore(sql string, args ...any) {
	r.t.Helper()
	ctx := r.t.Context()
	err := pgx.BeginFunc(ctx, r.db, func(tx pgx.Tx) error {
		id := db.NewID()
		var b pgx.Batch
		b.Queue(`insert into changes (id, component, action, subject, actor, created_at) values ($1, 'proxy', 'test', '', 'test', now())`, id)
		b.Queue(`select set_config('gateway.change_id', $1, true)`, id)
		b.Queue(sql, args...)
		return tx.SendBatch(ctx, &b).Close()
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// origin is a server behind the proxy. It answers with its name and counts.
type origin struct {
	name, at string
	served   atomic.Int64
}

func newOrigin(t testing.TB, name string) *origin {
	t.Helper()
	o := &origin{name: name}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.served.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, name)
	}))
	t.Cleanup(s.Close)
	o.at = s.Listener.Addr().String()
	return o
}

// page is what a visitor sees.
type page struct {
	status int
	header http.Header
	body   string
}

// get asks HAProxy for a page of a site, on a connection of its own.
func (r *rig) get(address string, how ...func(*http.Request)) page {
	r.t.Helper()
	res, err := r.try(address, how...)
	if err != nil {
		r.t.Fatalf("%s: %v", address, err)
	}
	return read(r.t, res)
}

func (r *rig) try(address string, how ...func(*http.Request)) (*http.Response, error) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range how {
		f(req)
	}
	return r.visitor(false).RoundTrip(req)
}

// visitor goes to HAProxy wherever the name leads.
func (r *rig) visitor(http2 bool) *http.Transport {
	t := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: http2, DisableKeepAlives: !http2,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(r.at, port))
		},
	}
	r.t.Cleanup(t.CloseIdleConnections)
	return t
}

func read(t testing.TB, res *http.Response) page {
	t.Helper()
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return page{res.StatusCode, res.Header, string(body)}
}

// leads says what a page's address leads to: the server's name, else the status.
func (r *rig) leads(address string) string {
	r.t.Helper()
	p := r.get(address)
	if p.status != http.StatusOK {
		return strconv.Itoa(p.status)
	}
	return p.body
}

// holds compares what HAProxy has in its memory with what stands in its files.
func (r *rig) holds(t testing.TB) {
	t.Helper()
	ctx := t.Context()
	for _, f := range r.installed.Files {
		if f.Path == Path {
			continue
		}
		have, err := r.haproxy.Runtime.MapAll(ctx, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(have, func(a, b haproxy.MapEntry) int { return strings.Compare(a.Key, b.Key) })
		if want := parseMap(f.Data); !slices.Equal(have, want) {
			t.Errorf("%s: HAProxy has %v, the file %v", f.Path, have, want)
		}
	}
	r.holdsServers(t, parseConfig(r.installed.File(Path)).pools)
}

// seen is what can be seen of a server from outside.
type seen struct {
	at                       string
	weight                   int
	disabled, backup, checks bool
}

func (r *rig) holdsServers(t testing.TB, pools map[string]map[string]server) {
	t.Helper()
	have, want := r.seenServers(t), map[string]seen{}
	for pool, servers := range pools {
		want[pool+"/BACKEND"] = seen{}
		for name, s := range servers {
			settings := s.settings + " "
			at := s.at
			if strings.Contains(settings, " resolvers ") {
				at = "" // whatever the name leads to
			}
			want[pool+"/"+name] = seen{
				at: at, weight: s.weight, disabled: s.disabled,
				backup: strings.Contains(settings, " backup "), checks: strings.Contains(settings, " check ") && !s.disabled,
			}
		}
	}
	for name, s := range want {
		got, ok := have[name]
		if s.at == "" {
			got.at = ""
		}
		if !ok || got != s {
			t.Errorf("%s: HAProxy has %+v (%v), the file %+v", name, got, ok, s)
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			t.Errorf("HAProxy has %s, the file not", name)
		}
	}
}

// seenServers puts the two lists together that HAProxy has of servers.
func (r *rig) seenServers(t testing.TB) map[string]seen {
	t.Helper()
	all, err := r.haproxy.Runtime.Servers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stats, err := r.haproxy.Runtime.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]seen{}
	for _, s := range all {
		if strings.HasPrefix(s.Backend, "gateway_backend_") {
			out[s.Backend+"/"+s.Name] = seen{at: s.Addr.String(), weight: s.Weight, disabled: s.Maintenance}
		}
	}
	for _, s := range stats {
		if !strings.HasPrefix(s.Proxy, "gateway_backend_") || s.Kind == haproxy.FrontendStat {
			continue
		}
		have := out[s.Proxy+"/"+s.Name]
		if s.Kind == haproxy.ServerStat {
			have.backup, have.checks = s.Backup, s.CheckStatus != ""
		}
		out[s.Proxy+"/"+s.Name] = have
	}
	return out
}
