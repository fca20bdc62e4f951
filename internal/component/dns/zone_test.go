package dns_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/dns"
	"gateway/internal/component/dns/dnstest"
	"gateway/internal/component/dns/unbound"
)

type object = dnstest.Object

// shows DNS-11, AUDIT-17
func TestZonesAreMadeReadChangedAndDeleted(t *testing.T) {
	r := dnstest.New(t)
	made := r.Do("POST", "/dns/zones", object{"name": "Corp.Example.", "forward_to": []string{"192.0.2.53@53", "2001:DB8::53@5353"}}).Want(http.StatusCreated)
	if got := made.Field("name") + " " + made.Field("forward_to"); got != "corp.example [192.0.2.53 2001:db8::53@5353]" {
		t.Errorf("made %s", got)
	}
	id := made.ID()
	r.As("viewer", "GET", "/dns/zones/"+id, nil).Want(http.StatusOK)
	if got := r.Do("GET", "/dns/zones?dryrun=1", nil).Want(http.StatusBadRequest); !strings.Contains(got.Text, "unknown query parameter") {
		t.Errorf("a mistyped parameter was answered %s", got.Text)
	}
	if got := r.Do("GET", "/dns/zones?q=corp", nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("found %s zones, want 1", got)
	}
	r.Do("PUT", "/dns/zones/"+id, object{"name": "corp.example"}).Want(http.StatusOK)
	if got := r.Do("GET", "/dns/zones/"+id, nil).Field("forward_to"); got != "[]" {
		t.Errorf("forward_to = %s, want none", got)
	}
	r.As("viewer", "DELETE", "/dns/zones/"+id, nil).Want(http.StatusForbidden)
	r.Record(id, "www", "A", "192.0.2.1")
	var zone dns.Zone
	r.Do("GET", "/dns/zones/"+id, nil).Want(http.StatusOK).Into(&zone)
	if len(zone.Records) != 1 || zone.Records[0].Name != "www" || zone.Records[0].Type != "A" || zone.Records[0].Value != "192.0.2.1" {
		t.Errorf("records = %+v, want the one that it has", zone.Records)
	}
	r.Do("DELETE", "/dns/zones/"+id, nil).Want(http.StatusOK)
	r.Do("GET", "/dns/zones/"+id, nil).Want(http.StatusNotFound)
	if got := r.Do("GET", "/dns/records", nil).Total; got != "0" {
		t.Errorf("%s records outlive their zone", got)
	}
	want := []string{"dns.zone.create Corp.Example.", "dns.zone.update corp.example", "dns.record.create www", "dns.zone.delete corp.example"}
	if got := r.Actions(); !slices.Equal(got, want) {
		t.Errorf("audited %v, want %v", got, want)
	}
}

func TestAZoneIsThereOnce(t *testing.T) {
	r := dnstest.New(t)
	r.Zone("example.com")
	for _, name := range []string{"example.com", "EXAMPLE.com", "example.com."} {
		a := r.Do("POST", "/dns/zones", object{"name": name, "forward_to": []string{}}).Want(http.StatusConflict)
		if a.Complaint("name") == "" {
			t.Errorf("%s: %+v", name, a.Error)
		}
	}
}

func TestZonesThatAreRefused(t *testing.T) {
	r := dnstest.New(t)
	for _, tc := range []struct {
		name, zone, says string
	}{
		{"the root", ".", "upstream_forwards"},
		{"an empty name", "", ""},
		{"a space", "a b", "letters"},
		{"a quote", `a"b`, "letters"},
		{"a line break", "a\nb", "letters"},
		{"a wildcard", "*.example.com", "wildcard"},
		{"two dots", "example..com", "two dots"},
		{"a dot first", ".example.com", "two dots"},
		{"a long label", strings.Repeat("a", 64) + ".com", "63"},
		{"a long name", strings.Repeat("a.", 126) + "ab", "253"},
		{"a dash first", "-a.com", "dash"},
		{"another script", "bücher.example", "xn--bcher-kva.example"},
		{"no letter of any script", "a\u2028b.example", "no name can have"},
		{"localhost", "LOCALHOST.", "localhost"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := r.Do("POST", "/dns/zones", object{"name": tc.zone, "forward_to": []string{}}).Want(http.StatusBadRequest)
			if got := a.Complaint("name"); !strings.Contains(got, tc.says) {
				t.Errorf("says %q, want %q in it", got, tc.says)
			}
		})
	}
	a := r.Do("POST", "/dns/zones", object{"name": "a b", "forward_to": []string{"192.0.2.1", "x"}}).Want(http.StatusBadRequest)
	if a.Complaint("name") == "" || a.Complaint("forward_to[1]") == "" {
		t.Errorf("complained of %+v, want both fields", a.Error.Fields)
	}
}

