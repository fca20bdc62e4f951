package e2e

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
)

// secretsOf are the paths whose secrets a row of bars sends canaries through. Whatever is in no
// list belongs to trust.3: there a component fails whose secrets nobody thought of.
var secretsOf = map[string][]string{
	"foundation.13": {"/auth/", "/setup/", "/users"},
	"services.9":    {"/dhcp/", "/forward-proxy/", "/radius/"},
}

const otherSecrets = "trust.3"

// otherSetup is the setup that a node cannot have beside the one that it has.
var otherSetup = apitest.Secret{Method: "POST", Path: "/setup/complete-node", Field: "code"}

// otherState is a restore, which would put an end to the node that is looked at: its password is sent, and is a wrong one.
var otherState = apitest.Secret{Method: "POST", Path: "/backups/{id}/restore", Field: "password"}

// declared are the secrets of a row, as the API's document declares them.
func declared(row string, document []byte) (out []apitest.Secret, err error) {
	all, err := apitest.Secrets(document)
	for _, s := range all {
		owner := otherSecrets
		for of, paths := range secretsOf {
			if slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(s.Path, p) }) {
				owner = of
			}
		}
		if owner == row {
			out = append(out, s)
		}
	}
	return out, err
}

// without are the secrets that no accepted request had a canary in.
func without(secrets []apitest.Secret, said []heard, flock []canary) (lacking []apitest.Secret) {
	for _, s := range secrets {
		accepted := func(h heard) bool { return h.status < 300 || h.status == 401 && (s == otherSetup || s == otherState) }
		if !slices.ContainsFunc(said, func(h heard) bool { return accepted(h) && carries(s, h, flock) }) {
			lacking = append(lacking, s)
		}
	}
	return lacking
}

func carries(s apitest.Secret, h heard, flock []canary) bool {
	method, path, _ := strings.Cut(h.what, " ")
	return slices.ContainsFunc(s.Values(method, strings.TrimPrefix(path, apiPrefix), h.sent), func(value string) bool {
		return slices.ContainsFunc(flock, func(c canary) bool { return c.in(value) })
	})
}

// ofSettings are the secrets that are a field of settings, which are written as they are read.
func ofSettings(secrets []apitest.Secret) []apitest.Secret {
	return slices.DeleteFunc(slices.Clone(secrets), func(s apitest.Secret) bool {
		return s.Method != http.MethodPut || strings.Contains(s.Path, "{") || strings.ContainsAny(s.Field, ".[")
	})
}

// throughSettings sends canaries through the secrets of settings that none was sent through so far: those of a component that
// this test does not know. The last one of each is in use.
func (a *aviary) throughSettings(c *caller, row string) {
	a.t.Helper()
	secrets, err := declared(row, c.get("/openapi.json").want(200).body)
	a.lab.Must(err)
	for _, s := range ofSettings(without(secrets, a.heard.all(), a.flock)) {
		for _, which := range []string{"", ", replaced"} {
			settings := c.settings(s.Path)
			settings[s.Field] = a.loose(s.Field + " of " + s.Path + which)
			c.put(s.Path, settings).want(200).live()
		}
		a.flock[len(a.flock)-1].inUse = true
	}
}

// throughAll holds what was sent against the secrets that the node's own document declares for
// the row.
func (a *aviary) throughAll(row string) {
	a.t.Helper()
	secrets, err := declared(row, a.signIn().get("/openapi.json").want(200).body)
	a.lab.Must(err)
	for _, s := range without(secrets, a.heard.all(), a.flock) {
		a.t.Errorf("no canary was sent through %s", s)
	}
	if n := len(without(secrets, nil, a.flock)); n != len(secrets) || n == 0 {
		a.t.Errorf("with nothing sent, %d of %d secrets lack a canary", n, len(secrets))
	}
	a.fields = len(secrets)
}

// A secret of a component that no row knows is one of trust.3, and lacks a canary until one is
// sent through it.
func TestASecretWithoutACanaryIsNoticed(t *testing.T) {
	document, err := os.ReadFile("../../web/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	const planted = `"paths": {"/phones": {"post": {"requestBody": {"content": {"application/json": {"schema":
		{"type": "object", "properties": {"pin": {"type": "string", "writeOnly": true}}}}}}}},`
	with := strings.Replace(string(document), `"paths": {`, planted, 1)
	before, err := declared(otherSecrets, document)
	if err != nil || len(before) == 0 {
		t.Fatalf("declared = %v, %v", before, err)
	}
	after, err := declared(otherSecrets, []byte(with))
	if err != nil || len(after) != len(before)+1 {
		t.Fatalf("with one more: %v, %v", after, err)
	}
	phones := []apitest.Secret{
		{Method: "POST", Path: "/phones", Field: "pin"},
		{Method: "PUT", Path: "/phones/{id}", Field: "pin"},
		{Method: "PUT", Path: "/phones/settings", Field: "key"},
		{Method: "PUT", Path: "/phones/settings", Field: "lines[].key"},
	}
	if got := ofSettings(phones); !slices.Equal(got, phones[2:3]) {
		t.Errorf("of settings are %v", got)
	}
	for _, row := range []string{"foundation.13", "services.9"} {
		if of, err := declared(row, document); err != nil || len(of) == 0 {
			t.Errorf("%s has %v, %v", row, of, err)
		}
	}
	flock := []canary{{value: "Canary-AAAA", shown: -1}}
	sent := func(status int, pin string) []heard {
		return []heard{{what: "POST " + apiPrefix + "/phones", status: status, sent: fmt.Appendf(nil, `{"pin": %q}`, pin)}}
	}
	pin := []apitest.Secret{{Method: "POST", Path: "/phones", Field: "pin"}}
	for _, tc := range []struct {
		name string
		said []heard
		want int
	}{
		{"nothing sent", nil, 1},
		{"something else sent", sent(201, "1234"), 1},
		{"a canary refused", sent(400, "Canary-AAAA"), 1},
		{"a canary accepted", sent(201, "Canary-AAAA"), 0},
	} {
		if got := without(pin, tc.said, flock); len(got) != tc.want {
			t.Errorf("%s: %v lack a canary, want %d", tc.name, got, tc.want)
		}
	}
}
