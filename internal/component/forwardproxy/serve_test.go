package forwardproxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/forwardproxy"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/component/forwardproxy/squidtest"
	"gateway/internal/db"
	"gateway/lab"
	"gateway/tools/bar"
)

// served is the component with a real Squid at its other end, a client and a web server.
type served struct {
	*componenttest.Rig
	component   component.Component
	squid       *squidtest.Server
	client, web *lab.Client
	names       map[string][]byte // of lists, as gateway-apply keeps them
}

func serve(t *testing.T) *served {
	t.Helper()
	l := lab.New(t)
	s := &served{squid: squidtest.New(t, l), client: l.Client("client", lab.On("lan")), web: l.Client("web", lab.On("lan"))}
	with := setup(t)
	with.Component = func(r *componenttest.Rig) component.Component {
		s.component = forwardproxy.New(forwardproxy.Options{DB: r.Pool, Run: r.Run, Host: machine(), Dial: s.squid.DialInternal})
		return s.component
	}
	s.Rig = componenttest.New(t, with)
	s.on(object{})
	return s
}

// on switches it on for the lan of the lab.
func (s *served) on(more object) {
	s.T.Helper()
	body := object{"enabled": true, "allowed_networks": []string{s.client.IP().String()}, "ports": []string{"1-65535"}, "connect_ports": []string{"1-65535"}}
	for k, v := range more {
		body[k] = v
	}
	s.Edit("/forward-proxy/settings", body).Want(http.StatusOK)
	s.use()
}

// use has Squid run on the rows, with its own address in the place of the made-up ones.
func (s *served) use() {
	s.T.Helper()
	state, err := squid.Load(s.T.Context(), s.Pool, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	if state, s.names, err = state.WithAllNames(s.T.Context(), s.Pool, s.names); err != nil {
		s.T.Fatal(err)
	}
	state.Own = append(state.Own, s.squid.IP())
	s.squid.Use(state)
}

func (s *served) acl(body object) string {
	s.T.Helper()
	if body["only_from"] == nil {
		body["only_from"] = []string{}
	}
	id := s.Do("POST", "/forward-proxy/acls", body).Want(http.StatusCreated).ID()
	s.use()
	return id
}

// through is a client whose requests go by the proxy.
func (s *served) through(at *lab.Client) *http.Client {
	proxy := &url.URL{Scheme: "http", Host: net.JoinHostPort(s.squid.IP().String(), "3128")}
	return &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{
		DisableKeepAlives: true, Proxy: http.ProxyURL(proxy),
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return at.DialContext(ctx, network, addr)
		},
	}}
}

func (s *served) get(at *lab.Client, address string) (int, string) {
	s.T.Helper()
	answer, err := s.through(at).Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text)
}

// raw is the first line of the answer to a request as it stands.
func (s *served) raw(request string) string {
	s.T.Helper()
	conn, err := s.client.DialContext(s.T.Context(), "tcp", net.JoinHostPort(s.squid.IP().String(), "3128"))
	if err != nil {
		s.T.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		s.T.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		s.T.Fatal(err)
	}
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return line
}

// site serves in the web server's place, and returns its URL.
func site(t *testing.T, at *lab.Client, h http.Handler) string {
	t.Helper()
	ln, err := at.Listen(t.Context(), "tcp", net.JoinHostPort(at.IP().String(), "80"))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { server.Close() })
	return "http://" + at.IP().String()
}

