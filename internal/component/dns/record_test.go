package dns_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/dns/dnstest"
	"gateway/internal/component/dns/unbound"
)

// shows DNS-14, AUDIT-18
func TestRecordsAreMadeReadChangedAndDeleted(t *testing.T) {
	r := dnstest.New(t)
	zone, other := r.Zone("example.com"), r.Zone("example.net")
	made := r.Do("POST", "/dns/records", object{"zone_id": zone, "name": "WWW", "type": "A", "value": "192.0.2.1"}).Want(http.StatusCreated)
	for field, want := range map[string]string{"name": "www", "type": "A", "value": "192.0.2.1", "ttl": "3600", "fqdn": "www.example.com.", "zone_id": zone} {
		if got := made.Field(field); got != want {
			t.Errorf("%s = %s, want %s", field, got, want)
		}
	}
	r.Record(other, "www", "A", "192.0.2.2")
	if got := r.As("viewer", "GET", "/dns/records?filter=zone_id:"+zone, nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("the zone has %s records, want 1", got)
	}
	if got := r.Do("GET", "/dns/records?q=example.net", nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("found %s records by their complete name, want 1", got)
	}
	id := made.ID()
	changed := r.Do("PUT", "/dns/records/"+id, object{"zone_id": other, "name": "web", "type": "AAAA", "value": "2001:DB8::1", "ttl": 0}).Want(http.StatusOK)
	if got := changed.Field("fqdn") + " " + changed.Field("value") + " " + changed.Field("ttl"); got != "web.example.net. 2001:db8::1 0" {
		t.Errorf("changed to %s", got)
	}
	r.As("viewer", "DELETE", "/dns/records/"+id, nil).Want(http.StatusForbidden)
	r.Do("DELETE", "/dns/records/"+id, nil).Want(http.StatusOK)
	r.Do("GET", "/dns/records/"+id, nil).Want(http.StatusNotFound)
	for _, want := range []string{"dns.record.create WWW", "dns.record.update A www.example.com.", "dns.record.delete AAAA web.example.net."} {
		if !slices.Contains(r.Actions(), want) {
			t.Errorf("audited %v, want %s among them", r.Actions(), want)
		}
	}
}

// shows DNS-16
func TestEveryTypeIsTakenAndOthersAreNot(t *testing.T) {
	r := dnstest.New(t)
	zone := r.Zone("example.com")
	for i, typ := range unbound.Types() {
		value := map[string]string{
			"A": "192.0.2.1", "AAAA": "2001:db8::1", "CNAME": "www", "TXT": "v=spf1 -all", "MX": "10 mail", "SRV": "1 2 5060 sip",
			"NS": "ns1.example.com.", "PTR": "host.example.com", "CAA": `0 issue "letsencrypt.org"`,
		}[typ]
		r.Record(zone, fmt.Sprintf("r%d", i), typ, value)
	}
	r.MustSync() // unbound takes them all
	for _, typ := range []string{"", "a", "ANY", "SOA", "DNAME", "HTTPS", "NAPTR", "DS", "TYPE1", "A IN"} {
		a := r.Do("POST", "/dns/records", object{"zone_id": zone, "name": "x", "type": typ, "value": "192.0.2.1"}).Want(http.StatusBadRequest)
		if len(a.Error.Fields) == 0 || a.Error.Fields[0].Name != "type" {
			t.Errorf("%q: %+v", typ, a.Error)
		}
	}
}

// shows DNS-17, DNS-18, DNS-19, DNS-20
func TestWhatNamesMean(t *testing.T) {
	r := dnstest.New(t)
	zone := r.Zone("example.com")
	for _, tc := range []struct{ says, name, want string }{
		{"the at sign is the apex", "@", "example.com."},
		{"nothing is the apex", "", "example.com."},
		{"a dot at the end makes it complete", "www.example.org.", "www.example.org."},
		{"complete and in the zone", "a.example.com.", "a.example.com."},
		{"one that ends in the zone is used as it is", "b.example.com", "b.example.com."},
		{"so is the zone itself", "Example.Com", "example.com."},
		{"any other gets the zone", "c", "c.example.com."},
		{"also with dots", "d.e", "d.e.example.com."},
		{"ending in the zone's letters is not ending in the zone", "notexample.com", "notexample.com.example.com."},
		{"underscores are for services", "_sip._tcp", "_sip._tcp.example.com."},
		{"slashes are for small reverse zones", "1.0/26.2.0.192.in-addr.arpa.", "1.0/26.2.0.192.in-addr.arpa."},
	} {
		t.Run(tc.says, func(t *testing.T) {
			made := r.Do("POST", "/dns/records", object{"zone_id": zone, "name": tc.name, "type": "A", "value": "192.0.2.1"}).Want(http.StatusCreated)
			defer r.Do("DELETE", "/dns/records/"+made.ID(), nil)
			if want := fmt.Sprintf("\tlocal-data: \"%s 3600 IN A 192.0.2.1\"\n", tc.want); !strings.Contains(r.Text(unbound.Path), want) {
				t.Errorf("the file lacks %q:\n%s", want, r.Text(unbound.Path))
			}
			if made.Field("fqdn") != tc.want {
				t.Errorf("fqdn = %s, want %s", made.Field("fqdn"), tc.want)
			}
		})
	}
}

