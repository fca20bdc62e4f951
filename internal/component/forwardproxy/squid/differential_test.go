package squid_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/component/forwardproxy/squidtest"
	"gateway/lab"
	"gateway/tools/bar"
)

func pointer[T any](v T) *T { return &v }

// base is a proxy for two networks of the loopback, whose parent is away: what is allowed is
// answered at once, and by something else than a denial.
func base(own ...netip.Addr) squid.State {
	return squid.State{
		Settings: squid.Settings{
			Enabled: pointer(true), Port: 3128, AllowedNetworks: []string{"127.0.1.0/24", "127.0.2.0/24"}, DefaultAction: "allow",
			Ports: []string{"80", "443", "1024-65535"}, ConnectPorts: []string{"443", "8443"}, CacheSize: pointer(0), ParentHost: "127.0.0.1", ParentPort: 9,
			DNSServers: []string{"127.0.0.1"}, AccessLog: pointer(false), LogRetention: 1,
		},
		Own:   own,
		Lists: []squid.List{squid.NewList("ads", "example.com", "test", "deep.a.example.org"), squid.NewList("few", "a.example.com"), squid.NewList("none")},
	}
}

// dialFrom connects to the proxy from one of the loopback's addresses.
func dialFrom(ctx context.Context, s *squidtest.Server, source netip.Addr) (conn net.Conn, err error) {
	err = s.Do(func() error {
		d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(source, 0)), Timeout: 10 * time.Second}
		conn, err = d.DialContext(ctx, "tcp", "127.0.0.1:3128")
		return err
	})
	return conn, err
}