// shows FWD-03, FWD-04, FWD-06, FWD-07
func TestRequestsGoByTheProxy(t *testing.T) {
	s := serve(t)
	home := site(t, s.web, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello ", r.Header.Get("X-Forwarded-For")) }))
	if status, text := s.get(s.client, home+"/"); status != 200 || text != "hello " {
		t.Fatalf("answered %d %q", status, text)
	}
	// Denied by a rule, on a page that says which one and whom to ask.
	s.Edit("/forward-proxy/settings", object{"contact": "it@example.com"}).Want(200)
	denying := s.acl(object{"action": "deny", "type": "url", "value": "*/secret*", "name": "No <secrets>", "priority": 10})
	status, text := s.get(s.client, home+"/secret")
	if status != 403 || !strings.Contains(text, "No &lt;secrets&gt;") || !strings.Contains(text, "it&#64;example.com") || strings.Contains(text, "<secrets>") {
		t.Errorf("answered %d %s", status, text)
	}
	if status, _ := s.get(s.client, home+"/open"); status != 200 {
		t.Errorf("another URL is answered %d", status)
	}
	// The lower number decides.
	s.acl(object{"action": "allow", "type": "source", "value": s.client.IP().String(), "priority": 5})
	if status, _ := s.get(s.client, home+"/secret"); status != 200 {
		t.Errorf("with an earlier rule that allows, answered %d", status)
	}
	s.Edit("/forward-proxy/acls/"+denying, object{"priority": 1}).Want(200)
	s.use()
	if status, _ := s.get(s.client, home+"/secret"); status != 403 {
		t.Errorf("with the denying rule first, answered %d", status)
	}
	stats := s.Do("GET", "/forward-proxy/stats", nil).Want(200)
	if stats.Field("requests") == "0" || !strings.HasPrefix(stats.Field("version"), "6.") || stats.Field("max_descriptors") == "0" {
		t.Errorf("the counters are %s", stats.Data)
	}
	if s.squid.Restarts != 1 {
		t.Errorf("it was started %d times", s.squid.Restarts)
	}
	s.Edit("/forward-proxy/settings", object{"enabled": false}).Want(200)
	if err := s.squid.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Do("GET", "/forward-proxy/stats", nil).Want(409)
}

// Own addresses, and whoever is outside of the allowed networks, are refused; the control is the
// same state without what refuses.
func TestWhatNoRuleCanAllow(t *testing.T) {
	s := serve(t)
	inside := site(t, s.squid.Client, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "inside") }))
	s.acl(object{"action": "allow", "type": "url", "value": "*/*", "priority": -1})
	refused := []string{inside + "/", "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://[::1]/", "http://localhost/", "http://169.254.1.1/", "http://0/", "http://100.100.100.200/", "http://1684301000/", "http://[fd00:ec2::254]/latest/"}
	for _, address := range refused {
		if status, _ := s.get(s.client, address); status != 403 {
			t.Errorf("%s is answered %d", address, status)
		}
	}
	if status, text := s.get(s.web, inside+"/"); status != 403 {
		t.Errorf("somebody outside of the networks is answered %d %s", status, text)
	}
	if status, text := s.get(s.client, fmt.Sprintf("http://%s:3128/squid-internal-mgr/info", s.squid.IP())); status != 403 {
		t.Errorf("the manager is answered %d %s", status, text)
	}
	// By the name that the proxy calls itself, and past what matches its manager's URL.
	for _, target := range []string{
		"http://gateway.invalid:13128/squid-internal-mgr/active_requests", "http://gateway.invalid:13128/%73quid-internal-mgr/active_requests",
		"ftp://a%2Fb@gateway.invalid:13128/squid-internal-mgr/active_requests", "ftp://" + s.web.IP().String() + "/",
	} {
		if line := s.raw("GET " + target + " HTTP/1.1\r\nHost: gateway.invalid\r\nConnection: close\r\n\r\n"); !strings.Contains(line, " 403 ") {
			t.Errorf("%s is answered %q", target, line)
		}
	}
	state, err := squid.Load(t.Context(), s.Pool, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.squid.Use(state) // which does not know its address
	if status, text := s.get(s.client, inside+"/"); status != 200 || text != "inside" {
		t.Errorf("the control is answered %d %s", status, text)
	}
}

// refusals counts the connections that the proxy refuses, tried every five milliseconds, until it is
// stopped.
func refusals(s *served) (stop func() (tried, refused int)) {
	done, ended := make(chan struct{}), make(chan struct{})
	tried, refused := 0, 0
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			tried++
			conn, err := s.client.DialContext(context.Background(), "tcp", net.JoinHostPort(s.squid.IP().String(), "3128"))
			if err != nil {
				refused++
				continue
			}
			conn.Close()
		}
	}()
	return func() (int, int) { close(done); <-ended; return tried, refused }
}

