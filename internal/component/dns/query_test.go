package dns_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	mdns "github.com/miekg/dns"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/dns"
	"gateway/internal/component/dns/dnstest"
	"gateway/internal/component/dns/unbound"
)

// shows DNS-10, DNS-15
func TestRecordsAreAnswered(t *testing.T) {
	r := dnstest.New(t)
	zone, reverse := r.Zone("example.com"), r.Zone("2.0.192.in-addr.arpa")
	for _, rec := range [][4]string{
		{zone, "www", "A", "192.0.2.1"},
		{zone, "www", "A", "192.0.2.2"},
		{zone, "www", "AAAA", "2001:db8::1"},
		{zone, "@", "MX", "10 mail"},
		{zone, "@", "NS", "ns1"},
		{zone, "@", "TXT", `v=spf1 include:_spf.example.org -all; "quoted" \ grüß`},
		{zone, "@", "TXT", `"one" "two"`},
		{zone, "_sip._tcp", "SRV", "1 2 5060 sip.example.com."},
		{zone, "@", "CAA", `0 issue "ca.example; a=b"`},
		{reverse, "1", "PTR", "www.example.com"},
		{zone, "out.example.org.", "A", "192.0.2.9"},
		{zone, "long", "TXT", strings.Repeat("long ", 400)},
	} {
		r.Record(rec[0], rec[1], rec[2], rec[3])
	}
	r.MustSync()
	for _, tc := range [][3]string{
		{"www.example.com", "A", "NOERROR | A 192.0.2.1 | A 192.0.2.2"},
		{"WWW.Example.COM", "AAAA", "NOERROR | AAAA 2001:db8::1"},
		{"example.com", "MX", "NOERROR | MX 10 mail.example.com."},
		{"example.com", "NS", "NOERROR | NS ns1.example.com."},
		{"example.com", "TXT", `NOERROR | TXT v=spf1 include:_spf.example.org -all; "quoted" \ grüß | TXT "one" "two"`},
		{"_sip._tcp.example.com", "SRV", "NOERROR | SRV 1 2 5060 sip.example.com."},
		{"example.com", "CAA", `NOERROR | CAA 0 issue "ca.example; a=b"`},
		{"1.2.0.192.in-addr.arpa", "PTR", "NOERROR | PTR www.example.com."},
		{"out.example.org", "A", "NOERROR | A 192.0.2.9"},
		{"long.example.com", "TXT", "NOERROR | TXT " + strings.Repeat("long ", 400)},
		{"www.example.com", "MX", "NOERROR"},
	} {
		if got := sorted(r.Unbound.Ask(tc[0], tc[1])); got != sorted(tc[2]) {
			t.Errorf("%s %s = %s, want %s", tc[0], tc[1], got, tc[2])
		}
	}
	if r.Installed.Files[0].Path != "/etc/unbound/unbound.conf.d/gateway.conf" || r.Installed.Files[0].Mode != 0o644 {
		t.Errorf("the file is %s with mode %o", r.Installed.Files[0].Path, r.Installed.Files[0].Mode)
	}
}

// sorted orders the parts of an answer: unbound turns the records of a set round.
func sorted(answer string) string {
	parts := strings.Split(answer, " | ")
	for range parts {
		for i := 1; i+1 < len(parts); i++ {
			if parts[i] > parts[i+1] {
				parts[i], parts[i+1] = parts[i+1], parts[i]
			}
		}
	}
	return strings.Join(parts, " | ")
}

