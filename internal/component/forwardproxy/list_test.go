package forwardproxy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/namelist"
)

// newList makes one with names, and returns the path of its names.
func newList(r *componenttest.Rig, name string, names ...string) string {
	r.T.Helper()
	path := "/forward-proxy/lists/" + r.Do("POST", "/forward-proxy/lists", object{"name": name}).Want(201).Field("id")
	if len(names) > 0 {
		r.Do("PUT", path+"/names", object{"names": strings.Join(names, "\n")}).Want(200)
	}
	return path
}

func listFile(name string, parts, number int) string {
	return squid.ListsFolder + "/" + namelist.File(name, parts, number)
}

func TestNamesOfAList(t *testing.T) {
	r := newRig(t)
	path := newList(r, "ads")
	got := r.Do("PUT", path+"/names", object{"names": "# a list\n\nADS.example.com.\n*.tracker.test # why\n.b.test\n0.0.0.0 hosts.test\n127.0.0.1\tother.test\nbücher.test\nads.example.com\r\n"}).Want(200)
	if got.Field("size") != "6" || got.Field("added") != "6" || got.Field("removed") != "0" {
		t.Errorf("it has %s", got.Data)
	}
	const want = "ads.example.com\nb.test\nhosts.test\nother.test\ntracker.test\nxn--bcher-kva.test\n"
	if text := r.Do("GET", path+"/names", nil).Want(200); !strings.Contains(text.Text, strings.ReplaceAll(want, "\n", `\n`)) {
		t.Errorf("the names are %s", text.Data)
	}
	if text := r.Text(listFile("ads", 1, 0)); !strings.HasPrefix(text, want) {
		t.Errorf("the file is %q", text)
	}
	got = r.Do("POST", path+"/names", object{"add": []string{"B.test", "c.test"}, "remove": []string{"ads.example.com", "nobody.test"}}).Want(200)
	if got.Field("size") != "6" || got.Field("added") != "1" || got.Field("removed") != "1" {
		t.Errorf("it has %s", got.Data)
	}
	if size := r.As("viewer", "GET", path, nil).Want(200).Field("size"); size != "6" {
		t.Errorf("%s names", size)
	}
	for _, bad := range []string{"a b", "http://a.test/", "a.test;b.test", "192.0.2.1", "-", "a..b", "\u202ea.test", "a.test OK", `"/etc/passwd"`, "${x}", strings.Repeat("a", 64)} {
		if a := r.Do("PUT", path+"/names", object{"names": "good.test\n" + bad}); a.Status != 400 || !strings.Contains(a.Complaint("names"), "line 2") {
			t.Errorf("%q: answered %d %+v", bad, a.Status, a.Error)
		}
		if a := r.Do("POST", path+"/names", object{"add": []string{bad}}); a.Status != 400 || a.Complaint("add[0]") == "" {
			t.Errorf("%q: answered %d %+v", bad, a.Status, a.Error)
		}
	}
	r.As("viewer", "PUT", path+"/names", object{"names": ""}).Want(403)
	r.Do("PUT", path+"/names", object{"names": ""}).Want(200)
	if text := r.Text(listFile("ads", 1, 0)); strings.Contains(text, "test") {
		t.Errorf("the file is %q", text)
	}
}

func TestAListThatARuleUsesStays(t *testing.T) {
	r := newRig(t)
	rule := object{"action": "deny", "type": "list", "value": "ads", "only_from": []string{}}
	if a := r.Do("POST", "/forward-proxy/acls", rule); a.Status != 400 || a.Complaint("value") == "" {
		t.Errorf("a rule without its list: %d %+v", a.Status, a.Error)
	}
	path := newList(r, "ads", "a.test")
	if a := r.Do("POST", "/forward-proxy/lists", object{"name": "ads"}); a.Status != 409 && a.Status != 400 {
		t.Errorf("a second one: %d", a.Status)
	}
	for _, name := range []string{"", "Ads", "a.b", "../x", "a b", "-a", strings.Repeat("a", 64)} {
		if a := r.Do("POST", "/forward-proxy/lists", object{"name": name}); a.Status != 400 {
			t.Errorf("%q: answered %d", name, a.Status)
		}
	}
	user := "access-rule ads /forward-proxy?tab=acls&do=edit&id=" + r.Do("POST", "/forward-proxy/acls", rule).Want(201).ID()
	for what, a := range map[string]apitest.Answer{"deleting": r.Do("DELETE", path, nil), "renaming": r.Edit(path, object{"name": "other"})} {
		if got := a.Want(409).Users(); a.Error.Code != "in_use" || !slices.Equal(got, []string{user}) {
			t.Errorf("%s it: %s, used by %q, want %s", what, a.Error.Code, got, user)
		}
	}
	r.Edit(path, object{"description": "of a provider"}).Want(200)
	if text := r.Text(squid.ConfFile); !strings.Contains(text, "\nacl rule0 external lists ads\nhttp_access deny rule0\n") {
		t.Errorf("the file is\n%s", text)
	}
}

