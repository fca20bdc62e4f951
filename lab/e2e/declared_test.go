package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
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

// ownPassword is that of the account, which is asked for once more: it is compared and not stored.
var ownPassword = apitest.Secret{Method: "PUT", Path: "/backups/passphrase", Field: "password"}

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

// throughLives holds what was sent against what can be done to the secrets of the row: whoever replaces one, deletes it or
// has that undone must not leave it behind, so each has to be heard of.
func (a *aviary) throughLives(row string) {
	a.t.Helper()
	document := a.signIn().get("/openapi.json").want(200).body
	secrets, err := declared(row, document)
	a.lab.Must(err)
	lacking, err := unlived(document, secrets, a.heard.all(), a.flock)
	a.lab.Must(err)
	for _, what := range lacking {
		a.t.Error(what)
	}
}

// unlived says of each secret that can be written anew what was not done to it: it has to be replaced, and where its
// object can be deleted, that has to be undone once and to last once.
func unlived(document []byte, secrets []apitest.Secret, said []heard, flock []canary) (lacking []string, err error) {
	var doc struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	for _, s := range secrets {
		if s.Method != http.MethodPut || s == ownPassword {
			continue
		}
		made := apitest.Secret{Method: http.MethodPost, Path: s.Path[:strings.LastIndexByte(s.Path, '/')], Field: s.Field}
		if len(accepted(said, flock, s, made)) < 2 {
			lacking = append(lacking, s.String()+" was not replaced")
		}
		if doc.Paths[s.Path]["delete"] == nil {
			continue
		}
		undone, lasting := deleted(said, s.Path)
		if !undone {
			lacking = append(lacking, s.String()+": no deletion was undone")
		}
		if !lasting {
			lacking = append(lacking, s.String()+": no deletion lasted")
		}
	}
	return lacking, nil
}

// accepted are the values with a canary that accepted requests had in any of the fields.
func accepted(said []heard, flock []canary, fields ...apitest.Secret) map[string]bool {
	values := map[string]bool{}
	for _, h := range said {
		method, at, _ := strings.Cut(h.what, " ")
		for _, s := range fields {
			for _, value := range s.Values(method, strings.TrimPrefix(at, apiPrefix), h.sent) {
				if h.status < 300 && slices.ContainsFunc(flock, func(c canary) bool { return c.in(value) }) {
					values[value] = true
				}
			}
		}
	}
	return values
}

// deleted tells of the deletions of a path, alone or in a batch, whether one was undone by the clock and one was not.
func deleted(said []heard, template string) (undone, lasting bool) {
	for _, h := range said {
		if h.status >= 300 || !deletes(h, template) {
			continue
		}
		change := changeOf.FindStringSubmatch(h.text)
		reverted := change != nil && slices.ContainsFunc(said, func(later heard) bool {
			return later.what == "GET "+apiPrefix+"/changes/"+change[1] && strings.Contains(later.text, `"confirm_state":"reverted"`)
		})
		undone, lasting = undone || reverted, lasting || !reverted
	}
	return undone, lasting
}

// changeOf is the id of the change in an answer that the transcript keeps.
var changeOf = regexp.MustCompile(`(?m)^Gateway-Change: (\S+)$`)

func deletes(h heard, template string) bool {
	type operation struct{ Method, Path string }
	var batch struct{ Operations []operation }
	method, at, _ := strings.Cut(h.what, " ")
	at = strings.TrimPrefix(at, apiPrefix)
	if at != "/batch" || json.Unmarshal(h.sent, &batch) != nil {
		batch.Operations = []operation{{method, at}}
	}
	form := regexp.MustCompile("^" + parameter.ReplaceAllString(template, `[^/]+`) + "$")
	return slices.ContainsFunc(batch.Operations, func(o operation) bool { return o.Method == http.MethodDelete && form.MatchString(o.Path) })
}

var parameter = regexp.MustCompile(`\{[^}]*\}`)

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

// What can be replaced and deleted is to be replaced, deleted, and deleted in vain.
func TestAnUnfinishedLifeOfASecretIsNoticed(t *testing.T) {
	document := []byte(`{"paths": {"/phones/{id}": {"put": {}, "delete": {}}, "/phones/settings": {"put": {}}}}`)
	of := []apitest.Secret{{Method: "POST", Path: "/phones", Field: "pin"}, {Method: "PUT", Path: "/phones/{id}", Field: "pin"}}
	settings := []apitest.Secret{{Method: "PUT", Path: "/phones/settings", Field: "pin"}}
	flock := []canary{{value: "Canary-AAAA", shown: -1}, {value: "Canary-BBBB", shown: -1}}
	sent := func(what, body, change string) heard {
		method, at, _ := strings.Cut(what, " ")
		return heard{what: method + " " + apiPrefix + at, status: 200, sent: []byte(body), text: "200\nGateway-Change: " + change + "\n{}"}
	}
	made := sent("POST /phones", `{"pin": "Canary-AAAA"}`, "c1")
	replaced := sent("PUT /phones/7", `{"pin": "Canary-BBBB"}`, "c2")
	inBatch := sent("POST /batch", `{"operations": [{"method": "DELETE", "path": "/phones/7"}]}`, "c3")
	undone := heard{what: "GET " + apiPrefix + "/changes/c3", status: 200, text: `{"confirm_state":"reverted"}`}
	gone := sent("DELETE /phones/7", "", "c4")
	for _, tc := range []struct {
		name    string
		secrets []apitest.Secret
		said    []heard
		want    int
	}{
		{"nothing heard", of, nil, 3},
		{"the same twice", of, []heard{made, sent("PUT /phones/7", `{"pin": "Canary-AAAA"}`, "c2"), inBatch, undone, gone}, 1},
		{"a deletion that nobody undid", of, []heard{made, replaced, inBatch, gone}, 1},
		{"undone alone", of, []heard{made, replaced, inBatch, undone}, 1},
		{"deleted alone", of, []heard{made, replaced, gone}, 1},
		{"another's deletion", of, []heard{made, replaced, inBatch, undone, sent("DELETE /phones/7/lines/1", "", "c4")}, 1},
		{"a whole life", of, []heard{made, replaced, inBatch, undone, gone}, 0},
		{"settings once", settings, []heard{sent("PUT /phones/settings", `{"pin": "Canary-AAAA"}`, "c1")}, 1},
	} {
		got, err := unlived(document, tc.secrets, tc.said, flock)
		if err != nil || len(got) != tc.want {
			t.Errorf("%s: %v, %v, want %d", tc.name, got, err, tc.want)
		}
	}
}