// A zone that is renamed takes its records along, whichever way their names were spelled.
func TestRecordsFollowTheirZonesName(t *testing.T) {
	r := dnstest.New(t)
	id := r.Zone("example.com")
	for _, name := range []string{"www", "mail.example.com", "@", "other.example.org."} {
		r.Record(id, name, "A", "192.0.2.1")
	}
	r.Record(id, "example.com", "AAAA", "2001:db8::1")
	r.Do("PUT", "/dns/zones/"+id, object{"name": "example.net", "forward_to": []string{}}).Want(http.StatusOK)
	text := r.Text(unbound.Path)
	for _, want := range []string{
		`"www.example.net. 3600 IN A`, `"mail.example.net. 3600 IN A`, `"example.net. 3600 IN A 192`, `"example.net. 3600 IN AAAA`,
		`"other.example.org. 3600 IN A`, `local-zone: "example.net." transparent`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the file lacks %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "example.com") {
		t.Errorf("the file still has the old name:\n%s", text)
	}
}

func TestAZoneIsNotRenamedOntoOthersRecords(t *testing.T) {
	r := dnstest.New(t)
	com, net := r.Zone("example.com"), r.Zone("example.net")
	r.Record(com, "www", "A", "192.0.2.1")
	r.Record(net, "www.example.org.", "A", "192.0.2.2")
	rename := object{"name": "example.org", "forward_to": []string{}}
	a := r.Do("PUT", "/dns/zones/"+com, rename).Want(http.StatusConflict)
	if !strings.Contains(a.Error.Message, "www.example.org.") {
		t.Errorf("says %q", a.Error.Message)
	}
	long := strings.Repeat("a", 60) + "." + strings.Repeat("b", 60) + "." + strings.Repeat("c", 60) + "." + strings.Repeat("d", 60) + ".example"
	r.Do("PUT", "/dns/zones/"+com, object{"name": long, "forward_to": []string{}}).Want(http.StatusBadRequest)
}

func TestTheNameOfAZoneIsNoAlias(t *testing.T) {
	r := dnstest.New(t)
	com := r.Zone("example.com")
	r.Record(com, "sub", "CNAME", "www")
	a := r.Do("POST", "/dns/zones", object{"name": "sub.example.com", "forward_to": []string{}}).Want(http.StatusConflict)
	if !strings.Contains(a.Error.Message, "alias") {
		t.Errorf("says %q", a.Error.Message)
	}
	r.Zone("other.example.com")
	for _, name := range []string{"@", "other"} {
		a := r.Do("POST", "/dns/records", object{"zone_id": com, "name": name, "type": "CNAME", "value": "www"}).Want(http.StatusBadRequest)
		if a.Complaint("type") == "" {
			t.Errorf("%s: %+v", name, a.Error)
		}
	}
}

// shows DNS-13*
func TestAZoneWithoutServersIsNotForwarded(t *testing.T) {
	r := dnstest.New(t)
	r.Zone("served.example")
	r.Zone("forwarded.example", "192.0.2.53@5353", "2001:db8::53")
	text := r.Text(unbound.Path)
	if strings.Count(text, "forward-zone:") != 2 || strings.Contains(text, `name: "served.example."`) || strings.Contains(text, `domain-insecure: "served`) {
		t.Errorf("the zone without servers is forwarded:\n%s", text)
	}
	for _, want := range []string{
		"forward-zone:\n\tname: \"forwarded.example.\"\n\tforward-addr: 192.0.2.53@5353\n\tforward-addr: 2001:db8::53\n",
		"\tdomain-insecure: \"forwarded.example.\"\n", "\tlocal-zone: \"served.example.\" transparent\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the file lacks %q:\n%s", want, text)
		}
	}
}
