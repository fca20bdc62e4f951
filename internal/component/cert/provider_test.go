package cert

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"gateway/internal/dnsprovider"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/lab/bindtest"
	"gateway/lab/pebbletest"
)

func (r *rig) provider(server string) Provider {
	r.T.Helper()
	var made Provider
	r.Do("POST", "/certificates/dns-providers", object{"name": "ours " + server, "kind": "rfc2136", "settings": object{
		"server": server, "key_name": bindtest.KeyName, "key": bindtest.Key,
	}}).Want(http.StatusCreated).Into(&made)
	return made
}

func TestAProvidersSecretsAreNeverAnswered(t *testing.T) {
	r := newRig(t)
	made := r.provider("192.0.2.1")
	if made.Settings["key"] != masked || made.Settings["server"] != "192.0.2.1" {
		t.Errorf("settings = %v, want the key masked and the rest as it is", made.Settings)
	}
	path := "/certificates/dns-providers/" + made.ID
	for _, text := range []string{r.Do("GET", path, nil).Text, r.Do("GET", "/certificates/dns-providers", nil).Text} {
		if strings.Contains(text, bindtest.Key) {
			t.Errorf("the key is answered: %s", text)
		}
	}
	same := object{"server": "192.0.2.1", "key_name": "other", "key": masked}
	r.Do("PUT", path, object{"name": "renamed", "kind": "rfc2136", "settings": same}).Want(http.StatusOK)
	secrets, err := r.s.secrets(t.Context(), r.Pool, made.ID)
	if err != nil || secrets["key"] != bindtest.Key {
		t.Errorf("after a change of something else the key is %q, %v, want it kept", secrets["key"], err)
	}
	for _, tc := range []struct {
		name, field string
		in          object
	}{
		{"another server and the stored key", "settings.key", object{"name": "a", "kind": "rfc2136", "settings": object{"server": "192.0.2.2", "key_name": "a", "key": masked}}},
		{"another kind and a stored secret", "settings.api_token", object{"name": "a", "kind": "cloudflare", "settings": object{"api_token": masked}}},
		{"no key", "settings.key", object{"name": "a", "kind": "rfc2136", "settings": object{"server": "192.0.2.1", "key_name": "a"}}},
		{"a key that is none", "settings.key", object{"name": "a", "kind": "rfc2136", "settings": object{"server": "192.0.2.1", "key_name": "a", "key": "not base64!"}}},
		{"a setting that is none", "settings", object{"name": "a", "kind": "rfc2136", "settings": object{"server": "192.0.2.1", "key_name": "a", "key": "YQ==", "path": "/etc"}}},
		{"a server that is none", "settings.server", object{"name": "a", "kind": "rfc2136", "settings": object{"server": "/run/x", "key_name": "a", "key": "YQ=="}}},
		{"a kind that is none", "kind", object{"name": "a", "kind": "none", "settings": object{}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if a := r.Do("PUT", path, tc.in).Want(http.StatusBadRequest); a.Complaint(tc.field) == "" {
				t.Errorf("complaints = %+v, want one about %s", a.Error.Fields, tc.field)
			}
		})
	}
}

