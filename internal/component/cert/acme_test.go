package cert

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/setupstate"
	"gateway/lab/bindtest"
	"gateway/lab/pebbletest"
)

// authorised is a rig with an authority that reaches it over HTTP.
type authorised struct {
	*rig
	ca    *pebbletest.Authority
	bind  *bindtest.Server      // nil: the authority's own name server
	fault atomic.Pointer[stand] // in the way to the authority
	lies  atomic.Bool           // our answers to the authority are wrong
	proof atomic.Value          // address of the last proof that a name is ours, as a string
}

// stand answers in the authority's place, or passes on: nil, nil.
type stand func(*http.Request) (*http.Response, error)

// The addresses of the test: ours, one where somebody else answers, and one where nobody does.
const (
	here      = "127.0.0.1"
	closed    = "127.0.0.2" // ours too, but nobody serves there
	elsewhere = "127.0.0.3"
	nowhere   = "127.0.0.4"
)

func newAuthorised(t testing.TB, o pebbletest.Options) *authorised {
	t.Helper()
	a := &authorised{rig: newRig(t)}
	ours, err := net.Listen("tcp", here+":0")
	if err != nil {
		t.Fatal(err)
	}
	a.serve(ours, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.lies.Load() && !strings.Contains(r.URL.Path, "/check-") {
			http.NotFound(w, r)
			return
		}
		a.Edge.Handler().ServeHTTP(w, r)
	}))
	o.HTTPPort = ours.Addr().(*net.TCPAddr).Port
	port := strconv.Itoa(o.HTTPPort)
	others, err := net.Listen("tcp", elsewhere+":"+port)
	if err != nil {
		t.Fatal(err)
	}
	a.serve(others, http.NotFoundHandler())
	a.ca = pebbletest.New(t, o)
	a.setup.ACME = setupstate.ACME{Email: "ops@example.com", DirectoryURL: a.ca.URL, TermsAgreed: true}
	a.s.outside = Outside{
		Resolver: a.ca.DNS, HTTPPort: port, Served: "127.0.0.1:1",
		Addresses: func() ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr(here), netip.MustParseAddr(closed), netip.MustParseAddr("203.0.113.7")}, nil
		},
		Transport: func() (http.RoundTripper, error) { return a, nil },
	}
	return a
}

func (a *authorised) serve(ln net.Listener, h http.Handler) {
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Second}
	go func() { _ = s.Serve(ln) }()
	a.T.Cleanup(func() { _ = s.Close() })
}

// RoundTrip is the way to the authority, where a test may stand.
func (a *authorised) RoundTrip(r *http.Request) (*http.Response, error) {
	if stand := a.fault.Load(); stand != nil {
		if resp, err := (*stand)(r); resp != nil || err != nil {
			return resp, err
		}
	}
	if strings.Contains(r.URL.Path, "/authZ/") {
		a.proof.Store(r.URL.String())
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: a.ca.Roots}, DisableKeepAlives: true}
	return transport.RoundTrip(r)
}

// forget takes back the last proof. Pebble would take it once more for one order in a hundred, also when it is told
// to take none, and issue a certificate that nobody answered for.
func (a *authorised) forget() {
	a.T.Helper()
	client, err := a.s.client(a.ca.URL)
	if err != nil {
		a.T.Fatal(err)
	}
	account, err := a.s.account(a.T.Context(), client, a.setup.ACME)
	if err != nil {
		a.T.Fatal(err)
	}
	if _, err := client.DeactivateAuthorization(a.T.Context(), account, a.proof.Load().(string)); err != nil {
		a.T.Fatal(err)
	}
}

// tick is the scheduler's job, once.
func (a *authorised) tick() {
	a.T.Helper()
	if err := a.s.renewDue(a.T.Context()); err != nil {
		a.T.Fatal(err)
	}
}

// ordered stores a certificate for names that lead here.
func (a *authorised) ordered(names ...string) Certificate {
	a.T.Helper()
	for _, n := range names {
		a.lead(n, here)
	}
	return a.make(object{"source": "acme", "names": names})
}

// lead makes a name lead somewhere.
func (a *authorised) lead(name string, addrs ...string) {
	a.T.Helper()
	if a.bind == nil {
		a.ca.Address(name, addrs...)
		return
	}
	a.bind.Set(a.T, testZone, name, "A", addrs...)
}

// code is the last error, or "".
func (c Certificate) code() string {
	if c.LastError == nil {
		return ""
	}
	return *c.LastError
}

