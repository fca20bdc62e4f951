package change_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway/internal/app/apptest"
	"gateway/internal/change"
	"gateway/internal/component/daemons"
	"gateway/internal/db"
	"gateway/internal/intent"
)

type object = map[string]any

// with is a caller that says more about what it does.
func with(c *apptest.Client, header, value string) *apptest.Client {
	out := c.Copy()
	out.Header.Set(header, value)
	return out
}

func zone(c *apptest.Client, name string) *apptest.Answer {
	return c.Post("/dns/zones", object{"name": name, "forward_to": []string{}}).Want(http.StatusCreated)
}

func record(zone, name, value string) object {
	return object{"zone_id": zone, "name": name, "type": "A", "value": value}
}

func count(t *testing.T, c *apptest.Client, path string) int {
	t.Helper()
	var rows []json.RawMessage
	c.Get(path).Want(http.StatusOK).Data(&rows)
	return len(rows)
}

func TestABatchIsOneChange(t *testing.T) {
	_, admin := apptest.Ready(t)
	id := db.NewID()
	answer := admin.Post("/batch", object{"operations": []object{
		{"method": "POST", "path": "/dns/zones", "id": id, "body": object{"name": "home.arpa", "forward_to": []string{}}},
		{"method": "POST", "path": "/dns/records", "body": record(id, "www", "192.0.2.1")},
		{"method": "PUT", "path": "/dns/zones/" + id, "if_match": `"1"`, "body": object{"name": "home.arpa", "forward_to": []string{"192.0.2.53"}}},
	}}).Want(http.StatusOK)
	made := answer.Header.Get("Gateway-Change")
	var detail struct {
		change.Record
		Images []intent.Row `json:"images"`
	}
	admin.Get("/changes/" + made).Want(http.StatusOK).Data(&detail)
	if len(detail.Images) != 3 || detail.Action != "batch" || detail.Rows != 3 {
		t.Errorf("change %+v, want three rows", detail)
	}
	if answer.Header.Get("Gateway-Apply") != "pending" {
		t.Errorf("Gateway-Apply is %q; there is no applier here", answer.Header.Get("Gateway-Apply"))
	}
	admin.Post("/changes/"+made+"/revert", nil).Want(http.StatusOK)
	if n := count(t, admin, "/dns/zones"); n != 0 {
		t.Errorf("%d zones after the revert, want none", n)
	}
}

func TestABatchIsAllOrNothing(t *testing.T) {
	a, admin := apptest.Ready(t)
	id := db.NewID()
	before := len(a.Actions())
	f := admin.Post("/batch", object{"operations": []object{
		{"method": "POST", "path": "/dns/zones", "id": id, "body": object{"name": "home.arpa", "forward_to": []string{}}},
		{"method": "POST", "path": "/dns/records", "body": record(id, "www", "not an address")},
	}}).Want(http.StatusBadRequest)
	if len(f.Error.Fields) != 1 || f.Error.Fields[0].Name != "operations[1].body.value" {
		t.Errorf("fields %+v, want the value of the second", f.Error.Fields)
	}
	f = admin.Post("/batch", object{"operations": []object{{"method": "DELETE", "path": "/dns/zones/" + id}}}).Want(http.StatusNotFound)
	if len(f.Error.Fields) != 1 || f.Error.Fields[0].Name != "operations[0]" || !strings.HasSuffix(f.Error.Message, f.Error.Fields[0].Message) {
		t.Errorf("fields %+v, want the operation that failed, in its own words", f.Error.Fields)
	}
	if n := count(t, admin, "/dns/zones"); n != 0 || len(a.Actions()) != before {
		t.Errorf("%d zones and %d new entries, want none", n, len(a.Actions())-before)
	}
	for _, op := range []object{
		{"method": "POST", "path": "/system/service-restart", "body": object{"service": "dns"}},
		{"method": "POST", "path": "/batch", "body": object{"operations": []object{}}},
		{"method": "POST", "path": "/nowhere"},
		{"method": "POST", "path": "dns/zones"},
	} {
		f := admin.Post("/batch", object{"operations": []object{op}})
		if f.Status != http.StatusBadRequest && f.Status != http.StatusNotFound {
			t.Errorf("%v in a batch answers %d %s", op, f.Status, f.Body)
		}
	}
}

func TestADryRunTellsAndChangesNothing(t *testing.T) {
	a, admin := apptest.Ready(t)
	id := zone(admin, "home.arpa").ID()
	before := len(a.Actions())
	var plan intent.Plan
	with(admin, "Gateway-Dry-Run", "true").Post("/dns/records", record(id, "www", "192.0.2.1")).Want(http.StatusOK).Data(&plan)
	if len(plan.Rows) != 1 || len(plan.Files) != 1 || !strings.Contains(plan.Files[0].Diff, "+\tlocal-data: \"www.home.arpa.") {
		t.Errorf("plan %+v", plan)
	}
	if n := count(t, admin, "/dns/records"); n != 0 || len(a.Actions()) != before {
		t.Errorf("%d records and %d new entries, want none", n, len(a.Actions())-before)
	}
	with(admin, "Gateway-Dry-Run", "true").Post("/system/maintenance", object{"enabled": true}).Want(http.StatusBadRequest)
	with(admin, "Gateway-Dry-Run", "perhaps").Post("/dns/records", record(id, "www", "192.0.2.1")).Want(http.StatusBadRequest)
}

