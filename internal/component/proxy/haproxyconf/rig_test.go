package haproxyconf

import (
	"context"
	"crypto/tls"
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

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/proxy/proxytest"
	"gateway/internal/daemon"
	"gateway/internal/haproxy"
	"gateway/lab/haproxytest"
)

// rig is both sides of the component, with a real HAProxy at the other end.
type rig struct {
	proxytest.Client
	adapter *adapter
	haproxy *haproxytest.Daemon // nil: there is none
	at      string              // the address that HAProxy listens on: one of its own, for the ports are real
	api     *origin             // in place of the management service
}

type object = proxytest.Object

// API is package proxy, which imports this one: TestMain, outside of the package, sets it.
var API func(r *componenttest.Rig) component.Component

// newRig starts HAProxy without any site. Every change by the API then comes back when it
// is installed, as it does on a node.
func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{api: newOrigin(t, "api")}
	r.at = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(250), rand.IntN(250), 2+rand.IntN(250))
	r.make(t, componenttest.Setup{Live: true, Daemon: r.withHAProxy})
	certificate, err := madeUp()
	if err != nil {
		t.Fatal(err)
	}
	r.haproxy.Put("/etc/gateway/tls/management.pem", certificate)
	r.haproxy.Put(crtList, []byte("/etc/gateway/tls/management.pem\n"))
	r.Restore(`update proxy_settings set ipv6 = false`)
	r.MustSync()
	return r
}

// newStore is a rig without HAProxy: changes are stored, and that is all.
func newStore(t testing.TB) *rig {
	t.Helper()
	r := &rig{}
	r.make(t, componenttest.Setup{Daemon: r.withoutHAProxy})
	return r
}

func (r *rig) make(t testing.TB, s componenttest.Setup) {
	t.Helper()
	r.adapter = newAdapter(Options{Exec: componenttest.ExecInRoot(t)})
	s.Component = API
	r.Client = proxytest.Client{Rig: componenttest.New(t, s)}
}

func (r *rig) withoutHAProxy(*componenttest.Rig) daemon.Daemon { return r.adapter.daemon() }

// withHAProxy has one that reads what the engine installs, and is started by the first round.
func (r *rig) withHAProxy(c *componenttest.Rig) daemon.Daemon {
	r.haproxy = haproxytest.NewIn(c.T, c.Root)
	r.adapter.HAProxy = &haproxy.Daemon{Runtime: r.haproxy.Runtime, Master: r.haproxy.Master, Units: c.Units}
	d := r.adapter.daemon()
	d.Apply = func(ctx context.Context, old, now daemon.Rendering) error {
		text := r.configure(now)
		c.Units.Act = func(context.Context, string, string) error { r.haproxy.Start(text); return nil }
		return r.adapter.apply(ctx, old, now)
	}
	return d
}

// configure has the test's HAProxy read the configuration, fit for a machine that others use too.
func (r *rig) configure(now daemon.Rendering) string {
	text := strings.NewReplacer(
		"\tstats socket /run/haproxy/admin.sock mode 660 level admin\n", "",
		"bind 0.0.0.0:", "bind "+r.at+":", "bind quic4@:", "bind quic4@"+r.at+":", "server api unix@/gateway/api.sock ", "server api "+r.api.at+" ",
	).Replace(string(now.File(Path)))
	r.haproxy.Write("haproxy.cfg", text)
	return text
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
	r.T.Helper()
	res, err := r.try(address, how...)
	if err != nil {
		r.T.Fatalf("%s: %v", address, err)
	}
	return read(r.T, res)
}

func (r *rig) try(address string, how ...func(*http.Request)) (*http.Response, error) {
	r.T.Helper()
	req, err := http.NewRequestWithContext(r.T.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		r.T.Fatal(err)
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
	r.T.Cleanup(t.CloseIdleConnections)
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
	r.T.Helper()
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
	for _, f := range r.Installed.Files {
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
	r.holdsServers(t, parseConfig(r.Installed.File(Path)).pools)
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
