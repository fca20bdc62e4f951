package radius_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/radius/freeradius"
)

func newRig(t *testing.T) *componenttest.Rig {
	t.Helper()
	return componenttest.New(t, setup(t))
}

// shows RAD-01
func TestSettings(t *testing.T) {
	r := newRig(t)
	got := r.As("viewer", "GET", "/radius/settings", nil).Want(200)
	if got.Field("enabled") != "false" || got.Field("auth_port") != "1812" || got.Field("accounting_port") != "1813" || strings.Contains(got.Text, "probe") {
		t.Errorf("a fresh node has %s", got.Data)
	}
	r.As("viewer", "PUT", "/radius/settings", object{}).Want(403)
	now := r.Edit("/radius/settings", object{"enabled": true, "listen_addresses": []string{"192.0.2.1", "2001:DB8::1"}, "zones": []string{"lan", "mgmt"}}).Want(200)
	if now.Field("enabled") != "true" || !strings.Contains(now.Text, "2001:db8::1") {
		t.Errorf("it became %s", now.Data)
	}
	if again := r.Edit("/radius/settings", object{"listen_addresses": []string{}}).Want(200); again.Field("enabled") != "true" {
		t.Errorf("it became %s", again.Data)
	}
	if got := r.Do("PUT", "/radius/settings", object{"listen_addresses": []string{}, "zones": []string{}}).Want(200); got.Field("auth_port") != "1812" || got.Field("accounting_port") != "1813" {
		t.Errorf("without ports it became %s", got.Data)
	}
	for _, tc := range []struct {
		field string
		body  object
	}{
		{"listen_addresses[0]", object{"listen_addresses": []string{"everywhere"}}},
		{"listen_addresses[1]", object{"listen_addresses": []string{"192.0.2.1", "192.0.2.1"}}},
		{"auth_port", object{"auth_port": 70000}},
		{"auth_port", object{"auth_port": freeradius.ProbePort}},
		{"accounting_port", object{"accounting_port": 1812}},
		{"zones[0]", object{"zones": []string{"lan\n"}}},
		{"zones[1]", object{"zones": []string{"lan", "lan"}}},
	} {
		if a := r.Edit("/radius/settings", tc.body); a.Status != 400 || a.Complaint(tc.field) == "" {
			t.Errorf("%v: answered %d %+v, want 400 about %s", tc.body, a.Status, a.Error, tc.field)
		}
	}
}

// shows FW-29*
func TestThePortsAreOpenWhileItIsEnabled(t *testing.T) {
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
	r.Edit("/radius/settings", object{"enabled": true}).Want(200)
	if got := open(); !slices.Equal(got, []string{"udp 1812 lan", "udp 1813 lan"}) {
		t.Errorf("on, open are %v", got)
	}
	for _, closed := range []object{{"listen_addresses": []string{"127.0.0.1", "::1"}}, {"zones": []string{}, "listen_addresses": []string{}}, {"enabled": false, "zones": []string{"lan"}}} {
		r.Edit("/radius/settings", closed).Want(200)
		if got := open(); len(got) > 0 {
			t.Errorf("with %v, open are %v", closed, got)
		}
	}
}

// shows RAD-02, RAD-08, RAD-11
func TestClients(t *testing.T) {
	r := newRig(t)
	made := r.Do("POST", "/radius/clients", object{"name": "ap-1", "address": "192.0.2.77/24", "secret": "correct-horse"}).Want(201)
	if made.Field("address") != "192.0.2.0/24" || made.Field("require_message_authenticator") != "true" || made.Field("secret_configured") != "true" {
		t.Errorf("made %s", made.Data)
	}
	one := "/radius/clients/" + made.ID()
	if got := r.Edit(one, object{"description": "in the hall", "require_message_authenticator": false}).Want(200); got.Field("description") != "in the hall" || got.Field("require_message_authenticator") != "false" {
		t.Errorf("it became %s", got.Data)
	}
	if got := secrets(t, r)["ap-1"]; got != "correct-horse" {
		t.Errorf("an update without a secret left %q", got)
	}
	r.Edit(one, object{"secret": "battery-staple"}).Want(200)
	if got := secrets(t, r)["ap-1"]; got != "battery-staple" {
		t.Errorf("an update with a secret left %q", got)
	}
	for _, tc := range []struct {
		name, field string
		status      int
		body        object
	}{
		{"the name of another", "name", 409, object{"name": "ap-1"}},
		{"the address of another", "address", 409, object{"address": "192.0.2.0/24"}},
		{"no address", "address", 400, object{"address": "hall"}},
		{"no network", "address", 400, object{"address": "192.0.2.0/33"}},
		{"all addresses", "address", 400, object{"address": "0.0.0.0/0"}},
		{"a multicast address", "address", 400, object{"address": "224.0.0.1"}},
		{"a long secret", "secret", 400, object{"secret": strings.Repeat("x", 129)}},
		{"a secret that nobody can type", "secret", 400, object{"secret": "sécret"}},
	} {
		body := apitest.With(object{"name": "x", "address": "192.0.2.1", "secret": "correct-horse"}, tc.body)
		if a := r.Do("POST", "/radius/clients", body); a.Status != tc.status || a.Complaint(tc.field) == "" {
			t.Errorf("%s: answered %d %+v, want %d about %s", tc.name, a.Status, a.Error, tc.status, tc.field)
		}
	}
	r.Do("DELETE", one, nil).Want(200)
	r.Do("GET", one, nil).Want(404)
}

