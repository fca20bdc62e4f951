package change_test

import (
	"net/http"
	"strings"
	"testing"

	"gateway/internal/app/apptest"
	"gateway/internal/change"
	"gateway/internal/db"
)

// moved is a change that waits to be confirmed: a zone, which a daemon reads, and the new address of a
// webhook, which none does. It returns the change's id.
func moved(admin *apptest.Client, channel string) string {
	return with(admin, "Gateway-Confirm-Within", "90").Post("/batch", object{"operations": []object{
		{"method": "POST", "path": "/dns/zones", "id": db.NewID(), "body": object{"name": "home.arpa", "forward_to": []string{}}},
		{"method": "PUT", "path": "/alerts/" + channel, "body": webhook("https://new.example.com/in", "")},
	}}).Want(http.StatusOK).Header.Get("Gateway-Change")
}

func webhook(target, token string) object {
	settings := object{"format": "generic"}
	if token != "" {
		settings["token"] = token
	}
	return object{"name": "Hook", "kind": "webhook", "target": target, "active": false, "settings": settings}
}

// What waits goes back without anybody's rules, so nobody may touch meanwhile what it touched, be it
// read by a daemon or not. Let in, each of these would have the undoing send a secret to a
// server that it was not given for, or make it impossible for ever.
func TestWhatWaitsKeepsOthersOutOfTablesWithoutADaemon(t *testing.T) {
	type attempt = func(c *apptest.Client, channel string) *apptest.Answer
	for name, try := range map[string]attempt{
		"a token for the new address": func(c *apptest.Client, channel string) *apptest.Answer {
			return c.Put("/alerts/"+channel, webhook("https://new.example.com/in", "for the new one"))
		},
		"the same field": func(c *apptest.Client, channel string) *apptest.Answer {
			return c.Put("/alerts/"+channel, webhook("https://third.example.com/in", ""))
		},
		"its deletion": func(c *apptest.Client, channel string) *apptest.Answer { return c.Delete("/alerts/" + channel) },
		"within a batch that a daemon reads": func(c *apptest.Client, channel string) *apptest.Answer {
			return c.Post("/batch", object{"operations": []object{
				{"method": "POST", "path": "/ntp/pools", "body": object{"kind": "server", "address": "time.example.com"}},
				{"method": "DELETE", "path": "/alerts/" + channel},
			}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, admin := apptest.Ready(t)
			channel := admin.Post("/alerts", webhook("https://old.example.com/in", "")).Want(http.StatusCreated).ID()
			waits := moved(admin, channel)
			try(admin, channel).WantCode(http.StatusConflict, "confirm_pending")
			admin.Post("/changes/"+waits+"/revert", nil).Want(http.StatusOK)
			var back struct {
				Target   string
				Settings struct{ Token string }
			}
			admin.Get("/alerts/" + channel).Want(http.StatusOK).Data(&back)
			if back.Target != "https://old.example.com/in" || back.Settings.Token != "" {
				t.Errorf("undone it is %+v, want the old address without a token", back)
			}
			if answer := try(admin, channel); answer.Status >= http.StatusBadRequest {
				t.Errorf("afterwards: %d %s", answer.Status, answer.Body)
			}
		})
	}
}

// Undone in its turn, the undoing would store for good what nobody confirmed, past every guard.
func TestUndoingWhatWaitsDoesNotWaitItself(t *testing.T) {
	_, admin := apptest.Ready(t)
	channel := admin.Post("/alerts", webhook("https://old.example.com/in", "")).Want(http.StatusCreated).ID()
	revert := "/changes/" + moved(admin, channel) + "/revert"
	with(admin, "Gateway-Confirm-Within", "90").Post(revert, nil).WantCode(http.StatusConflict, "confirm_pending")
	var waiting []change.Record
	if admin.Get("/changes?waiting=true").Data(&waiting); len(waiting) != 1 {
		t.Errorf("%d changes wait, want the one that is to be confirmed", len(waiting))
	}
	admin.Post(revert, nil).Want(http.StatusOK)
	if admin.Get("/changes?waiting=true").Data(&waiting); len(waiting) != 0 || count(t, admin, "/dns/zones") != 0 {
		t.Errorf("undone, %d changes wait, and there are %d zones", len(waiting), count(t, admin, "/dns/zones"))
	}
}

// Where no daemon is concerned nothing waits, whatever was asked. The answer tells: it names no apply.
func TestTheAnswerTellsWhetherAChangeWaits(t *testing.T) {
	_, admin := apptest.Ready(t)
	asks := with(admin, "Gateway-Confirm-Within", "90")
	for _, tc := range []struct {
		path  string
		body  object
		waits bool
	}{
		{"/dns/zones", object{"name": "home.arpa", "forward_to": []string{}}, true},
		// Beside the one that waits: it does not wait itself.
		{"/alerts", webhook("https://old.example.com/in", ""), false},
	} {
		answer := asks.Post(tc.path, tc.body).Want(http.StatusCreated)
		var made change.Record
		admin.Get("/changes/" + answer.Header.Get("Gateway-Change")).Want(http.StatusOK).Data(&made)
		if told, waits := answer.Header.Get("Gateway-Apply") != "", made.ConfirmState != nil; told != tc.waits || waits != tc.waits {
			t.Errorf("%s: waits %v, told %v, want both %v", tc.path, waits, told, tc.waits)
		}
	}
}

// Only one change waits at a time, and a dry run says so like the change itself.
func TestADryRunTellsThatAnotherChangeWaits(t *testing.T) {
	_, admin := apptest.Ready(t)
	channel := admin.Post("/alerts", webhook("https://old.example.com/in", "")).Want(http.StatusCreated).ID()
	waits := moved(admin, channel)
	asks := with(admin, "Gateway-Confirm-Within", "90")
	pool := object{"kind": "server", "address": "time.example.com"}
	refused := asks.Post("/ntp/pools", pool).WantCode(http.StatusConflict, "confirm_pending")
	if said := string(refused.Body); strings.Contains(said, waits) || !strings.Contains(said, "by "+apptest.Email+") is waiting for confirmation") {
		t.Errorf("the change is not named by what it did and who made it: %s", said)
	}
	dry := with(asks, "Gateway-Dry-Run", "true")
	dry.Post("/ntp/pools", pool).WantCode(http.StatusConflict, "confirm_pending")
	admin.Post("/changes/"+waits+"/confirm", nil).Want(http.StatusOK)
	dry.Post("/ntp/pools", pool).Want(http.StatusOK)
}

func TestWhatWaitsLeavesOtherTablesAlone(t *testing.T) {
	_, admin := apptest.Ready(t)
	channel := admin.Post("/alerts", webhook("https://old.example.com/in", "")).Want(http.StatusCreated).ID()
	before := admin.Post("/alerts", webhook("https://other.example.com/in", "")).Want(http.StatusCreated).Header.Get("Gateway-Change")
	waits := moved(admin, channel)
	admin.Post("/backup-targets", object{"name": "off-site", "kind": "s3", "active": false, "settings": object{
		"endpoint": "s3.example.com", "bucket": "archives", "access_key": "gateway", "secret_key": "only for tests",
	}}).Want(http.StatusCreated)
	admin.Post("/changes/"+before+"/revert", nil).WantCode(http.StatusConflict, "confirm_pending") // an operation like any other
	admin.Post("/changes/"+waits+"/confirm", nil).Want(http.StatusOK)
	admin.Put("/alerts/"+channel, webhook("https://new.example.com/in", "for the new one")).Want(http.StatusOK)
	admin.Post("/changes/"+before+"/revert", nil).Want(http.StatusOK)
}