// A provider whose secrets stay is renamed, and called as before again: the history keeps no secret that a revert would need.
func TestARenamedProviderGoesBack(t *testing.T) {
	r := newRig(t)
	made := r.provider("192.0.2.1")
	sealed := func() (out []byte) {
		if err := r.Pool.QueryRow(t.Context(), `select secrets from dns_providers where id = $1`, made.ID).Scan(&out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	put := func(name string, key string) string {
		settings := object{"server": "192.0.2.1", "key_name": bindtest.KeyName, "key": key}
		r.Do("PUT", "/certificates/dns-providers/"+made.ID, object{"name": name, "kind": "rfc2136", "settings": settings}).Want(http.StatusOK)
		var id string
		if err := r.Pool.QueryRow(t.Context(), `select id::text from changes order by created_at desc, id desc limit 1`).Scan(&id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	before := sealed()
	renamed := put("renamed", masked)
	if !bytes.Equal(before, sealed()) {
		t.Error("a secret that stays was sealed again")
	}
	ann := identity.With(t.Context(), identity.Identity{Email: "ann@example.com"})
	if _, err := r.Run.Revert(ann, renamed); err != nil {
		t.Fatal(err)
	}
	var now Provider
	r.Do("GET", "/certificates/dns-providers/"+made.ID, nil).Want(http.StatusOK).Into(&now)
	if secrets, err := r.s.secrets(t.Context(), r.Pool, made.ID); now.Name != made.Name || err != nil || secrets["key"] != bindtest.Key {
		t.Errorf("it is called %s with the key %q, %v; want both as before", now.Name, secrets["key"], err)
	}
	replaced := put(made.Name, "YQ==")
	_, err := r.Run.Revert(ann, replaced)
	if f, ok := fault.Of(err); !ok || f.Code != "secrets_not_kept" || bytes.Equal(before, sealed()) {
		t.Errorf("a replaced key goes back: %v", err)
	}
}

func TestEveryKindOfProviderOpens(t *testing.T) {
	r := newRig(t)
	var listed []dnsprovider.Kind
	r.Do("GET", "/certificates/dns-provider-kinds", nil).Want(http.StatusOK).Into(&listed)
	if len(listed) != len(dnsprovider.Kinds()) {
		t.Errorf("%d kinds are listed, want all %d", len(listed), len(dnsprovider.Kinds()))
	}
	for _, k := range dnsprovider.Kinds() {
		settings := object{}
		for _, s := range k.Settings {
			settings[s.Name] = "YWJjZA=="
			if s.Server {
				settings[s.Name] = "ns.example.com"
			}
		}
		var made Provider
		r.Do("POST", "/certificates/dns-providers", object{"name": k.Kind, "kind": k.Kind, "settings": settings}).Want(http.StatusCreated).Into(&made)
		provider, _, err := r.s.openProvider(t.Context(), made.ID)
		if err != nil || provider == nil {
			t.Errorf("%s: %v", k.Kind, err)
		}
	}
}

func TestAProviderInUseStays(t *testing.T) {
	r := newRig(t)
	made := r.provider("192.0.2.1")
	c := r.make(object{"source": "acme", "challenge": "dns-01", "dns_provider_id": made.ID, "names": []string{"*.example.com"}})
	a := r.Do("DELETE", "/certificates/dns-providers/"+made.ID, nil).Want(http.StatusConflict)
	if got := a.Users(); a.Error.Code != "in_use" || !slices.Equal(got, []string{"certificate *.example.com /certificates/" + c.ID}) {
		t.Errorf("%s: used by %q, want the certificate", a.Error.Code, got)
	}
}

func TestAWildcardIsIssuedByRecordsOfARealNameServer(t *testing.T) {
	bind := bindtest.New(t, "example.test", "www A 127.0.0.1\nother CNAME www\n_acme-challenge.alias CNAME moved\n")
	a := newAuthorised(t, pebbletest.Options{DNS: bind.Addr})
	a.s.outside.DNSPort = bind.Port
	names := []string{"example.test", "*.example.test", "alias.example.test"}
	c := a.make(object{"source": "acme", "challenge": "dns-01", "dns_provider_id": a.provider(bind.Addr).ID, "names": names})
	a.tick()
	c = a.get(c.ID)
	if c.Status != "valid" {
		t.Fatalf("after ordering: %+v %v", c.Status, text(c.LastErrorText))
	}
	for _, name := range []string{"_acme-challenge.example.test", "moved.example.test"} {
		if left := bind.Records(t, name, dns.TypeTXT); len(left) > 0 {
			t.Errorf("%s still has %v, want no trace", name, left)
		}
	}
	a.pass(61 * 24 * time.Hour)
	a.tick()
	if again := a.get(c.ID); again.Serial == c.Serial {
		t.Errorf("it was not renewed: %v", text(again.LastErrorText))
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestAProviderThatRefusesIsToldWithoutItsSecret(t *testing.T) {
	bind := bindtest.New(t, "example.test", "")
	a := newAuthorised(t, pebbletest.Options{DNS: bind.Addr})
	a.s.outside.DNSPort = bind.Port
	var wrong Provider
	a.Do("POST", "/certificates/dns-providers", object{"name": "wrong", "kind": "rfc2136", "settings": object{
		"server": bind.Addr, "key_name": "gateway", "key": "d3Jvbmc=",
	}}).Want(http.StatusCreated).Into(&wrong)
	c := a.make(object{"source": "acme", "challenge": "dns-01", "dns_provider_id": wrong.ID, "names": []string{"*.example.test"}})
	a.tick()
	if c = a.get(c.ID); c.code() != dnsUpdateFailed || strings.Contains(text(c.LastErrorText), "d3Jvbmc=") {
		t.Errorf("after a wrong key: %s %q, want %s", c.code(), text(c.LastErrorText), dnsUpdateFailed)
	}
}
