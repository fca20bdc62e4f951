package dns_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/dns"
	"gateway/internal/component/dns/dnstest"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/daemon"
)

// shows DNS-01, DNS-08, DNS-09
func TestSettingsAreThereFromTheStart(t *testing.T) {
	r := dnstest.New(t)
	var s dns.Settings
	if err := json.Unmarshal(r.As("viewer", "GET", "/dns/settings", nil).Want(http.StatusOK).Data, &s); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s.UpstreamForwards, []string{"9.9.9.9", "1.1.1.1"}); d != "" {
		t.Error(d)
	}
	for _, local := range []string{"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7", "fe80::/10"} {
		if !slices.Contains(s.AccessACL, local) {
			t.Errorf("%s may not ask", local)
		}
	}
	if !s.DNSSEC || !s.QNAMEMinimisation {
		t.Errorf("dnssec, qname_minimisation = %t, %t, want both on", s.DNSSEC, s.QNAMEMinimisation)
	}
	// The seeded values are in the form that the API stores: putting them back changes nothing.
	r.Settings(nil)
	if d := cmp.Diff(r.Do("GET", "/dns/settings", nil).Field("listen_addresses"), "[127.0.0.1 ::1]"); d != "" {
		t.Error(d)
	}
}

// shows DNS-01
func TestSettingsAreReplaced(t *testing.T) {
	r := dnstest.New(t)
	r.As("viewer", "PUT", "/dns/settings", object{}).Want(http.StatusForbidden)
	got := r.Edit("/dns/settings", object{
		"upstream_forwards": []string{"192.0.2.1@53", "2001:DB8::1@5353", "::ffff:192.0.2.9"}, "access_acl": []string{"10.1.2.3/8", "192.0.2.0", "192.0.2.1/32"},
		"listen_addresses": []string{"192.0.2.7", "0:0::1"}, "cache_min_ttl": 5, "cache_max_ttl": 5, "dnssec": false, "qname_minimisation": false,
	}).Want(http.StatusOK)
	for field, want := range map[string]string{
		"upstream_forwards": "[192.0.2.1 2001:db8::1@5353 192.0.2.9]", "access_acl": "[10.0.0.0/8 192.0.2.0 192.0.2.1]",
		"listen_addresses": "[192.0.2.7 ::1]", "cache_min_ttl": "5", "cache_max_ttl": "5", "dnssec": "false", "qname_minimisation": "false", "revision": "2",
	} {
		if v := got.Field(field); v != want {
			t.Errorf("%s = %s, want %s", field, v, want)
		}
	}
	if !slices.Contains(r.Actions(), "dns.settings.update settings") {
		t.Errorf("audited %v", r.Actions())
	}
}