func one(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// hoursOf is days and hours that begin and end half an hour away from now, at whatever hour.
func hoursOf(r *rand.Rand, now time.Time) string {
	minute := (now.Minute() + 30) % 60
	clock := fmt.Sprintf("%02d:%02d-%02d:%02d", r.IntN(24), minute, r.IntN(24), minute)
	if clock[:5] == clock[6:] {
		clock = fmt.Sprintf("00:00-%02d:%02d", 1+r.IntN(22), minute)
	}
	switch r.IntN(3) {
	case 0:
		return clock
	case 1:
		return one(r, "mon-fri", "sat,sun", "tue", "fri-tue", "wed,thu")
	}
	return one(r, "mon-fri", "sat,sun", "tue", "fri-tue", "wed,thu") + " " + clock
}

func randomRule(r *rand.Rand, now time.Time, i int) squid.StoredRule {
	rule := squid.Rule{Action: one(r, "allow", "deny"), Type: one(r, "source", "domain", "domain", "list", "port", "url", "url", "method", "time", "user_agent")}
	switch rule.Type {
	case "source":
		rule.Value = one(r, "127.0.1.4/30", "127.0.1.0/25", "127.0.2.7", "127.0.2.0/24", "2001:db8::/32")
	case "domain":
		rule.Value = one(r, "example.com", "a.example.com", "example.org", "com", "deep.a.example.com", "test")
	case "list":
		rule.Value = one(r, "ads", "few", "none")
	case "port":
		rule.Value = one(r, "80", "8080", "443", "8000-8100", "1024-65535", "8443")
	case "url":
		rule.Value = one(r, "*.exe", "http://example.com/*", "http://a.example.com/", "*example*", "*:443", "*?q=1", "*/a%20b", "*/a?b*", "*%41*", "*\\*", "*[x]*", "*^*", "http://*:8080/*", "*/A/B*", "*$x{y}*", "*\"*", "*A*B*", "*203.0.113.9*")
	case "method":
		rule.Value = one(r, "GET", "POST", "CONNECT", "HEAD", "PUT", "DELETE", "OPTIONS")
	case "time":
		rule.Value = hoursOf(r, now)
	case "user_agent":
		rule.Value = one(r, "curl", "Mozilla/5.0*Firefox", "a b", "(X11; *)", "bot*", "\\", "c++")
	}
	if r.IntN(4) == 0 {
		rule.OnlyFrom = []string{one(r, "127.0.1.0/24", "127.0.1.128/25", "127.0.2.0/28")}
	}
	if r.IntN(6) == 0 {
		rule.OnlyDuring = hoursOf(r, now)
	}
	if r.IntN(3) == 0 {
		rule.Name = fmt.Sprintf("rule %d <b>%%U@", i)
	}
	return squid.StoredRule{ID: fmt.Sprint(i), Rule: rule, Enabled: r.IntN(8) > 0}
}

func randomState(r *rand.Rand, now time.Time, own netip.Addr) squid.State {
	s := base(own)
	s.Settings.DefaultAction = one(r, "allow", "deny")
	if r.IntN(4) == 0 {
		s.Settings.Ports, s.Settings.ConnectPorts = []string{"1-65535"}, []string{"1-65535"}
	}
	for i := range 1 + r.IntN(12) {
		s.Rules = append(s.Rules, randomRule(r, now, i))
	}
	return s
}

func randomRequest(r *rand.Rand, own netip.Addr) squid.Request {
	q := squid.Request{
		Source: netip.MustParseAddr(one(r, "127.0.1.5", "127.0.1.200", "127.0.1.100", "127.0.2.7", "127.0.2.8", "127.0.2.99", "127.0.1.6", "127.0.1.7", "127.0.2.1", "127.0.3.1")),
		Method: one(r, "GET", "GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "CONNECT", "CONNECT"), UserAgent: one(r, "", "curl/8.1", "Mozilla/5.0 (X11; Linux) Firefox/1", "a b", `x\y`, "Googlebot", "c++"),
	}
	host := one(r, "example.com", "a.example.com", "deep.a.example.com", "www.example.org", "x.test", "203.0.113.9", "EXAMPLE.com", "notexample.com", "example.com.")
	if r.IntN(5) == 0 {
		host = one(r, "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.1.1", "[fe80::1]", "100.100.100.200", "0x646464c8", "[fd00:ec2::254]", "[fd00:ec2:0::23]", "[fd20:ce::254]", "[fd00:c1::a9fe:a9fe]", "[fd00:ec2::253]", own.String(), "[2001:db8::9]", "0", "017700000001", "test")
	}
	port := one(r, "", "", "", "", "", ":80", ":443", ":8080", ":8443", ":25", ":8050")
	if q.Method == http.MethodConnect {
		if port == "" {
			port = ":443"
		}
		q.URL = host + port
		return q
	}
	q.URL = one(r, "http", "http", "http", "HTTP") + "://" + host + port + one(r, "", "/", "/x.exe", "/X.EXE", "/a%20b", "/A%2fB?q=1", "/%41", "/%%41", "/a?q=1", "/[x]", "/^", "/$x{y}", "/%5C", "/squid-internal-mgr/info", "/A/x/B", "/%00", "/%zz", "/a%3Fb", "/%0Ax.exe", "/x.exe%0A")
	return q
}

// disagreement is what Squid does otherwise than the model says; empty where they agree.
func disagreement(v squid.Verdict, state squid.State, answer *http.Response) string {
	page, _, _ := strings.Cut(answer.Header.Get("X-Squid-Error"), " ")
	denied := answer.StatusCode == http.StatusForbidden && (page == "ERR_ACCESS_DENIED" || strings.HasPrefix(page, "GATEWAY_"))
	want := "ERR_ACCESS_DENIED"
	for _, r := range state.Rules {
		if r.ID == v.Rule && r.Name != "" {
			want = squid.PageOf(r.Name)
		}
	}
	switch {
	case denied == v.Allowed:
		return fmt.Sprintf("answered %d %s, the model says %+v", answer.StatusCode, page, v)
	case denied && page != want:
		return fmt.Sprintf("denied by %s, the model says %+v: %s", page, v, want)
	}
	return ""
}

// What the real Squid does with random requests by random rules is what the model says, the page of
// the deciding rule included; a model with one rule turned round says something else.
func TestBarServices06TheDryRunIsWhatSquidDoes(t *testing.T) {
	const perSet = 100
	sets := bar.GateSize(8, 200, 5000)
	seed := componenttest.FuzzSeed(t)
	random := rand.New(rand.NewPCG(seed, seed))
	s := squidtest.New(t, lab.New(t))
	s.AnswerNames()
	own := s.IP()
	asked, allowed, byRule, wrong, control := 0, 0, 0, 0, 0
	for range sets {
		state := randomState(random, time.Now().UTC(), own)
		s.Use(state)
		turned := turn(state, random)
		requests := make([]squid.Request, perSet)
		for i := range requests {
			requests[i] = randomRequest(random, own)
		}
		said := askAll(t, s, requests)
		for i, q := range requests {
			q.At = time.Now().UTC()
			v, err := state.Explain(q)
			if err != nil || said[i] == nil {
				t.Fatalf("seed %d: %+v: %v", seed, q, err)
			}
			asked++
			if v.Allowed {
				allowed++
			}
			if v.Why == squid.ByRule {
				byRule++
			}
			if d := disagreement(v, state, said[i]); d != "" {
				if wrong++; wrong < 10 {
					t.Logf("seed %d: %+v: %s\n%+v", seed, q, d, state.Rules)
				}
			}
			if v, _ := turned.Explain(q); disagreement(v, turned, said[i]) != "" {
				control++
			}
		}
	}
	figure := fmt.Sprintf("%d sets, %d requests, %d allowed, %d decided by a rule: %d disagreements; control with one rule inverted: %d", sets, asked, allowed, byRule, wrong, control)
	bar.Report(t, "services", 6, figure, "0 disagreements; the control shows some", wrong == 0 && control > 0 && allowed > 0 && allowed < asked)
}

// turn is a state with one rule that does the opposite.
func turn(s squid.State, r *rand.Rand) squid.State {
	s.Rules = append([]squid.StoredRule(nil), s.Rules...)
	i := r.IntN(len(s.Rules))
	s.Rules[i].Action = map[string]string{"allow": "deny", "deny": "allow"}[s.Rules[i].Action]
	return s
}

func askAll(t *testing.T, s *squidtest.Server, requests []squid.Request) []*http.Response {
	t.Helper()
	said := make([]*http.Response, len(requests))
	var all sync.WaitGroup
	const workers = 4
	for w := range workers {
		all.Go(func() {
			for i := w; i < len(requests); i += workers {
				conn, err := dialFrom(t.Context(), s, requests[i].Source)
				if err != nil {
					t.Errorf("connect: %v", err)
					continue
				}
				answer, err := squidtest.Ask(conn, requests[i])
				conn.Close()
				if err != nil {
					t.Errorf("%+v: %v", requests[i], err)
					continue
				}
				said[i] = answer
			}
		})
	}
	all.Wait()
	return said
}