func TestNamesThatAreRefused(t *testing.T) {
	r := dnstest.New(t)
	zone := r.Zone("example.com")
	for _, tc := range []struct{ says, name, want string }{
		{"a wildcard", "*", "one by one"},
		{"a wildcard below", "*.apps", "one by one"},
		{"a line break", "a\nb", "letters"},
		{"a quote", `a" IN A 1.2.3.4`, "letters"},
		{"an apostrophe", "a'b", "letters"},
		{"a space", "a b", "letters"},
		{"a tab", "a\tb", "letters"},
		{"a semicolon", "a;b", "letters"},
		{"a parenthesis", "a(b", "letters"},
		{"a dollar", "$ORIGIN", "letters"},
		{"an escape", `a\046b`, "letters"},
		{"a zero byte", "a\x00b", ""},
		{"the root", ".", "1 to 253"},
		{"two dots", "a..b", "two dots"},
		{"a dot first", ".a", "two dots"},
		{"too long with its zone", strings.Repeat("a.", 121) + "a", "253"},
		{"umlauts", "müller", "xn--mller-kva"},
		{"a dash at the end", "a-", "dash"},
	} {
		t.Run(tc.says, func(t *testing.T) {
			a := r.Do("POST", "/dns/records", object{"zone_id": zone, "name": tc.name, "type": "A", "value": "192.0.2.1"}).Want(http.StatusBadRequest)
			if got := a.Complaint("name"); !strings.Contains(got, tc.want) {
				t.Errorf("says %q, want %q in it", got, tc.want)
			}
		})
	}
	for _, id := range []string{"", "x", "00000000-0000-7000-8000-000000000000"} {
		a := r.Do("POST", "/dns/records", object{"zone_id": id, "name": "a", "type": "A", "value": "192.0.2.1"}).Want(http.StatusBadRequest)
		if a.Complaint("zone_id") == "" {
			t.Errorf("zone %q: %+v", id, a.Error)
		}
	}
}

func TestARecordIsThereOnce(t *testing.T) {
	r := dnstest.New(t)
	zone := r.Zone("example.com")
	r.Record(zone, "www", "TXT", "hello")
	r.Record(zone, "www", "MX", "10 mail.example.com")
	for _, same := range []object{
		{"name": "www", "type": "TXT", "value": "hello"},
		{"name": "www.example.com.", "type": "TXT", "value": `"hello"`},
		{"name": "WWW", "type": "TXT", "value": `"h\101llo"`, "ttl": 60},
		{"name": "www", "type": "MX", "value": "010   mail"},
		{"name": "www", "type": "MX", "value": "10 MAIL.example.com."},
	} {
		same["zone_id"] = zone
		r.Do("POST", "/dns/records", same).Want(http.StatusConflict)
	}
}

func TestAnAliasIsAlone(t *testing.T) {
	r := dnstest.New(t)
	zone := r.Zone("example.com")
	r.Record(zone, "www", "A", "192.0.2.1")
	alias := r.Record(zone, "web", "CNAME", "www")
	for _, beside := range []object{
		{"name": "www", "type": "CNAME", "value": "elsewhere.example.org"},
		{"name": "web", "type": "A", "value": "192.0.2.2"},
		{"name": "web", "type": "CNAME", "value": "elsewhere.example.org"},
	} {
		beside["zone_id"] = zone
		a := r.Do("POST", "/dns/records", beside).Want(http.StatusConflict)
		if !strings.Contains(a.Error.Message, beside["name"].(string)+".example.com.") {
			t.Errorf("says %q", a.Error.Message)
		}
	}
	itself := r.Do("PUT", "/dns/records/"+alias, object{"zone_id": zone, "name": "web", "type": "CNAME", "value": "web"}).Want(http.StatusBadRequest)
	if itself.Complaint("value") == "" {
		t.Errorf("an alias of itself: %+v", itself.Error)
	}
	for i, name := range []string{"a", "b", "c"} {
		r.Record(zone, name, "CNAME", []string{"b", "c", "www"}[i])
	}
	loop := r.Do("PUT", "/dns/records/"+r.Find("c.example.com.", "CNAME"), object{"zone_id": zone, "name": "c", "type": "CNAME", "value": "a"}).Want(http.StatusBadRequest)
	if !strings.Contains(loop.Complaint("value"), "back to c.example.com.") {
		t.Errorf("a loop: %+v", loop.Error)
	}
	// It may change by itself, into another alias and into an address.
	r.Do("PUT", "/dns/records/"+alias, object{"zone_id": zone, "name": "web", "type": "CNAME", "value": "example.org."}).Want(http.StatusOK)
	r.Do("PUT", "/dns/records/"+alias, object{"zone_id": zone, "name": "web", "type": "A", "value": "192.0.2.2"}).Want(http.StatusOK)
}

func TestANameHasSoManyRecordsAndNoMore(t *testing.T) {
	r := dnstest.New(t)
	zone := r.Zone("example.com")
	for i := range unbound.MaxSet {
		r.Record(zone, "many", "A", fmt.Sprintf("10.0.0.%d", i))
	}
	r.Do("POST", "/dns/records", object{"zone_id": zone, "name": "many", "type": "A", "value": "10.0.1.0"}).Want(http.StatusConflict)
	r.Record(zone, "many", "AAAA", "fd00::1")
	for i := range 20 {
		r.Record(zone, "big", "TXT", fmt.Sprintf("%02d", i)+strings.Repeat("a", 1990))
	}
	r.Do("POST", "/dns/records", object{"zone_id": zone, "name": "big", "type": "TXT", "value": strings.Repeat("b", 1990)}).Want(http.StatusConflict)
	r.MustSync()
	for name, typ := range map[string]string{"many.example.com": "A", "big.example.com": "TXT"} {
		if got := r.Unbound.Ask(name, typ); strings.Count(got, typ+" ") < 20 {
			t.Errorf("%s %s = %.100s", name, typ, got)
		}
	}
}