// shows CERT-01, CERT-02, CERT-03
func TestACertificateIsIssuedAndRenewed(t *testing.T) {
	a := newAuthorised(t, pebbletest.Options{RejectNonce: 20})
	h := a.withProxy()
	c := a.ordered("www.example.com", "example.com")
	if c.Status != "pending" {
		t.Errorf("status before = %s, want pending", c.Status)
	}
	a.tick()
	c = a.get(c.ID)
	if c.Status != "valid" || c.ExpiresAt == nil || c.LastRenewedAt == nil || c.Serial == "" || len(c.Checks) == 0 {
		t.Fatalf("after ordering: %+v", c)
	}
	if got := h.Serial("example.com"); !pemfiles.SameSerial(got, c.Serial) {
		t.Errorf("served = %s, want the issued one %s", got, c.Serial)
	}
	first := c
	a.tick()
	if c = a.get(c.ID); c.Serial != first.Serial {
		t.Error("a certificate that is not due was renewed")
	}
	a.pass(61 * 24 * time.Hour)
	a.tick()
	if c = a.get(c.ID); c.Serial == first.Serial || !c.LastRenewedAt.After(*first.LastRenewedAt) {
		t.Errorf("with a third of its lifetime left: %+v, want a new one", c)
	}
	if got := h.Serial("example.com"); !pemfiles.SameSerial(got, c.Serial) {
		t.Errorf("served after the renewal = %s, want %s", got, c.Serial)
	}
	a.Do("POST", "/certificates/"+c.ID+"/renew", nil).Want(http.StatusAccepted)
	a.tick()
	if again := a.get(c.ID); again.Serial == c.Serial {
		t.Error("what was asked for was not done")
	}
	if got := a.count(`select count(id) from acme_accounts`); got != 1 {
		t.Errorf("accounts = %d, want the same for all orders", got)
	}
	if got := a.count(`select count(token) from acme_challenges`); got != 0 {
		t.Errorf("%d challenges are left, want none", got)
	}
	if len(a.alerted()) != 0 {
		t.Errorf("alerts = %+v, want none", a.alerted())
	}
}

func (r *rig) count(query string, args ...any) int {
	r.T.Helper()
	var n int
	if err := r.Pool.QueryRow(r.T.Context(), query, args...).Scan(&n); err != nil {
		r.T.Fatal(err)
	}
	return n
}

func TestAnotherNameOrAuthorityIsOrderedAnew(t *testing.T) {
	a := newAuthorised(t, pebbletest.Options{})
	c := a.ordered("a.example.com")
	a.tick()
	first := a.get(c.ID)
	a.ca.Address("b.example.com", here)
	c = a.put(c, object{"source": "acme", "names": []string{"a.example.com", "b.example.com"}})
	if c.Serial != first.Serial {
		t.Error("the old certificate is gone before the new one is there")
	}
	a.tick()
	second := a.get(c.ID)
	if second.Serial == first.Serial {
		t.Error("a name was added, and the certificate is the same")
	}
	a.put(c, object{"source": "acme", "names": []string{"a.example.com", "b.example.com"}, "key_type": "rsa-2048"})
	a.tick()
	if third := a.get(c.ID); third.Serial == second.Serial {
		t.Error("another kind of key was wanted, and the certificate is the same")
	}
}

func TestTheAuthorityIsAskedWhenToRenew(t *testing.T) {
	a := newAuthorised(t, pebbletest.Options{})
	c := a.ordered("www.example.com")
	a.tick()
	if err := a.s.upkeep(t.Context()); err != nil {
		t.Fatal(err)
	}
	var at time.Time
	if err := a.Pool.QueryRow(t.Context(), `select renew_at from certificate_status where certificate_id = $1`, c.ID).Scan(&at); err != nil {
		t.Fatal(err)
	}
	first := a.get(c.ID)
	if !at.After(time.Now()) || !at.Before(*first.ExpiresAt) {
		t.Errorf("renew at %s, want within the lifetime", at)
	}
	a.pass(time.Until(at) + time.Minute)
	a.tick()
	if c = a.get(c.ID); c.Serial == first.Serial {
		t.Errorf("the authority wanted it renewed, and it was not: %s %s", c.code(), text(c.LastErrorText))
	}
}

func TestAChallengeIsAnsweredToAnybodyAndNothingElse(t *testing.T) {
	a := newAuthorised(t, pebbletest.Options{})
	token := "abcdefghijklmnop"
	if err := a.s.present(t.Context(), token, "the answer"); err != nil {
		t.Fatal(err)
	}
	url := "http://" + net.JoinHostPort(here, a.s.outside.HTTPPort) + "/.well-known/acme-challenge/"
	for word, want := range map[string]int{token: http.StatusOK, "abcdefghijklmnox": http.StatusNotFound, "x": http.StatusNotFound, "%27or%201=1--aaaaaa": http.StatusNotFound, "": http.StatusNotFound} {
		resp, err := http.Get(url + word)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%q answered %d, want %d", word, resp.StatusCode, want)
		}
	}
	resp, err := http.Post(url+token, "text/plain", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST answered %d, want 405", resp.StatusCode)
	}
	a.pass(2 * challengeTime)
	if _, err := a.s.keyAuthorization(t.Context(), token); err == nil {
		t.Error("a challenge that is over was answered")
	}
}

// Anybody may ask for challenges that do not exist, a thousand times a second.
func TestAskingForUnknownChallengesCostsFewQueries(t *testing.T) {
	a := newAuthorised(t, pebbletest.Options{})
	looks := 0
	for range 1000 {
		if a.s.challenges.mayLook(a.s.Now()) {
			looks++
		}
	}
	if looks > lookBurst+1 {
		t.Errorf("the database is asked %d times of 1000, want %d at most", looks, lookBurst)
	}
	token := "0123456789abcdef"
	if err := a.s.present(t.Context(), token, "the answer"); err != nil {
		t.Fatal(err)
	}
	a.s.challengesChanged(t.Context(), "") // as the database tells it
	if text, err := a.s.keyAuthorization(t.Context(), token); err != nil || text != "the answer" {
		t.Errorf("what was stored meanwhile is answered %q, %v", text, err)
	}
}
