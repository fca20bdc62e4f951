package cert

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/cert/pemfiles"
	"gateway/lab/bindtest"
	"gateway/lab/pebbletest"
)

const testZone = "example.test"

// newFaulty is a rig whose name server the test changes.
func newFaulty(t testing.TB, o pebbletest.Options) *authorised {
	t.Helper()
	bind := bindtest.New(t, testZone, "")
	o.DNS = bind.Addr
	a := newAuthorised(t, o)
	a.bind, a.s.outside.DNSPort = bind, bind.Port
	return a
}

// injected is one way for an order to fail.
type injected struct {
	code  string
	dns01 bool
	begin func(a *authorised, c Certificate)
	end   func(a *authorised, c Certificate) // nil: it heals by itself
}

// injections are the eight faults.
var injections = []injected{
	{
		code:  dnsMismatch,
		begin: func(a *authorised, c Certificate) { a.lead(c.Names[0], nowhere) },
		end:   func(a *authorised, c Certificate) { a.lead(c.Names[0], here) },
	},
	{
		code: caaForbids,
		begin: func(a *authorised, c Certificate) {
			a.bind.Set(a.T, testZone, c.Names[0], "CAA", `0 issue "other.example"`)
		},
		end: func(a *authorised, c Certificate) { a.bind.Set(a.T, testZone, c.Names[0], "CAA") },
	},
	{
		code:  portUnreachable,
		begin: func(a *authorised, c Certificate) { a.lead(c.Names[0], closed) },
		end:   func(a *authorised, c Certificate) { a.lead(c.Names[0], here) },
	},
	{
		code:  rateLimited,
		begin: func(a *authorised, _ Certificate) { a.stand(limit) },
		end:   func(a *authorised, _ Certificate) { a.fault.Store(nil) },
	},
	{
		code:  accountLost,
		begin: func(a *authorised, _ Certificate) { a.ca.Stop(); a.ca.Start() },
	},
	{
		code:  validationFailed,
		begin: func(a *authorised, _ Certificate) { a.lies.Store(true) },
		end:   func(a *authorised, _ Certificate) { a.lies.Store(false) },
	},
	{
		code: dnsUpdateFailed, dns01: true,
		begin: func(a *authorised, c Certificate) { a.key(c, "d3Jvbmc=") },
		end:   func(a *authorised, c Certificate) { a.key(c, bindtest.Key) },
	},
	{
		code: acmeUnreachable,
		begin: func(a *authorised, _ Certificate) {
			a.stand(func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") })
		},
		end: func(a *authorised, _ Certificate) { a.fault.Store(nil) },
	},
}

func (a *authorised) stand(f stand) { a.fault.Store(&f) }

// limit is an authority that has had enough.
func limit(r *http.Request) (*http.Response, error) {
	if !strings.Contains(r.URL.Path, "order-plz") {
		return nil, nil
	}
	const problem = `{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many new orders recently","status":429}`
	return &http.Response{
		StatusCode: http.StatusTooManyRequests, Request: r, Body: io.NopCloser(bytes.NewReader([]byte(problem))),
		Header: http.Header{"Content-Type": {"application/problem+json"}, "Retry-After": {"7200"}, "Replay-Nonce": {"bm9uY2U"}},
	}, nil
}

// key changes what a certificate's provider signs with.
func (a *authorised) key(c Certificate, key string) {
	a.T.Helper()
	a.Do("PUT", "/certificates/dns-providers/"+*c.DNSProviderID, object{"name": "ours " + c.Names[0], "kind": "rfc2136", "settings": object{
		"server": a.bind.Addr, "key_name": bindtest.KeyName, "key": key,
	}}).Want(http.StatusOK)
}

// issued is a certificate that is served already.
func (a *authorised) issued(name string, byDNS bool) Certificate {
	a.T.Helper()
	var c Certificate
	if byDNS {
		c = a.make(object{"source": "acme", "challenge": "dns-01", "dns_provider_id": a.provider(a.bind.Addr).ID, "names": []string{name}})
	} else {
		c = a.ordered(name)
	}
	a.tick()
	if c = a.get(c.ID); c.Status != "valid" {
		a.T.Fatalf("%s before anything was wrong: %s %s", name, c.code(), text(c.LastErrorText))
	}
	return c
}

func (a *authorised) renew(c Certificate) {
	a.T.Helper()
	a.Do("POST", "/certificates/"+c.ID+"/renew", nil).Want(http.StatusAccepted)
	a.tick()
}

// suffers runs one fault from its beginning to its end, and reports whether all was as it
// should be: the code, the old certificate served meanwhile, one alert, the new one after.
func (f injected) suffers(a *authorised, name string) bool {
	a.T.Helper()
	c := a.issued(name, f.dns01)
	a.forget()
	before := len(a.alerted())
	f.begin(a, c)
	a.renew(c)
	good := a.suffers(c, f.code)
	if f.end != nil {
		a.pass(13 * time.Hour)
		a.tick()
		good = a.suffers(c, f.code) && good
		f.end(a, c)
	}
	a.pass(13 * time.Hour)
	a.tick()
	now := a.get(c.ID)
	if now.Status != "valid" || now.Serial == c.Serial || !pemfiles.SameSerial(a.haproxy.Serial(name), now.Serial) {
		a.T.Errorf("%s: after its end %s is %s (%s %s), want a new one served", f.code, name, now.Status, now.code(), text(now.LastErrorText))
		return false
	}
	told := a.alerted()[before:]
	if len(told) != 1 || told[0].Code != f.code || told[0].Name != name || told[0].Remedy == "" {
		a.T.Errorf("%s: alerts = %+v, want one", f.code, told)
		return false
	}
	return good
}

func (a *authorised) suffers(c Certificate, code string) bool {
	a.T.Helper()
	now := a.get(c.ID)
	if now.code() != code || text(now.Remedy) == "" || now.Serial != c.Serial || now.NextAttemptAt == nil {
		a.T.Errorf("%s has %q (%s), want %s with a remedy", c.Names[0], now.code(), text(now.LastErrorText), code)
		return false
	}
	if got := a.haproxy.Serial(c.Names[0]); !pemfiles.SameSerial(got, c.Serial) {
		a.T.Errorf("%s is served with %s, want the old one %s", c.Names[0], got, c.Serial)
		return false
	}
	return true
}

func TestTheDoctorFindsWhatWouldFail(t *testing.T) {
	a := newFaulty(t, pebbletest.Options{})
	for _, tc := range []struct {
		name    string
		addrs   []string
		caa     []string
		want    string // code
		certain bool
	}{
		{"all is well", []string{here}, nil, "", false},
		{"a name that leads nowhere", nil, nil, dnsMismatch, true},
		{"a name that leads to another server", []string{elsewhere}, nil, dnsMismatch, true},
		{"a name that leads to an address that is silent", []string{nowhere}, nil, dnsMismatch, false},
		{"one of two addresses is another server", []string{here, elsewhere}, nil, dnsMismatch, true},
		{"a port that is closed", []string{closed}, nil, portUnreachable, true},
		{"records for another authority", []string{here}, []string{`0 issue "other.example"`}, caaForbids, true},
		{"records that forbid all", []string{here}, []string{`0 issue ";"`}, caaForbids, true},
		{"records for this authority too", []string{here}, []string{`0 issue "other.example"`, `0 issue "Pebble.letsencrypt.org; x=y"`}, "", false},
		{"records about wildcards only", []string{here}, []string{`0 issuewild ";"`}, "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := "doctor." + testZone
			a.lead(name, tc.addrs...)
			a.bind.Set(t, testZone, name, "CAA", tc.caa...)
			found := a.s.diagnose(t.Context(), due{Names: []string{name}, Challenge: http01}, a.setup.ACME)
			code, certain := "", false
			for _, f := range found {
				if f.Code != "" {
					code, certain = f.Code, certain || f.certain
					if f.OK || f.Message == "" || f.Remedy == "" {
						t.Errorf("finding %+v, want a message and a remedy", f)
					}
				}
			}
			if code != tc.want || certain != tc.certain {
				t.Errorf("found %q (certain: %t), want %q (%t): %+v", code, certain, tc.want, tc.certain, found)
			}
		})
	}
}