// shows RAD-03
func TestUsers(t *testing.T) {
	r := newRig(t)
	made := r.Do("POST", "/radius/users", object{"name": "ann@example.com", "password": "wonder land", "vlan": 10}).Want(201)
	if made.Field("enabled") != "true" || made.Field("vlan") != "10" || made.Field("password_configured") != "true" {
		t.Errorf("made %s", made.Data)
	}
	one := "/radius/users/" + made.ID()
	if got := r.Edit(one, object{"enabled": false, "vlan": nil}).Want(200); got.Field("enabled") != "false" || got.Field("vlan") == "10" {
		t.Errorf("it became %s", got.Data)
	}
	for _, tc := range []struct {
		name, field string
		status      int
		body        object
	}{
		{"the name of another", "name", 409, object{"name": "ann@example.com"}},
		{"everybody", "name", 400, object{"name": "DEFAULT"}},
		{"a VLAN that is none", "vlan", 400, object{"vlan": 4095}},
		{"a long password", "password", 400, object{"password": strings.Repeat("é", 65)}},
	} {
		body := apitest.With(object{"name": "x", "password": "wonder land"}, tc.body)
		if a := r.Do("POST", "/radius/users", body); a.Status != tc.status || a.Complaint(tc.field) == "" {
			t.Errorf("%s: answered %d %+v, want %d about %s", tc.name, a.Status, a.Error, tc.status, tc.field)
		}
	}
	r.Do("DELETE", one, nil).Want(200)
}

// shows RAD-07, RAD-09, RAD-10
func TestWhatCannotBeAValueIsRefused(t *testing.T) {
	r := newRig(t)
	client := object{"name": "x", "address": "192.0.2.1", "secret": "correct-horse"}
	user := object{"name": "x", "password": "wonder land"}
	for _, name := range []string{"", "a b", "a\nb", "a\x01b", "ünicode", "a/b", "a'b", `a"b`, "a,b", "$INCLUDE", "#x", "{x}", "a\u202eb", strings.Repeat("x", 65)} {
		for path, body := range map[string]object{"/radius/clients": client, "/radius/users": user} {
			if a := r.Do("POST", path, apitest.With(body, object{"name": name})); a.Status != 400 || a.Complaint("name") == "" {
				t.Errorf("%s named %q: answered %d %+v", path, name, a.Status, a.Error)
			}
		}
	}
	for _, secret := range []any{"", nil, "a\nb", "a\rb", "a\x00b", "a\x7fb"} {
		if a := r.Do("POST", "/radius/clients", apitest.With(client, object{"secret": secret})); a.Status != 400 {
			t.Errorf("the secret %q: answered %d", secret, a.Status)
		}
		if a := r.Do("POST", "/radius/users", apitest.With(user, object{"password": secret})); a.Status != 400 {
			t.Errorf("the password %q: answered %d", secret, a.Status)
		}
	}
	r.Do("POST", "/radius/clients", object{"name": "x", "address": "192.0.2.1"}).Want(400)
	r.Do("POST", "/radius/users", object{"name": "x"}).Want(400)
}

// secrets are those of the rendering, by the name of the client.
func secrets(t *testing.T, r *componenttest.Rig) map[string]string {
	t.Helper()
	out := map[string]string{}
	rows, err := r.Pool.Query(t.Context(), `select id::text, name, secret from radius_clients`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, name string
		var sealed []byte
		if err := rows.Scan(&id, &name, &sealed); err != nil {
			t.Fatal(err)
		}
		plain, err := r.Box.Unseal(sealed, freeradius.SecretPlace(id))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = plain.Reveal()
	}
	return out
}

// shows SEC-02, SEC-08
func TestSecretsAreSealedAndNeverAnswered(t *testing.T) {
	r := newRig(t)
	const shared, password = "canary-of-the-secret", "canary-of-the-password"
	client := r.Do("POST", "/radius/clients", object{"name": "ap-1", "address": "192.0.2.1", "secret": shared}).Want(201)
	user := r.Do("POST", "/radius/users", object{"name": "ann", "password": password}).Want(201)
	r.Edit("/radius/settings", object{"enabled": true}).Want(200)
	said := client.Text + user.Text
	for _, path := range []string{"/radius/settings", "/radius/clients", "/radius/clients/" + client.ID(), "/radius/users", "/radius/users/" + user.ID(), "/radius/clients?q=" + shared} {
		said += r.Do("GET", path, nil).Want(200).Text
	}
	said += r.Edit("/radius/clients/"+client.ID(), object{"secret": shared}).Want(200).Text + r.Edit("/radius/users/"+user.ID(), object{"password": password}).Want(200).Text
	for _, text := range r.Rendered().Texts() {
		said += text
	}
	var stored string
	err := r.Pool.QueryRow(t.Context(), `select (select string_agg(c::text || encode(secret, 'escape'), '') from radius_clients c) || (select string_agg(u::text || encode(password, 'escape'), '') from radius_users u)
		|| (select coalesce(string_agg(v::text, ''), '') from change_rows v) || (select string_agg(a::text, '') from audit_entries a)`).Scan(&stored)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{shared, password} {
		if strings.Contains(said, secret) || strings.Contains(stored, secret) {
			t.Errorf("%s was answered: %t, or stored in the open: %t", secret, strings.Contains(said, secret), strings.Contains(stored, secret))
		}
	}
}
