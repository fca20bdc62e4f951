package forwardproxy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/forwardproxy/squid"
)

func newRig(t *testing.T) *componenttest.Rig {
	t.Helper()
	return componenttest.New(t, setup(t))
}

// shows FWD-01
func TestSettings(t *testing.T) {
	r := newRig(t)
	got := r.As("viewer", "GET", "/forward-proxy/settings", nil).Want(200)
	for field, want := range map[string]string{"enabled": "false", "port": "3128", "default_action": `"allow"`, "cache_size": "64", "access_log": "true", "log_retention": "14"} {
		if got.Field(field) != strings.Trim(want, `"`) && got.Field(field) != want {
			t.Errorf("on a fresh node %s is %s", field, got.Field(field))
		}
	}
	r.As("viewer", "PUT", "/forward-proxy/settings", object{}).Want(403)
	now := r.Edit("/forward-proxy/settings", object{
		"enabled": true, "listen_addresses": []string{"192.0.2.1", "2001:DB8::1"}, "allowed_networks": []string{"192.0.2.77/24"}, "ports": []string{"443", "80", "400-500"},
	}).Want(200)
	if now.Field("enabled") != "true" || !strings.Contains(now.Text, "2001:db8::1") || !strings.Contains(now.Text, "192.0.2.0/24") || !strings.Contains(now.Text, `"400-500"`) {
		t.Errorf("it became %s", now.Data)
	}
	text := r.Text(squid.ConfFile)
	for _, line := range []string{"http_port 192.0.2.1:3128", "http_port [2001:db8::1]:3128", "acl networks src 192.0.2.0/24", "acl own dst 203.0.113.7"} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("the file has no line %q:\n%s", line, text)
		}
	}
	for _, tc := range []struct {
		field string
		body  object
	}{
		{"listen_addresses[0]", object{"listen_addresses": []string{"everywhere"}}},
		{"listen_addresses[1]", object{"listen_addresses": []string{"192.0.2.1", "192.0.2.1"}}},
		{"port", object{"port": 80}},
		{"port", object{"port": squid.InternalPort}},
		{"port", object{"port": 8080}},
		{"zones[0]", object{"zones": []string{"lan\n"}}},
		{"allowed_networks[0]", object{"allowed_networks": []string{"0.0.0.0/0"}}},
		{"allowed_networks[0]", object{"allowed_networks": []string{"128.0.0.0/1"}}},
		{"allowed_networks[0]", object{"allowed_networks": []string{"::/16"}}},
		{"allowed_networks[0]", object{"allowed_networks": []string{"all"}}},
		{"ports[0]", object{"ports": []string{"0-9"}}},
		{"connect_ports[0]", object{"connect_ports": []string{"443 80"}}},
		{"parent_host", object{"parent_host": "a b"}},
		{"dns_servers[0]", object{"dns_servers": []string{"dns.example.com"}}},
		{"contact", object{"contact": "a\nb"}},
		{"default_action", object{"default_action": "drop"}},
	} {
		if a := r.Edit("/forward-proxy/settings", tc.body); a.Status != 400 || a.Complaint(tc.field) == "" {
			t.Errorf("%v: answered %d %+v, want 400 about %s", tc.body, a.Status, a.Error, tc.field)
		}
	}
}

// shows FW-27*
func TestThePortIsOpenWhileItIsEnabled(t *testing.T) {
	r := newRig(t)
	open := func() (out []string) {
		t.Helper()
		all, err := r.Daemon.Needs.Openings(t.Context(), r.Pool)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range all {
			out = append(out, fmt.Sprintf("%s %d %s", o.Protocol, o.Port, o.Role))
		}
		return out
	}
	if got := open(); len(got) > 0 {
		t.Errorf("off, open are %v", got)
	}
	r.Edit("/forward-proxy/settings", object{"enabled": true}).Want(200)
	if got := open(); !slices.Equal(got, []string{"tcp 3128 lan"}) {
		t.Errorf("on, open are %v", got)
	}
	r.Restore(`update forwardproxy_settings set port = 5432`)
	if got := open(); len(got) > 0 {
		t.Errorf("on with settings that nobody is served by, open are %v", got)
	}
	r.Restore(`update forwardproxy_settings set port = 3128`)
	for _, closed := range []object{{"listen_addresses": []string{"127.0.0.1", "::1"}}, {"zones": []string{}, "listen_addresses": []string{}}, {"enabled": false, "zones": []string{"lan"}}} {
		r.Edit("/forward-proxy/settings", closed).Want(200)
		if got := open(); len(got) > 0 {
			t.Errorf("with %v, open are %v", closed, got)
		}
	}
}

