package all_test

import (
	"net/http"
	"slices"
	"testing"

	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/component/system"
	"gateway/internal/db"
)

// bounded are the other tables of what happened, and what keeps each from growing for ever.
var bounded = map[string]string{
	"user_sessions":           "user.sessions removes a day after their end",
	"user_totp_state":         "a row for each account",
	"user_token_uses":         "a row for each token",
	"alert_states":            "a row for each problem there is; alert.prune",
	"alert_channel_status":    "a row for each channel; alert.prune",
	"backup_target_status":    "a row for each target",
	"backup_uploads":          "the latest for each target; backup.daily",
	"certificate_status":      "a row for each certificate",
	"acme_challenges":         "cert.upkeep removes what is over",
	"acme_orders":             "cert.upkeep removes what is old",
	"forwardproxy_list_parts": "removed 30 days after they were last used",
	"firewall_resolved":       "the addresses of each name",
	"firewall_touched":        "firewall-touched removes what is a day old",
	"radius_probe":            "one row: the account that tests sign in with",
	"proxy_traffic":           "proxy.traffic removes what is a day old",
}

// Whatever records what happened has a bound, and somebody who keeps it.
func TestNothingGrowsForEver(t *testing.T) {
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	var jobs, tables []string
	for _, j := range a.Jobs() {
		jobs = append(jobs, j.Name)
	}
	for _, k := range a.Kept() {
		for _, language := range []string{"en", "de"} {
			if catalogText(t, language, "system", "kept.name."+k.Name) == "" {
				t.Errorf("%s: the System page has no word for %s", language, k.Name)
			}
		}
		if len(k.Tables) > 0 != (k.Job != "") || k.Job != "" && !slices.Contains(jobs, k.Job) {
			t.Errorf("%s: there is no job %q", k.Name, k.Job)
		}
		tables = append(tables, k.Tables...)
	}
	for _, table := range db.Tables(a.Schemas()) {
		known := slices.Contains(tables, table.Name) || bounded[table.Name] != ""
		if table.Scope == db.History && !known {
			t.Errorf("table %s records what happened; who removes what is old?", table.Name)
		}
		delete(bounded, table.Name)
	}
	for name := range bounded {
		t.Errorf("there is no table %s", name)
	}
}

func TestWhatIsKeptIsTold(t *testing.T) {
	a, admin := apptest.Ready(t)
	var list []system.Kept
	a.Viewer(admin, "v@example.com").Get("/system/kept").Want(http.StatusOK).Data(&list)
	kept := map[string]system.Kept{}
	for _, k := range list {
		kept[k.Name] = k
		if k.Name != "logs" && k.MaxDays == nil && k.MaxRows == nil && k.MaxBytes == nil { // this machine may have no journal
			t.Errorf("%s has no bound", k.Name)
		}
	}
	if k := kept["audit"]; k.Rows == nil || *k.Rows < 1 || *k.Bytes < 8192 || k.Oldest == nil || *k.MaxDays != 365 || k.MaxRows != nil || k.MaxBytes != nil {
		t.Errorf("audit: %+v", k)
	}
	if k := kept["changes"]; k.Rows == nil || *k.Rows < 1 || *k.MaxDays != 365 || *k.MaxRows != 100_000 {
		t.Errorf("changes: %+v", k)
	}
	if k := kept["samples"]; k.Rows != nil || *k.Bytes != 0 || *k.MaxBytes < 150<<20 {
		t.Errorf("samples: %+v", k)
	}
	if len(kept) != len(a.API.Kept()) || len(list) != len(kept) {
		t.Errorf("told of %d, want all %d", len(list), len(a.API.Kept()))
	}
}