// A change does not cut what runs.
func TestDownloadsOutliveChanges(t *testing.T) {
	s := serve(t)
	const size = 64 << 10
	running, changes := bar.GateSize(20, 200, 200), bar.GateSize(5, 60, 60)
	release := make(chan struct{})
	home := site(t, s.web, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(2*size))
		_, _ = w.Write(make([]byte, size))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
		_, _ = w.Write(make([]byte, size))
	}))
	var all sync.WaitGroup
	var begun sync.WaitGroup
	got := make([]int64, running)
	for i := range running {
		begun.Add(1)
		all.Go(func() {
			answer, err := s.through(s.client).Get(home + "/" + fmt.Sprint(i))
			begun.Done()
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			got[i], _ = io.Copy(io.Discard, answer.Body)
		})
	}
	begun.Wait()
	stop := refusals(s)
	for i := range changes {
		s.acl(object{"action": "deny", "type": "domain", "value": fmt.Sprintf("host%d.example.com", i)})
	}
	tried, refused := stop()
	t.Logf("%d changes, %d downloads under way: %d of %d connections were refused", changes, running, refused, tried)
	close(release)
	all.Wait()
	if i := slices.IndexFunc(got, func(n int64) bool { return n != 2*size }); i >= 0 {
		t.Errorf("download %d has %d bytes of %d", i, got[i], 2*size)
	}
	if s.squid.Restarts != 1 || s.squid.Reloads != changes {
		t.Errorf("%d starts, %d reloads", s.squid.Restarts, s.squid.Reloads)
	}
}

func TestProblems(t *testing.T) {
	s := serve(t)
	var address any
	found := func() (codes []string) {
		t.Helper()
		r, err := s.component.Problems.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Problems {
			codes = append(codes, p.Code)
			address = p.Params["address"]
		}
		return codes
	}
	if got := found(); !slices.Equal(got, []string{"forwardproxy.no_interface"}) {
		t.Errorf("without an interface in its zone, found are %v", got)
	}
	s.Restore(`insert into network_interfaces (id, revision, created_at, updated_at, name, type, role, parent, members, description)
		values ($1, 1, now(), now(), 'eth1', 'ethernet', 'lan', '', '{}', '')`, db.NewID())
	if got := found(); len(got) > 0 {
		t.Errorf("all is well, and found are %v", got)
	}
	s.Do("POST", "/forward-proxy/lists", object{"name": "advertising"}).Want(201)
	rule := s.Do("POST", "/forward-proxy/acls", object{"type": "list", "value": "advertising", "action": "deny", "only_from": []string{}, "priority": 1}).Want(201).ID()
	if got := found(); !slices.Equal(got, []string{"forwardproxy.list_empty"}) {
		t.Errorf("with a list that has no names, found are %v", got)
	}
	s.Do("DELETE", "/forward-proxy/acls/"+rule, nil).Want(200)
	s.on(object{"listen_addresses": []string{s.squid.IP().String(), "192.0.2.99", "2001:db8::99"}})
	if got := found(); !slices.Equal(got, []string{"forwardproxy.not_listening"}) || address != "192.0.2.99:3128, [2001:db8::99]:3128" {
		t.Errorf("with two addresses that are not there, found are %v of %v", got, address)
	}
	s.on(object{"listen_addresses": []string{}, "dns_servers": []string{s.web.IP().String()}}) // where no name server is
	asked, stop := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	asking.Go(func() {
		for range 4 { // Squid waits for an answer, and asks again
			req, err := http.NewRequestWithContext(asked, http.MethodGet, fmt.Sprintf("http://%s.example.com/", db.NewID()), nil)
			if err == nil {
				asking.Go(func() { _, _ = s.through(s.client).Do(req) })
			}
			<-time.After(500 * time.Millisecond)
		}
	})
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && len(found()) == 0; <-time.After(100 * time.Millisecond) {
	}
	if got := found(); !slices.Equal(got, []string{"forwardproxy.dns_away"}) {
		t.Errorf("with a DNS server that does not answer, found are %v", got)
	}
	stop()
	asking.Wait()
	s.on(object{"listen_addresses": []string{}, "allowed_networks": []string{}, "parent_host": s.web.IP().String(), "parent_port": 9})
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && len(found()) < 2; <-time.After(100 * time.Millisecond) {
		s.Edit("/forward-proxy/settings", object{"allowed_networks": []string{s.client.IP().String()}}).Want(200)
		s.use()
		for range 12 { // Squid finds out by what it is asked for
			s.get(s.client, "http://203.0.113.9/")
		}
		s.Edit("/forward-proxy/settings", object{"allowed_networks": []string{}}).Want(200)
	}
	if got := found(); !slices.Contains(got, "forwardproxy.parent_away") || !slices.Contains(got, "forwardproxy.nobody_allowed") {
		t.Errorf("with a parent that is away, found are %v", got)
	}
	if err := s.squid.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := found(); !slices.Equal(got, []string{"forwardproxy.not_answering"}) {
		t.Errorf("killed, found are %v", got)
	}
	s.Edit("/forward-proxy/settings", object{"enabled": false}).Want(200)
	if got := found(); len(got) > 0 {
		t.Errorf("off, found are %v", got)
	}
}