func TestACheckOrdersNothing(t *testing.T) {
	a := newFaulty(t, pebbletest.Options{})
	c := a.issued("www."+testZone, false)
	a.lead("www."+testZone, elsewhere)
	a.Do("POST", "/certificates/"+c.ID+"/check", nil).Want(http.StatusAccepted)
	a.tick()
	now := a.get(c.ID)
	bad := 0
	for _, f := range now.Checks {
		if f.Code == dnsMismatch {
			bad++
		}
	}
	if bad != 1 || now.CheckedAt == nil || now.Serial != c.Serial || now.Status != "valid" {
		t.Errorf("after the check: %+v, want one finding and nothing else changed", now)
	}
}

func TestTheBudgetOfAnAuthorityIsNotOverdrawn(t *testing.T) {
	a := newRig(t)
	directory := "https://acme-v02.api.letsencrypt.org/directory"
	c := due{Names: []string{"a.example.com", "b.example.com"}}
	look := func() string {
		p := &preflight{service: a.s, c: c}
		p.budget(t.Context(), directory)
		return p.findings[0].Code
	}
	for n, want := range []string{"", "", "", "", "", rateLimited} {
		if got := look(); got != want {
			t.Errorf("after %d orders = %q, want %q", n, got, want)
		}
		if err := a.s.noteOrder(t.Context(), c, directory, nil); err != nil {
			t.Fatal(err)
		}
	}
	a.pass(8 * 24 * time.Hour)
	if got := look(); got != "" {
		t.Errorf("a week later = %q, want none", got)
	}
	for range 5 {
		if err := a.s.noteOrder(t.Context(), c, directory, &trouble{code: validationFailed}); err != nil {
			t.Fatal(err)
		}
	}
	if got := look(); got != rateLimited {
		t.Errorf("after five failures = %q, want %q", got, rateLimited)
	}
}

