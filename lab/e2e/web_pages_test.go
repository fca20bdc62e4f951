package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gateway/tools/bar"
)

// accounts are those that scripts sign in with.
func (a *appliance) accounts() deeds {
	a.t.Helper()
	admin := a.signedIn(a.admin)
	viewer := account{"watcher@example.com", "Cobalt-Meadow-17"}
	a.tamper("delete from users where email = '" + viewer.email + "'") // with its second factor of the last test
	admin.post("/users", map[string]any{"email": viewer.email, "role": "viewer", "password": viewer.password}).want(201)
	said := func(who account) map[string]string {
		return map[string]string{"email": who.email, "password": who.password}
	}
	return deeds{
		"accounts": func(json.RawMessage) (any, error) {
			return map[string]any{"admin": said(a.admin), "viewer": said(viewer)}, nil
		},
		"sql": ask(func(in struct{ Query string }) (any, error) { return a.sql("gateway", in.Query), nil }),
	}
}

func TestBarWeb02Accessibility(t *testing.T) {
	a := site(t)
	var out struct {
		Sights, Findings, Control []string
		Looks, Pressed            int
	}
	a.browse("axe", a.accounts(), &out)
	for _, f := range out.Findings {
		t.Errorf("axe: %s", f)
	}
	if len(out.Sights) < 20 {
		t.Errorf("only %d sights were looked at: %v", len(out.Sights), out.Sights)
	}
	if out.Looks*10 < len(out.Sights)*14 { // in the light theme all, at the gate every other one in the dark
		t.Errorf("%d sights were looked at %d times", len(out.Sights), out.Looks)
	}
	slices.Sort(out.Control)
	if want := []string{"dark control: serious color-contrast", "light control: critical image-alt", "light control: serious color-contrast"}; !slices.Equal(out.Control, want) {
		t.Errorf("of the faults on purpose %v were found, want %v: nothing can be said about the others", out.Control, want)
	}
	t.Logf("looked at %s", strings.Join(out.Sights, "; "))
	figure := fmt.Sprintf("%d serious or critical in %d sights, %d buttons pressed, both themes; control %d of 3",
		len(out.Findings), len(out.Sights), out.Pressed, len(out.Control))
	bar.Report(t, "web", 2, figure, "0 serious or critical", !t.Failed() && len(out.Findings) == 0)
}

const corpusSize = 25

func TestBarWeb04StoredXSS(t *testing.T) {
	a := site(t)
	do := a.accounts()
	do["plant"] = ask(func(in struct{ Corpus []string }) (any, error) { a.plant(in.Corpus); return nil, nil })
	do["store"] = ask(func(in struct{ Corpus []string }) (any, error) { return a.store(in.Corpus), nil })
	t.Cleanup(a.weed)
	var out struct {
		Places, Shown, Stored, Spoilt, Payloads, Pressed, Control, Asked int
		Fields, Links, Markup, Missed                                    []string
	}
	seen := a.browse("xss", do, &out)
	for _, f := range [][]string{seen.XSS, seen.Dialogs, seen.Foreign, out.Links, out.Markup} {
		for _, text := range f {
			t.Errorf("ran, or could: %s", text)
		}
	}
	for _, field := range out.Missed {
		t.Errorf("nothing was typed into %s", field)
	}
	if out.Control == 0 || out.Asked == 0 {
		t.Errorf("the control ran %d and asked %d times: nothing can be said about the others", out.Control, out.Asked)
	}
	if out.Stored == 0 || out.Spoilt < out.Payloads {
		t.Errorf("the API stored %d payloads, and %d texts of its answers were spoilt: that shows nothing", out.Stored, out.Spoilt)
	}
	// Of some fifty fields, and half of the pages at the gate; which ones a walk meets depends a little on what comes late.
	if out.Shown < 2*out.Payloads || out.Payloads < corpusSize || len(out.Fields) < bar.GateSize(15, 30, 30) {
		t.Errorf("%d payloads were seen %d times and typed into %d fields: that shows nothing", out.Payloads, out.Shown, len(out.Fields))
	}
	t.Logf("typed into %s", strings.Join(out.Fields, "; "))
	runs := len(seen.XSS) + len(seen.Dialogs) + len(seen.Foreign)
	figure := fmt.Sprintf("%d script runs; %d payloads seen %d times at %d places, typed into %d fields, %d stored by the API; control ran %d, asked %d",
		runs, out.Payloads, out.Shown, out.Places, len(out.Fields), out.Stored, out.Control, out.Asked)
	bar.Report(t, "web", 4, figure, "0 script runs", !t.Failed() && runs == 0)
}