// shows FWD-02
func TestACLs(t *testing.T) {
	r := newRig(t)
	made := r.Do("POST", "/forward-proxy/acls", object{"action": "deny", "type": "domain", "value": "*.Example.COM", "only_from": []string{}}).Want(201)
	if made.Field("value") != "example.com" || made.Field("priority") != "100" || made.Field("enabled") != "true" {
		t.Errorf("made %s", made.Data)
	}
	one := "/forward-proxy/acls/" + made.ID()
	if got := r.Edit(one, object{"action": "allow", "only_during": "FRI-mon 8:00-18:00", "enabled": false}).Want(200); got.Field("only_during") != "mon,fri,sat,sun 08:00-18:00" || got.Field("enabled") != "false" {
		t.Errorf("it became %s", got.Data)
	}
	for _, tc := range []struct {
		field string
		body  object
	}{
		{"type", object{"type": "dstdom_regex"}},
		{"action", object{"action": "drop"}},
		{"value", object{"value": "-n"}},
		{"value", object{"value": `"/etc/passwd"`}},
		{"value", object{"value": "a.example.com b.example.com"}},
		{"value", object{"type": "source", "value": "0.0.0.0/0"}},
		{"value", object{"type": "source", "value": "client.example.com"}},
		{"value", object{"type": "port", "value": "70000"}},
		{"value", object{"type": "url", "value": "a b"}},
		{"value", object{"type": "url", "value": "**"}},
		{"value", object{"type": "url", "value": "a\nb"}},
		{"value", object{"type": "user_agent", "value": "é"}},
		{"value", object{"type": "method", "value": "PURGE"}},
		{"value", object{"type": "time", "value": "08:00"}},
		{"value", object{"type": "time", "value": "08:00-08:00"}},
		{"value", object{"type": "time", "value": "mo 08:00-09:00"}},
		{"only_from[0]", object{"only_from": []string{"x"}}},
		{"only_during", object{"only_during": "25:00-26:00"}},
		{"name", object{"name": "a\nb"}},
	} {
		body := apitest.With(object{"action": "deny", "type": "domain", "value": "example.com", "only_from": []string{}}, tc.body)
		if a := r.Do("POST", "/forward-proxy/acls", body); a.Status != 400 || a.Complaint(tc.field) == "" {
			t.Errorf("%v: answered %d %+v, want 400 about %s", tc.body, a.Status, a.Error, tc.field)
		}
	}
	r.Do("DELETE", one, nil).Want(200)
	r.Do("GET", one, nil).Want(404)
}

// The order of the rules is that of the file, and of the dry run.
func TestOrderAndExplain(t *testing.T) {
	r := newRig(t)
	r.Edit("/forward-proxy/settings", object{"allowed_networks": []string{"192.0.2.0/24"}}).Want(200)
	deny := r.Do("POST", "/forward-proxy/acls", object{"action": "deny", "type": "domain", "value": "example.com", "only_from": []string{}, "priority": 1, "name": "No examples"}).Want(201).ID()
	allow := r.Do("POST", "/forward-proxy/acls", object{"action": "allow", "type": "domain", "value": "www.example.com", "only_from": []string{}, "priority": 2}).Want(201).ID()
	ask := func(question object) string {
		t.Helper()
		a := r.Do("POST", "/forward-proxy/explain", apitest.With(object{"source": "192.0.2.20", "url": "https://www.example.com/x"}, question)).Want(200)
		return strings.Join([]string{a.Field("allowed"), a.Field("why"), a.Field("acl_id"), a.Field("method"), a.Field("url")}, " ")
	}
	if got, want := ask(nil), "false rule "+deny+" CONNECT www.example.com:443"; got != want {
		t.Errorf("answered %q, want %q", got, want)
	}
	r.Do("POST", "/forward-proxy/acls/order", object{"rules": []string{allow}}).Want(400)
	r.Do("POST", "/forward-proxy/acls/order", object{"rules": []string{allow, deny}}).Want(200)
	if got, want := ask(nil), "true rule "+allow+" CONNECT www.example.com:443"; got != want {
		t.Errorf("answered %q, want %q", got, want)
	}
	text := r.Text(squid.ConfFile)
	if first, then := strings.Index(text, ".www.example.com\n"), strings.Index(text, " .example.com\n"); first < 0 || first > then {
		t.Errorf("not in this order:\n%s", text)
	}
	for want, question := range map[string]object{
		"false own_address": {"url": "http://203.0.113.7/"}, "false own_address <nil> GET http://100": {"url": "http://100.100.100.200/"}, "false network": {"source": "198.51.100.1"}, "false port": {"url": "http://a.test:25/"},
		"false connect_port": {"url": "https://a.test:8443/"}, "true default": {"url": "http://a.test/"}, "false manager": {"url": "http://a.test/squid-internal-mgr/info"},
	} {
		if got := ask(question); !strings.HasPrefix(got, want) {
			t.Errorf("%v: answered %q, want %q", question, got, want)
		}
	}
	for field, question := range map[string]object{"source": {"source": "somebody"}, "url": {"url": "gopher://x/"}} {
		if a := r.Do("POST", "/forward-proxy/explain", apitest.With(object{"source": "192.0.2.20", "url": "http://a.test/"}, question)); a.Status != 400 || a.Complaint(field) == "" {
			t.Errorf("%v: answered %d %+v", question, a.Status, a.Error)
		}
	}
}