func TestTheDryRunKnowsLists(t *testing.T) {
	r := newRig(t)
	names := []string{"a.test", "deep.b.test"}
	for i := range 20000 {
		names = append(names, fmt.Sprintf("n%d.example.com", i))
	}
	newList(r, "ads", names...)
	r.Do("POST", "/forward-proxy/acls", object{"action": "deny", "type": "list", "value": "ads", "only_from": []string{}}).Want(201)
	for url, want := range map[string]string{
		"http://a.test/": "false", "https://x.a.test/": "false", "http://xa.test/": "true", "http://b.test/": "true",
		"http://deep.b.test/": "false", "http://n19999.example.com/": "false", "http://n20000.example.com/": "true", "http://example.com/": "true", "http://203.0.113.9/": "true",
	} {
		if got := r.Do("POST", "/forward-proxy/explain", object{"source": "192.168.1.2", "url": url}).Want(200).Field("allowed"); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// lastChange is the number of the last change.
func lastChange(r *componenttest.Rig) (id string) {
	r.T.Helper()
	if err := r.Pool.QueryRow(r.T.Context(), `select id::text from changes order by id desc limit 1`).Scan(&id); err != nil {
		r.T.Fatal(err)
	}
	return id
}

func revert(r *componenttest.Rig, id string) error {
	r.T.Helper()
	_, err := r.Run.Revert(identity.With(r.T.Context(), identity.Identity{Email: "ann@example.com", Role: identity.Admin}), id)
	return err
}

// revertLast reverts the last change.
func revertLast(r *componenttest.Rig) error {
	r.T.Helper()
	return revert(r, lastChange(r))
}

// A change of one name writes one part, and a revert brings the names back; the images of both are short.
func TestOneNameMoreIsAShortChange(t *testing.T) {
	r := newRig(t)
	var names []string
	for i := range 50000 {
		names = append(names, fmt.Sprintf("n%d.example.com", i))
	}
	path := newList(r, "ads", names...)
	parts := namelist.Parts(len(names), 0)
	before := map[int]string{}
	for i := range parts {
		before[i] = r.Text(listFile("ads", parts, i))
	}
	r.Do("POST", path+"/names", object{"add": []string{"one.more.test"}}).Want(200)
	others := 0
	for i := range parts {
		if r.Text(listFile("ads", parts, i)) != before[i] {
			others++
		}
	}
	if others != 1 {
		t.Errorf("%d of %d files are others", others, parts)
	}
	var longest int
	if err := r.Pool.QueryRow(t.Context(), `select max(length(new_row::text)) from change_rows where table_name like 'forwardproxy_list%'`).Scan(&longest); err != nil || longest > 64<<10 {
		t.Errorf("an image has %d bytes, %v", longest, err)
	}
	if err := revertLast(r); err != nil {
		t.Fatal(err)
	}
	for i := range parts {
		if r.Text(listFile("ads", parts, i)) != before[i] {
			t.Errorf("part %d did not come back", i)
		}
	}
	if size := r.Do("GET", path, nil).Want(200).Field("size"); size != "50000" {
		t.Errorf("%s names after the revert", size)
	}
	r.Do("POST", path+"/names", object{"add": []string{"two.more.test"}}).Want(200)
	if _, err := r.Pool.Exec(t.Context(), `delete from forwardproxy_list_parts p where not exists (select from forwardproxy_lists l where p.hash = any(l.parts))`); err != nil {
		t.Fatal(err)
	}
	if f, ok := fault.Of(revertLast(r)); !ok || f.Code != "not_revertible" {
		t.Errorf("reverted to names that nobody has: %+v", f)
	}
}

// From the request to the files: what Squid reads stays as it is, so nobody has it read it again.
func TestNamesDoNotReloadTheProxy(t *testing.T) {
	with := setup(t)
	with.Live = true
	r := componenttest.New(t, with)
	r.Edit("/forward-proxy/settings", object{"enabled": true, "listen_addresses": []string{"127.0.0.1"}}).Want(200)
	path := newList(r, "ads", "a.test")
	r.Do("POST", "/forward-proxy/acls", object{"action": "deny", "type": "list", "value": "ads", "only_from": []string{}}).Want(201)
	r.Units.Asked()
	r.Do("POST", path+"/names", object{"add": []string{"b.test"}}).Want(200)
	if asked := r.Units.Asked(); !slices.Equal(asked, []string{"start squid.service"}) {
		t.Errorf("asked %q", asked)
	}
	if text := string(r.OnDisk(listFile("ads", 1, 0))); !strings.HasPrefix(text, "a.test\nb.test\n") {
		t.Errorf("the file is %q", text)
	}
}