const planted = "planted-"

// plant puts the texts where they come from outside, past every check.
func (a *appliance) plant(corpus []string) {
	admin := a.sql("gateway", "select id from users where email = '"+a.admin.email+"'")
	var q strings.Builder
	for i, text := range corpus {
		s := "$xss$" + text + "$xss$"
		fmt.Fprintf(&q, `insert into audit_entries (id, node_id, seq, created_at, actor, action, subject, detail, hash)
			values (gen_random_uuid(), '%[1]sxss', %[2]d, now(), %[3]s, %[3]s, %[3]s, json_build_object(%[3]s::text, %[3]s::text), '');`, planted, i, s)
		fmt.Fprintf(&q, `insert into users (id, revision, created_at, updated_at, email, role, active, password_hash, oidc_subject)
			values (gen_random_uuid(), 1, now(), now(), %s, 'viewer', true, '', '%sxss');`, s, planted)
		fmt.Fprintf(&q, `insert into user_sessions (id, user_id, created_at, last_seen, expires_at, remote_ip, user_agent)
			values (gen_random_uuid(), '%[1]s', now(), now(), now() + interval '1 hour', %[2]s, %[2]s);`, admin, s)
		fmt.Fprintf(&q, `insert into user_tokens (id, user_id, name, role, hash, created_at, expires_at, epoch)
			select gen_random_uuid(), '%[1]s', %[2]s, 'viewer', sha256(('%[3]s' || %[4]d)::bytea), now(), now() + interval '1 hour', session_epoch
			from users where id = '%[1]s';`, admin, s, planted, i)
	}
	a.tamper(q.String())
}

// store sends the texts through the API and counts what it took.
func (a *appliance) store(corpus []string) (taken int) {
	c := a.signedIn(a.admin)
	for i, text := range corpus {
		// Each costs three hashes of a password, and at the gate the others are planted all the same.
		if i%bar.GateSize(4, 1, 1) != 0 {
			continue
		}
		for _, r := range []*answer{
			c.post("/auth/tokens", map[string]any{"name": fmt.Sprint(i, text), "role": "viewer"}),
			c.post("/users", map[string]any{"email": fmt.Sprintf("%d%s@example.com", i, text), "role": "viewer", "password": "Cobalt-Meadow-17"}),
		} {
			if r.status == 201 || r.status == 200 {
				taken++
			}
			if r.status >= 500 {
				a.t.Errorf("%s with %q answered %v", r.what, text, r)
			}
		}
	}
	return taken
}

// weed removes what was planted and stored.
func (a *appliance) weed() {
	a.tamper(`delete from audit_entries where node_id = '` + planted + `xss';
		delete from audit_names where name ~ '[<>{]';
		delete from user_tokens; delete from user_sessions where remote_ip !~ '^[0-9.:a-f]+$';
		delete from users where oidc_subject like '` + planted + `%' or email like '%@example.com' and email ~ '^[0-9]';`)
}

// tamper writes into the database past the checks of its triggers, and works in a cleanup too.
// Nothing cascades that way, so what belonged to users that are gone is deleted by hand.
func (a *appliance) tamper(query string) {
	a.t.Helper()
	script := "set session_replication_role = replica;\n" + query + ";\n"
	for _, table := range []string{"user_tokens", "user_sessions", "user_recovery_codes", "user_totp_state", "user_password_resets"} {
		script += "delete from " + table + " t where not exists (select from users u where u.id = t.user_id);\n"
	}
	out, err := a.node.RunInput(context.Background(), strings.NewReader(script),
		"runuser", "-u", "postgres", "--", "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", "gateway")
	if err != nil {
		a.t.Errorf("tamper with the database: %v: %s", err, out)
	}
}