func TestAnOperatorUndoesAChange(t *testing.T) {
	_, admin := apptest.Ready(t)
	id := zone(admin, "home.arpa").ID()
	made := with(admin, "Gateway-Reason", "a new server").Post("/dns/records", record(id, "www", "192.0.2.1")).Want(http.StatusCreated)
	put := func(value string) string {
		return admin.Put("/dns/records/"+made.ID(), record(id, "www", value)).Want(http.StatusOK).Header.Get("Gateway-Change")
	}
	second := put("192.0.2.2")
	third := put("192.0.2.3")
	f := admin.Post("/changes/"+second+"/revert", nil).WantCode(http.StatusConflict, "revert_conflict")
	if !strings.Contains(string(f.Body), `"current":"192.0.2.3"`) || !strings.Contains(string(f.Body), `"before":"192.0.2.1"`) {
		t.Errorf("answer %s, want all three states", f.Body)
	}
	admin.Post("/changes/"+third+"/revert", nil).Want(http.StatusOK)
	admin.Post("/changes/"+second+"/revert", nil).Want(http.StatusOK)
	var rows []struct{ Value string }
	admin.Get("/dns/records").Data(&rows)
	if len(rows) != 1 || rows[0].Value != "192.0.2.1" {
		t.Errorf("records %+v, want the first value", rows)
	}
	var history []change.Record
	admin.Get("/changes?component=dns").Want(http.StatusOK).Data(&history)
	if len(history) != 6 || history[4].Reason != "a new server" || history[2].RevertedBy == nil || history[1].Reverts == nil {
		t.Errorf("history %+v", history)
	}
	admin.Post("/changes/"+db.NewID()+"/revert", nil).Want(http.StatusNotFound)
}

func TestOnlyAnAdminConfirms(t *testing.T) {
	a, admin := apptest.Ready(t)
	id := zone(admin, "home.arpa").ID()
	answer := with(admin, "Gateway-Confirm-Within", "90").Post("/dns/records", record(id, "www", "192.0.2.1")).Want(http.StatusCreated)
	made := answer.Header.Get("Gateway-Change")
	admin.Post("/dns/records", record(id, "mail", "192.0.2.2")).WantCode(http.StatusConflict, "confirm_pending")
	a.Anonymous().Post("/changes/"+made+"/confirm", nil).Want(http.StatusUnauthorized)
	a.Viewer(admin, "v@example.com").Post("/changes/"+made+"/confirm", nil).Want(http.StatusForbidden)
	var waiting []change.Record
	admin.Get("/changes?waiting=true").Data(&waiting)
	if len(waiting) != 1 || waiting[0].ID != made || *waiting[0].ConfirmSeconds != 90 {
		t.Errorf("waiting %+v", waiting)
	}
	var kept change.Record
	admin.Post("/changes/"+made+"/confirm", nil).Want(http.StatusOK).Data(&kept)
	if *kept.ConfirmState != change.Confirmed {
		t.Errorf("state %q", *kept.ConfirmState)
	}
	admin.Post("/dns/records", record(id, "mail", "192.0.2.2")).Want(http.StatusCreated)
	for _, seconds := range []string{"4", "3601", "soon", "-1"} {
		with(admin, "Gateway-Confirm-Within", seconds).Post("/dns/zones", object{"name": "x.arpa", "forward_to": []string{}}).Want(http.StatusBadRequest)
	}
}

// shows SYS-23
func TestWhoeverIsSignedInReadsThePreview(t *testing.T) {
	a, admin := apptest.Ready(t)
	zone(admin, "home.arpa")
	type preview struct {
		Component string
		Files     map[string]string
	}
	var previews []preview
	admin.Get("/system/config-preview").Want(http.StatusOK).Data(&previews)
	if want := len(daemons.New(daemons.Deps{}).All); len(previews) != want {
		t.Fatalf("previews %+v, want one for each of the %d daemons", previews, want)
	}
	for _, name := range []string{"proxy", "firewall", "forwardproxy", "dns", "ntp", "tunnel"} {
		i := slices.IndexFunc(previews, func(p preview) bool { return p.Component == name })
		if i < 0 || len(previews[i].Files) == 0 {
			t.Errorf("no text of %s in %d previews", name, len(previews))
		}
	}
	admin.Get("/system/config-preview?generator=dns").Want(http.StatusOK).Data(&previews)
	if len(previews) != 1 || !strings.Contains(previews[0].Files["/etc/unbound/unbound.conf.d/gateway.conf"], "home.arpa.") {
		t.Errorf("previews %+v, want the zone", previews)
	}
	admin.Get("/system/config-preview?generator=nothing").Want(http.StatusBadRequest)
	a.Viewer(admin, "v@example.com").Get("/system/config-preview").Want(http.StatusOK)
}

// shows SYS-26, SYS-28
func TestRenderConfigsAnswersForEveryComponent(t *testing.T) {
	a, admin := apptest.Ready(t)
	var r struct {
		OK       bool
		Rendered []string
		Errors   map[string]string
	}
	admin.Post("/system/render-configs", nil).Want(http.StatusOK).Data(&r)
	if r.OK || len(r.Rendered) != 0 || !strings.Contains(r.Errors["dns"], "applier") || r.Errors["ntp"] == "" {
		t.Errorf("answer %+v; there is no applier here", r)
	}
	if last := a.Actions(); len(last) < 2 || last[0] != "system.render_configs.failed" || last[1] != "system.render_configs" {
		t.Errorf("actions %v, want that it was tried and failed", last)
	}
}