// shows DNS-12
func TestAForwardedZoneIsAskedFromItsServers(t *testing.T) {
	general := dnstest.NewUpstream(t, dnstest.World)
	own := dnstest.NewUpstream(t, func(q mdns.Question) []mdns.RR { return []mdns.RR{dnstest.MustRR(q.Name + " 300 IN A 203.0.113.77")} })
	r := dnstest.New(t)
	r.Settings(object{"upstream_forwards": []string{general.Forward()}})
	r.MustSync()
	if got := r.Unbound.Ask("host.corp.example", "A"); got != "NOERROR | A 203.0.113.1" {
		t.Fatalf("before: %s", got)
	}
	id := r.Zone("corp.example", own.Forward())
	r.Record(id, "local", "A", "192.0.2.5")
	r.MustSync() // also forgets what the others said of it
	for name, want := range map[string]string{
		"host.corp.example": "A 203.0.113.77", "corp.example": "A 203.0.113.77", "host.other.example": "A 203.0.113.1", "local.corp.example": "A 192.0.2.5",
	} {
		if got := r.Unbound.Ask(name, "A"); got != "NOERROR | "+want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	if own.Asked("host.corp.example.", "A") == 0 || own.Asked("host.other.example.", "A") != 0 {
		t.Errorf("its server saw %v", own.Seen())
	}
	// Reverse zones of private networks are answered by unbound itself, unless they are forwarded.
	r.Zone("168.192.in-addr.arpa", own.Forward())
	r.MustSync()
	if got := r.Unbound.Ask("1.1.168.192.in-addr.arpa", "A"); got != "NOERROR | A 203.0.113.77" {
		t.Errorf("a private reverse zone = %s", got)
	}
	r.Do("DELETE", "/dns/zones/"+id, nil).Want(http.StatusOK)
	r.MustSync()
	if got := r.Unbound.Ask("host.corp.example", "A"); got != "NOERROR | A 203.0.113.1" {
		t.Errorf("after: %s", got)
	}
}

// unbound by itself answers an alias with its target's name and nothing else.
func TestAliasesLeadToAddresses(t *testing.T) {
	general := dnstest.NewUpstream(t, dnstest.World)
	r := dnstest.New(t)
	r.Settings(object{"upstream_forwards": []string{general.Forward()}})
	zone := r.Zone("example.com")
	for _, rec := range [][3]string{
		{"host", "A", "192.0.2.1"},
		{"host", "AAAA", "2001:db8::1"},
		{"host", "TXT", "of the host"},
		{"www", "CNAME", "host"},
		{"web", "CNAME", "www"},
		{"cdn", "CNAME", "cdn.example.net"},
		{"far", "CNAME", "cdn"},
		{"_acme.cdn", "TXT", "below an alias"},
		{"alias.example.org.", "CNAME", "host"},
	} {
		r.Record(zone, rec[0], rec[1], rec[2])
	}
	r.MustSync()
	check := func(name, typ, want string) {
		t.Helper()
		if got := r.Unbound.Ask(name, typ); got != want {
			t.Errorf("%s %s = %s, want %s", name, typ, got, want)
		}
	}
	check("www.example.com", "A", "NOERROR | A 192.0.2.1")
	check("www.example.com", "AAAA", "NOERROR | AAAA 2001:db8::1")
	check("www.example.com", "CNAME", "NOERROR | CNAME host.example.com.")
	check("web.example.com", "A", "NOERROR | A 192.0.2.1")
	check("cdn.example.com", "A", "NOERROR | CNAME cdn.example.net. | A 203.0.113.1")
	check("far.example.com", "A", "NOERROR | CNAME cdn.example.net. | A 203.0.113.1")
	check("_acme.cdn.example.com", "TXT", "NOERROR | TXT below an alias")
	check("alias.example.org", "A", "NOERROR | A 192.0.2.1")
	// The host moves, and its aliases with it.
	r.Do("PUT", "/dns/records/"+r.Find("host.example.com.", "A"), object{"zone_id": zone, "name": "host", "type": "A", "value": "192.0.2.7"}).Want(http.StatusOK)
	r.MustSync()
	check("web.example.com", "A", "NOERROR | A 192.0.2.7")
	// The alias moves.
	r.Do("PUT", "/dns/records/"+r.Find("www.example.com.", "CNAME"), object{"zone_id": zone, "name": "www", "type": "CNAME", "value": "cdn.example.net."}).Want(http.StatusOK)
	r.MustSync()
	check("www.example.com", "A", "NOERROR | CNAME cdn.example.net. | A 203.0.113.1")
	check("web.example.com", "A", "NOERROR | CNAME cdn.example.net. | A 203.0.113.1")
	if n := r.Unbound.Restarted(); n != 1 {
		t.Errorf("unbound was started %d times, want once", n)
	}
}

// A name that did not exist a moment ago, and is remembered not to, exists once it has a record.
func TestARecordIsStrongerThanTheCache(t *testing.T) {
	general := dnstest.NewUpstream(t, dnstest.World)
	r := dnstest.New(t)
	r.Settings(object{"upstream_forwards": []string{general.Forward()}})
	zone := r.Zone("missing.example")
	r.MustSync()
	for range 2 {
		if got := r.Unbound.Ask("www.missing.example", "A"); got != "NXDOMAIN" {
			t.Fatalf("before: %s", got)
		}
	}
	if n := general.Asked("www.missing.example.", "A"); n != 1 {
		t.Fatalf("the upstream was asked %d times, so the answer was not cached", n)
	}
	id := r.Record(zone, "www", "A", "192.0.2.1")
	r.MustSync()
	if got := r.Unbound.Ask("www.missing.example", "A"); got != "NOERROR | A 192.0.2.1" {
		t.Errorf("after: %s", got)
	}
	r.Do("DELETE", "/dns/records/"+id, nil).Want(http.StatusOK)
	r.MustSync()
	if got := r.Unbound.Ask("www.missing.example", "A"); got != "NXDOMAIN" {
		t.Errorf("at the end: %s", got)
	}
}

// shows DNS-21, AUDIT-20
func TestFlushEmptiesTheCache(t *testing.T) {
	general := dnstest.NewUpstream(t, dnstest.World)
	r := dnstest.New(t)
	r.Settings(object{"upstream_forwards": []string{general.Forward()}})
	r.Do("POST", "/dns/flush-cache", nil).Want(http.StatusServiceUnavailable)
	r.MustSync()
	for range 3 {
		r.Unbound.Ask("www.example.org", "A")
	}
	if n := general.Asked("www.example.org.", "A"); n != 1 {
		t.Fatalf("the upstream was asked %d times, want once", n)
	}
	r.As("viewer", "POST", "/dns/flush-cache", nil).Want(http.StatusForbidden)
	r.Do("POST", "/dns/flush-cache", nil).Want(http.StatusOK)
	r.Unbound.Ask("www.example.org", "A")
	if n := general.Asked("www.example.org.", "A"); n != 2 {
		t.Errorf("the upstream was asked %d times, want twice", n)
	}
	if got := fmt.Sprint(r.Actions()); strings.Count(got, "dns.cache.flush cache") != 2 || strings.Count(got, "dns.cache.flush.failed cache") != 1 {
		t.Errorf("audited %s", got)
	}
}

// shows DNS-22
func TestStats(t *testing.T) {
	general := dnstest.NewUpstream(t, dnstest.World)
	r := dnstest.New(t)
	a := r.Do("GET", "/dns/stats", nil).Want(http.StatusServiceUnavailable)
	if a.Error.Code != "resolver_unavailable" {
		t.Errorf("while it is down: %+v", a.Error)
	}
	r.Settings(object{"upstream_forwards": []string{general.Forward()}})
	r.MustSync()
	for range 4 {
		r.Unbound.Ask("www.example.org", "A")
	}
	stats := r.As("viewer", "GET", "/dns/stats", nil).Want(http.StatusOK)
	for field, want := range map[string]string{
		"queries": "4", "cache_hits": "3", "cache_misses": "1", "hit_rate": "0.75", "recursive_replies": "1", "prefetch": "0", "rate_limited": "0", "unwanted": "0",
	} {
		if got := stats.Field(field); got != want {
			t.Errorf("%s = %s, want %s", field, got, want)
		}
	}
	if got := stats.Field("cache_memory"); got == "0" || got == "<nil>" {
		t.Errorf("cache_memory = %s", got)
	}
	measured, err := componenttest.Values(t, dns.New(dns.Options{Applier: r}).Values)
	if want := map[string]float64{"dns.queries": 4, "dns.hits": 3, "dns.failures": 0}; err != nil || !maps.Equal(measured, want) {
		t.Errorf("measured %v (%v), want %v", measured, err, want)
	}
	// A second look counts on.
	r.Unbound.Ask("www.example.org", "A")
	if got := r.Do("GET", "/dns/stats", nil).Field("queries"); got != "5" {
		t.Errorf("queries = %s, want 5", got)
	}
}

// shows DNS-06
func TestSignaturesAreValidatedUnlessTurnedOff(t *testing.T) {
	key, anchor := newKey(t)
	forged := func(q mdns.Question) []mdns.RR {
		rr := dnstest.MustRR(strings.ToLower(q.Name) + " 300 IN A 203.0.113.1")
		switch {
		case q.Qtype == mdns.TypeDNSKEY:
			return key.sign(t, key.dnskey)
		case q.Qtype == mdns.TypeA && strings.HasPrefix(q.Name, "good"):
			return key.sign(t, rr)
		case q.Qtype == mdns.TypeA:
			signed := key.sign(t, rr)
			signed[0].(*mdns.A).A = []byte{203, 0, 113, 66} // after it was signed
			return signed
		}
		return []mdns.RR{}
	}
	r := dnstest.NewWith(t, fmt.Sprintf("server:\n\ttrust-anchor: %q\n", anchor), unbound.New)
	r.Settings(object{"upstream_forwards": []string{dnstest.NewUpstream(t, forged).Forward()}})
	r.MustSync()
	good, err := r.Unbound.Query("good.", mdns.TypeA)
	if err != nil || !good.AuthenticatedData {
		t.Fatalf("a good signature is not acknowledged: %v %v", good, err)
	}
	if got := r.Unbound.Ask("forged.", "A"); got != "SERVFAIL" {
		t.Errorf("a forged answer = %s, want SERVFAIL", got)
	}
	r.Settings(object{"dnssec": false})
	r.MustSync()
	if got := r.Unbound.Ask("forged.", "A"); got != "NOERROR | A 203.0.113.66" {
		t.Errorf("without validation a forged answer = %s", got)
	}
	r.Settings(object{"dnssec": true})
	r.MustSync()
	if got := r.Unbound.Ask("forged.", "A"); got != "SERVFAIL" {
		t.Errorf("with validation again a forged answer = %s, want SERVFAIL", got)
	}
}

// A private zone has no chain of trust, and is answered all the same.
func TestAForwardedZoneNeedsNoSignatures(t *testing.T) {
	key, anchor := newKey(t)
	general := dnstest.NewUpstream(t, func(q mdns.Question) []mdns.RR {
		if q.Qtype == mdns.TypeDNSKEY {
			return key.sign(t, key.dnskey)
		}
		return []mdns.RR{}
	})
	own := dnstest.NewUpstream(t, func(q mdns.Question) []mdns.RR { return []mdns.RR{dnstest.MustRR(q.Name + " 300 IN A 203.0.113.77")} })
	r := dnstest.NewWith(t, fmt.Sprintf("server:\n\ttrust-anchor: %q\n", anchor), unbound.New)
	r.Settings(object{"upstream_forwards": []string{general.Forward()}})
	r.Zone("corp.example", own.Forward())
	r.MustSync()
	if got := r.Unbound.Ask("host.corp.example", "A"); got != "NOERROR | A 203.0.113.77" {
		t.Errorf("got %s", got)
	}
	if got := r.Unbound.Ask("host.other.example", "A"); got != "SERVFAIL" {
		t.Errorf("elsewhere an unsigned answer = %s, want SERVFAIL", got)
	}
}
