package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	mdns "github.com/miekg/dns"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/dns/dnstest"
	"gateway/internal/component/proxy/proxytest"
	"gateway/internal/component/proxy/reach"
	"gateway/internal/db"
	"gateway/internal/sys"
)

// links are this node's, as far as the tests go.
type links []string

func (l links) Interfaces() ([]sys.Interface, error) {
	var all []sys.Address
	for _, a := range l {
		all = append(all, sys.Address{Local: a})
	}
	return []sys.Interface{{Name: "eth0", AddrInfo: all}}, nil
}

// asking is the API on one side of the database, and the scheduler on the other.
type asking struct {
	proxytest.Client
	own  links
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

func newAsking(t *testing.T) *asking {
	t.Helper()
	a := &asking{own: links{"127.0.0.1", "203.0.113.7", "2001:db8::7"}, dial: (&net.Dialer{}).DialContext}
	names := map[string][]string{
		"here.example.com.": {"203.0.113.7", "2001:db8::7"}, "partly.example.com.": {"203.0.113.7", "198.51.100.7"},
		"elsewhere.example.com.": {"198.51.100.7"}, "gateway-check.wild.example.com.": {"203.0.113.7"},
		"inside.example.com.": {"10.9.9.9"}, "loop.example.com.": {"127.0.0.1"},
	}
	dns := dnstest.NewUpstream(t, func(q mdns.Question) (out []mdns.RR) {
		for _, text := range names[strings.ToLower(q.Name)] {
			if addr := netip.MustParseAddr(text); addr.Is4() == (q.Qtype == mdns.TypeA) {
				out = append(out, dnstest.MustRR(fmt.Sprintf("%s 60 IN %s %s", q.Name, mdns.TypeToString[q.Qtype], addr)))
			} else if out == nil {
				out = []mdns.RR{}
			}
		}
		return out
	})
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", strings.ReplaceAll(dns.Forward(), "@", ":"))
	}}
	a.Client = proxytest.Client{Rig: componenttest.New(t, componenttest.Setup{Component: func(r *componenttest.Rig) component.Component {
		return New(Options{DB: r.Pool, Run: r.Run, Questions: db.Questions{Pool: r.Pool}})
	}})}
	scheduler := New(Options{
		Host: a, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			return a.dial(ctx, network, address)
		},
		Lookup: func(ctx context.Context, name string) ([]netip.Addr, error) {
			return resolver.LookupNetIP(ctx, "ip", name)
		},
	})
	a.answer(t, scheduler.Answers)
	return a
}

func (a *asking) Interfaces() ([]sys.Interface, error) { return a.own.Interfaces() }

// answer is gateway-scheduler's half, until the test ends.
func (a *asking) answer(t *testing.T, answers map[string]func(context.Context, json.RawMessage) (any, error)) {
	t.Helper()
	handlers, listening := map[string]func(context.Context, string){}, make(chan struct{})
	for channel, answer := range answers {
		handle, first := db.Questions{Pool: a.Pool}.Handler(answer, slog.New(slog.DiscardHandler)), true
		handlers[channel] = func(ctx context.Context, payload string) {
			if first {
				close(listening)
			}
			first = false
			handle(ctx, payload)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	l := &db.Listener{Pool: a.Pool, Ready: func() bool { return true }, Handlers: handlers, Log: slog.New(slog.DiscardHandler)}
	go func() { done <- l.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	<-listening
}

func (a *asking) test(in object) reach.Answer {
	a.T.Helper()
	var out reach.Answer
	a.Do("POST", "/proxy/reach", in).Want(http.StatusOK).Into(&out)
	return out
}

func TestANameIsResolvedAndComparedWithThisNode(t *testing.T) {
	a := newAsking(t)
	for _, tc := range []struct {
		what, name string
		own        links
		want       string
		found      int
	}{
		{"all addresses are ours", "here.example.com", a.own, "here", 2},
		{"as it was typed", "  HERE.example.com ", a.own, "here", 2},
		{"some are not", "partly.example.com", a.own, "partly_here", 2},
		{"none is", "elsewhere.example.com", a.own, "elsewhere", 1},
		{"none is, and a router may be in front", "elsewhere.example.com", links{"192.168.1.2", "100.64.0.9"}, "behind_nat", 1},
		{"a private address is no router's", "inside.example.com", links{"192.168.1.2"}, "elsewhere", 1},
		{"loopback is everybody's", "loop.example.com", a.own, "elsewhere", 1},
		{"a wildcard by a name below it", "*.wild.example.com", a.own, "here", 1},
		{"there is none", "nobody.example.com", a.own, "unresolved", 0},
	} {
		t.Run(tc.what, func(t *testing.T) {
			a.own = tc.own
			got := a.test(object{"domain": tc.name})
			if got.Name == nil || got.Name.Code != tc.want || len(got.Name.Addresses) != tc.found || len(got.Servers) != 0 {
				t.Errorf("%s = %+v, want %s with %d addresses", tc.name, got.Name, tc.want, tc.found)
			}
		})
	}
}

// portOf is a listener's.
func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// silent accepts connections, and does this with them.
func silent(t *testing.T, do func(net.Conn)) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			do(conn)
		}
	}()
	return portOf(l)
}