func TestPausesGrowAndDiffer(t *testing.T) {
	for attempts := range 20 {
		short := firstPause << min(attempts, 10)
		got := pause(&trouble{code: orderFailed}, attempts)
		if got < min(short, longestPause) || got > longestPause*6/5+1 {
			t.Errorf("after %d attempts = %s", attempts, got)
		}
	}
	if got := pause(&trouble{code: rateLimited, after: 100 * time.Hour}, 0); got != 100*time.Hour {
		t.Errorf("when the authority says so = %s, want 100h", got)
	}
	for code := range remedies {
		if remedies[code] == "" || !strings.HasSuffix(remedies[code], ".") {
			t.Errorf("the remedy for %s is %q", code, remedies[code])
		}
	}
}

func TestACertificateThatIsNotServedIsToldAndNotOrderedAgain(t *testing.T) {
	a := newFaulty(t, pebbletest.Options{})
	c := a.issued("www."+testZone, false)
	other := httptest.NewTLSServer(http.NotFoundHandler()) // stands for a proxy that did not take it
	defer other.Close()
	nobody := a.s.outside.Served
	a.s.outside.Served = other.Listener.Addr().String()
	a.renew(c)
	now := a.get(c.ID)
	if now.code() != notServed || now.Serial == c.Serial || len(a.alerted()) != 1 {
		t.Errorf("after the order: %s, serial new: %t, %d alerts, want it told", now.code(), now.Serial != c.Serial, len(a.alerted()))
	}
	a.pass(2 * time.Minute)
	a.tick()
	if again := a.get(c.ID); again.code() != notServed || again.Serial != now.Serial {
		t.Errorf("a minute later: %s, serial %s, want no other order", again.code(), again.Serial)
	}
	a.s.outside.Served = nobody
	a.pass(2 * time.Minute)
	a.tick()
	if again := a.get(c.ID); again.Status != "valid" || again.Serial != now.Serial {
		t.Errorf("once it is served: %s %s, want all well", again.Status, again.code())
	}
}