// shows DNS-02, DNS-03, DNS-04, DNS-05
func TestSettingsThatAreRefused(t *testing.T) {
	r := dnstest.New(t)
	for _, tc := range []struct {
		name, field string
		value       any
	}{
		{"an upstream that is a name", "upstream_forwards", "dns.example.com"},
		{"an upstream with a TLS name", "upstream_forwards", "192.0.2.1@853#dns.example"},
		{"an upstream with an option after it", "upstream_forwards", "192.0.2.1 forward-tls-upstream: no"},
		{"an upstream with a line break", "upstream_forwards", "192.0.2.1\nserver:"},
		{"an upstream with an empty port", "upstream_forwards", "192.0.2.1@"},
		{"an upstream with port 0", "upstream_forwards", "192.0.2.1@0"},
		{"an upstream with a port beyond all", "upstream_forwards", "192.0.2.1@65536"},
		{"an upstream with an octal port", "upstream_forwards", "192.0.2.1@053"},
		{"an upstream with a network", "upstream_forwards", "192.0.2.0/24"},
		{"an upstream with an interface", "upstream_forwards", "fe80::1%eth0"},
		{"an octal upstream", "upstream_forwards", "192.0.02.1"},
		{"no upstream at all", "upstream_forwards", "0.0.0.0"},
		{"a group of upstreams", "upstream_forwards", "ff02::1"},
		{"ourselves as upstream", "upstream_forwards", "127.0.0.1"},
		{"ourselves as upstream, spelled out", "upstream_forwards", "::1@53"},
		{"a network that is a word", "access_acl", "lan"},
		{"a network too long", "access_acl", "10.0.0.0/33"},
		{"a network with an action", "access_acl", "10.0.0.0/8 allow"},
		{"a network with a mask", "access_acl", "10.0.0.0/255.0.0.0"},
		{"a mapped network", "access_acl", "::ffff:10.0.0.0/104"},
		{"an empty network", "access_acl", ""},
		{"a listen address that is a name", "listen_addresses", "localhost"},
		{"a listen address with a port", "listen_addresses", "127.0.0.1@53"},
		{"a listen address with an interface", "listen_addresses", "fe80::1%eth0"},
		{"a listen address of every interface", "listen_addresses", "fe80::1"},
		{"a listen network", "listen_addresses", "127.0.0.0/8"},
		{"a listen group", "listen_addresses", "224.0.0.1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := r.Edit("/dns/settings", object{tc.field: []any{tc.value}}).Want(http.StatusBadRequest)
			if a.Complaint(tc.field+"[0]") == "" {
				t.Errorf("complained of %+v, want %s[0]", a.Error.Fields, tc.field)
			}
		})
	}
	for name, change := range map[string]object{
		"a maximum below the minimum": {"cache_min_ttl": 60, "cache_max_ttl": 59},
		"a negative minimum":          {"cache_min_ttl": -1},
		"no listen address":           {"listen_addresses": []string{}},
		"an address twice":            {"listen_addresses": []string{"::1", "0:0::1"}},
		"a network twice":             {"access_acl": []string{"10.0.0.0/8", "10.1.0.0/8"}},
	} {
		t.Run(name, func(t *testing.T) { r.Edit("/dns/settings", change).Want(http.StatusBadRequest) })
	}
}

func TestSettingsAreRendered(t *testing.T) {
	r := dnstest.New(t)
	text := r.Text(unbound.Path)
	// shows DNS-07
	for _, want := range []string{
		"\tinterface: 127.0.0.1\n\tinterface: ::1\n", "\taccess-control: 10.0.0.0/8 allow\n", "\taccess-control: ::1/128 allow\n",
		"\tmodule-config: \"validator iterator\"\n", "\tqname-minimisation: yes\n", "\tcache-max-ttl: 86400\n",
		"forward-zone:\n\tname: \".\"\n\tforward-addr: 9.9.9.9\n\tforward-addr: 1.1.1.1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the file lacks %q:\n%s", want, text)
		}
	}
	r.Settings(object{"dnssec": false, "qname_minimisation": false, "upstream_forwards": []string{}, "listen_addresses": []string{"0.0.0.0"}})
	text = r.Text(unbound.Path)
	for _, want := range []string{"\tmodule-config: \"iterator\"\n", "\tqname-minimisation: no\n", "\tinterface-automatic: yes\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the file lacks %q:\n%s", want, text)
		}
	}
	for _, not := range []string{"forward-zone", "interface: "} {
		if strings.Contains(text, not) {
			t.Errorf("the file has %q:\n%s", not, text)
		}
	}
	if err := componenttest.Check(t, r.Daemon.Config, r.Rendered()); err != nil {
		t.Error(err)
	}
}

func TestThePortIsOpenedOnlyBeyondLoopback(t *testing.T) {
	r := dnstest.New(t)
	both := []daemon.Opening{{Protocol: "tcp", Port: 53, Why: "DNS for clients"}, {Protocol: "udp", Port: 53, Why: "DNS for clients"}}
	for _, tc := range []struct {
		listen []string
		want   []daemon.Opening
	}{
		{[]string{"127.0.0.1", "::1"}, nil},
		{[]string{"127.0.0.53"}, nil},
		{[]string{"127.0.0.1", "192.0.2.1"}, both},
		{[]string{"::"}, both},
		{[]string{"0.0.0.0"}, both},
		{[]string{"fd00::1"}, both},
	} {
		r.Settings(object{"listen_addresses": tc.listen})
		got, err := r.Daemon.Needs.Openings(t.Context(), r.Pool)
		if d := cmp.Diff(got, tc.want); err != nil || d != "" {
			t.Errorf("listening on %v: %v %s", tc.listen, err, d)
		}
	}
}