func TestServersAreTestedBesideEachOther(t *testing.T) {
	a := newAsking(t)
	asked := make(chan string, 8)
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host + r.URL.Path
		w.WriteHeader(http.StatusFound)
	})
	plain, secure := httptest.NewServer(site), httptest.NewTLSServer(site)
	defer plain.Close()
	defer secure.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := portOf(gone)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	chatty := silent(t, func(c net.Conn) { _, _ = c.Write([]byte("220 mail.example.com ESMTP\r\n")); _ = c.Close() })
	hangs := silent(t, func(net.Conn) {})
	at := func(port int) object { return object{"address": "127.0.0.1", "port": port} }
	codes := func(in object) (out []string) {
		for _, s := range a.test(in).Servers {
			out = append(out, strings.TrimSuffix(fmt.Sprintf("%s %d", s.Code, s.Status), " 0"))
		}
		return out
	}
	start := time.Now()
	got := codes(object{
		"domain": "here.example.com", "health_path": "/up",
		"servers": []object{at(portOf(plain.Listener)), at(closed), at(chatty), at(hangs), at(hangs)},
	})
	if want := []string{"answers 302", "refused", "no_http", "timeout", "timeout"}; !slices.Equal(got, want) {
		t.Errorf("over http = %v, want %v", got, want)
	}
	if took := time.Since(start); took > reach.Limit+2*time.Second {
		t.Errorf("took %s, want about %s", took, reach.Limit)
	}
	if got := <-asked; got != "GET here.example.com/up" {
		t.Errorf("the server was asked for %q", got)
	}
	got = codes(object{"scheme": "https", "servers": []object{at(portOf(secure.Listener)), at(chatty), at(closed)}})
	if want := []string{"answers 302", "tls_failed", "refused"}; !slices.Equal(got, want) {
		t.Errorf("over https = %v, want %v", got, want)
	}
	got = codes(object{"scheme": "tcp", "servers": []object{at(hangs), at(closed)}})
	if want := []string{"connects", "refused"}; !slices.Equal(got, want) {
		t.Errorf("over tcp = %v, want %v", got, want)
	}
}

func TestTheNodeItselfIsNoServerToTest(t *testing.T) {
	a := newAsking(t)
	s := service{Options: Options{Host: a}}
	a.dial = s.dialOthers // the real one
	for _, address := range []string{"127.0.0.1", "203.0.113.7", "169.254.169.254", "::1"} {
		if got := a.test(object{"servers": []object{{"address": address, "port": 80}}}).Servers[0].Code; got != "not_allowed" {
			t.Errorf("%s = %s, want it not allowed", address, got)
		}
	}
}

// unread is a host whose addresses cannot be read.
type unread struct{ error }

func (u unread) Interfaces() ([]sys.Interface, error) { return nil, u }

func TestNothingIsTestedWhileTheOwnAddressesAreUnknown(t *testing.T) {
	host := unread{errors.New("netlink is out of memory")}
	s := service{Options: Options{
		Host:   host,
		Lookup: func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("asked for a name") },
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			t.Errorf("dialled %s", address)
			return nil, errors.New("dialled")
		},
	}}
	out, err := s.answerReach(t.Context(), json.RawMessage(`{"servers": [{"address": "203.0.113.7", "port": 80}]}`))
	if !errors.Is(err, host) {
		t.Errorf("the answer is %+v, %v, want why nothing is tested", out, err)
	}
	if _, err := s.dialOthers(t.Context(), "tcp", "203.0.113.7:80"); !errors.Is(err, host) {
		t.Errorf("dial = %v, want why nobody is dialled", err)
	}
}

func TestATestIsForAdministratorsAndAudited(t *testing.T) {
	a := newAsking(t)
	in := object{"domain": "here.example.com"}
	a.As("viewer", "POST", "/proxy/reach", in).Want(http.StatusForbidden)
	a.test(in)
	var subjects int
	if err := a.Pool.QueryRow(t.Context(), `select count(*) from audit_entries where action = 'proxy.reach' and subject = 'here.example.com'`).Scan(&subjects); err != nil || subjects != 1 {
		t.Errorf("%d audit entries, %v, want one", subjects, err)
	}
	for field, in := range map[string]object{
		"domain":             {"domain": "no name"},
		"servers[0].address": {"servers": []object{{"address": "10.0.0.0/8", "port": 80}}},
		"health_path":        {"health_path": "no path"},
	} {
		if got := a.Do("POST", "/proxy/reach", in).Want(http.StatusBadRequest); len(got.Error.Fields) != 1 || got.Error.Fields[0].Name != field {
			t.Errorf("%v was refused for %+v, want %s", in, got.Error.Fields, field)
		}
	}
	many := make([]object, reach.MaxServers+1)
	for i := range many {
		many[i] = object{"address": "192.0.2.1", "port": 1 + i}
	}
	a.Do("POST", "/proxy/reach", object{"servers": many}).Want(http.StatusBadRequest)
}

func TestWithoutTheSchedulerNothingIsTested(t *testing.T) {
	r := proxytest.Client{Rig: componenttest.New(t, componenttest.Setup{Component: func(r *componenttest.Rig) component.Component {
		return New(Options{DB: r.Pool, Run: r.Run, Questions: db.Questions{Pool: r.Pool}})
	}})}
	var out reach.Answer
	r.Do("POST", "/proxy/reach", object{"domain": "a.example.com", "servers": []object{{"address": "192.0.2.1", "port": 80}}}).Want(http.StatusOK).Into(&out)
	if out.Name.Code != "untested" || out.Servers[0].Code != "untested" {
		t.Errorf("%+v, want nothing tested", out)
	}
}

func TestTestsAreFewInAMinute(t *testing.T) {
	var p pace
	now := time.Now()
	for i := range testsPerMinute {
		if wait := p.take(now.Add(time.Duration(i) * time.Millisecond)); wait != 0 {
			t.Fatalf("test %d waits %s", i, wait)
		}
	}
	if wait := p.take(now.Add(time.Second)); wait <= 0 || wait > time.Minute {
		t.Errorf("one more waits %s", wait)
	}
	if wait := p.take(now.Add(time.Minute)); wait != 0 {
		t.Errorf("a minute later it waits %s", wait)
	}
}
