package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api"
	"gateway/internal/app/apptest"
)

// lasting are the operations by which a stolen session could make itself a power that outlasts it, and why.
var lasting = map[string]string{
	"create-token":         "a token works without the session",
	"create-user":          "an account signs in by itself, also one that may only read",
	"update-user":          "it sets role, password and e-mail, and lets a disabled account in again",
	"set-user-password":    "whoever knows the password signs in",
	"disable-user-totp":    "the password alone then signs in",
	"create-backup-target": "every archive goes there from then on",
	"update-backup-target": "archives go where it says",
}

// elsewhere are the other operations of accounts and backups that are not for reading, and why they need no ticket.
var elsewhere = map[string]string{
	"login": "asks for the password", "login-totp": "follows a password", "logout": "ends something",
	"reset-password": "asks for a token of root", "allow-operation": "asks for the password", "change-password": "asks for the password",
	"setup-totp": "asks for the password", "enable-totp": "follows setup-totp, which asks for it", "disable-totp": "asks for the password",
	"revoke-session": "ends something", "revoke-token": "ends something", "revoke-user-token": "ends something", "delete-user": "ends something",
	"create-backup": "the archive stays here, or goes where it went before", "delete-backup": "ends something", "delete-backup-target": "ends something",
	"verify-backup": "reads", "test-backup-target": "writes a small file where archives go already", "update-backup-settings": "says when and what, not where to",
	"allow-backup-download": "asks for the password", "set-backup-passphrase": "asks for the password", "start-restore": "asks for the password",
	"confirm-restore": "follows start-restore", "undo-restore": "goes back to what was",
}

// lastingIn adds those that components name in their samples. said are the components that name theirs there: what
// else they offer says what the network does. It lets nobody into this node's API and gives nobody its keys; the history shows and
// reverts it.
func lastingIn(all []samples) (reasons map[string]string, said []string) {
	reasons = maps.Clone(lasting)
	for _, s := range all {
		if s.Lasts != nil {
			said = append(said, s.component)
			maps.Copy(reasons, s.Lasts)
		}
	}
	return reasons, said
}

func TestWhatOutlastsASessionIsDeclared(t *testing.T) {
	a := apptest.New(t)
	text, err := a.API.Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Tags        []string
			Description string
			Lasting     bool `json:"x-gateway-lasting"`
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	reasons, said := lastingIn(allSamples(t))
	left := maps.Clone(reasons)
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if method == "get" {
				continue
			}
			_, want := reasons[op.OperationID]
			_, excused := elsewhere[op.OperationID]
			delete(left, op.OperationID)
			switch {
			case op.Lasting != want:
				t.Errorf("%s %s: declared as lasting %t, want %t", method, path, op.Lasting, want)
			case (want || op.OperationID == "revert-change") && !strings.Contains(op.Description, "password_required"): // some reverts need it
				t.Errorf("%s %s does not say that it needs the password", method, path)
			case !want && !excused && !slices.Contains(said, op.Tags[0]):
				t.Errorf(`%s %s (%s): say whether what it makes outlasts the session: "lasts" in testdata/samples.json of %s`, method, path, op.OperationID, op.Tags[0])
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("there is no such operation: %v", left)
	}
}

// thief is a session without its password.
func thief(c *apptest.Client) *apptest.Client {
	out := c.Copy()
	out.Password = ""
	return out
}

var bucket = map[string]any{"kind": "s3", "settings": map[string]any{"endpoint": "s3.example.com", "bucket": "archives", "access_key": "AKIA1", "secret_key": "top secret"}}

var receiver = map[string]any{
	"journal_max_mb": nil, "journal_max_days": 1, "access_log_max_mb": nil, "access_log_max_days": nil, "remote_enabled": true, "remote_host": "logs.example.net",
	"remote_port": 6514, "remote_server_name": "", "remote_ca": "", "remote_level": "debug", "remote_units": []string{}, "remote_access_log": true,
}

type attempt struct {
	method, path string
	body         any
}

func (c attempt) of(client *apptest.Client) *apptest.Answer {
	return client.Do(c.method, c.path, c.body)
}

// everything that a thief would try, on a user and a target.
func everything(user, target string) []attempt {
	forged := map[string]any{"email": "forged@example.com", "role": "admin", "password": apptest.Password}
	raised := map[string]any{"email": "v@example.com", "role": "admin"}
	list := []attempt{
		{"POST", "/auth/tokens", map[string]any{"name": "forged", "role": "admin"}},
		{"POST", "/users", forged},
		{"PUT", "/users/" + user, raised},
		{"POST", "/users/" + user + "/password", map[string]any{"password": "another good password"}},
		{"POST", "/users/" + user + "/totp/disable", nil},
		{"POST", "/backup-targets", bucket},
		{"PUT", "/backup-targets/" + target, bucket},
		{"PUT", "/logs/settings", receiver},
	}
	for _, one := range list {
		if one.path != "/auth/tokens" && !strings.HasSuffix(one.path, "/password") && !strings.HasSuffix(one.path, "/disable") {
			list = append(list, attempt{"POST", "/batch", map[string]any{"operations": []any{map[string]any{"method": one.method, "path": one.path, "body": one.body}}}})
		}
	}
	return list
}

// stored is all that a refused request must not change.
func stored(t *testing.T, a *apptest.App) string {
	t.Helper()
	var text string
	err := a.Pool.QueryRow(t.Context(), `select concat_ws('; ', (select string_agg(concat_ws(' ', id, revision, role, email, md5(password_hash)), ',' order by id) from users),
		(select count(id) from user_tokens), (select string_agg(concat_ws(' ', id, revision), ',' order by id) from backup_targets), (select revision from logs_settings),
		(select count(id) from changes), (select count(seq) from audit_entries))`).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A stolen session makes itself nothing that stays, by whatever way.
func TestAStolenSessionMakesNothingThatStays(t *testing.T) {
	a, admin := apptest.Ready(t)
	viewer := a.Viewer(admin, "v@example.com")
	user := viewer.Get("/auth/me").ID()
	target := admin.Post("/backup-targets", bucket).Want(http.StatusCreated).ID()
	before := stored(t, a)
	calls := everything(user, target)
	for _, c := range calls {
		c.of(thief(admin)).WantCode(http.StatusUnauthorized, "password_required")
		forged := thief(admin)
		forged.Header.Set("Gateway-Ticket", "a-guess")
		c.of(forged).WantCode(http.StatusUnauthorized, "password_required")
	}
	attempt{"POST", "/auth/tokens", map[string]any{"name": "mine", "role": "viewer"}}.of(thief(viewer)).WantCode(http.StatusUnauthorized, "password_required")
	if now := stored(t, a); now != before {
		t.Errorf("a refused request left something\nbefore: %s\nafter:  %s", before, now)
	}
	// What is only tried out needs no password and does nothing.
	dry := thief(admin)
	dry.Header.Set("Gateway-Dry-Run", "true")
	for _, c := range calls {
		if c.path != "/auth/tokens" && !strings.HasSuffix(c.path, "/password") && !strings.HasSuffix(c.path, "/disable") {
			if got := c.of(dry); got.Status != http.StatusOK && got.Status != http.StatusConflict {
				t.Errorf("dry run of %s %s = %d %s", c.method, c.path, got.Status, got.Body)
			}
		}
	}
	if now := stored(t, a); now != before {
		t.Errorf("a dry run left something\nbefore: %s\nafter:  %s", before, now)
	}
	// What takes power away is not held up.
	thief(admin).Delete("/backup-targets/" + target).Want(http.StatusOK)
	thief(admin).Delete("/users/" + user).Want(http.StatusOK)
}

func ticket(c *apptest.Client, operation string) string {
	var got struct{ Ticket string }
	c.Post("/auth/tickets", map[string]any{"password": apptest.Password, "operation": operation}).Want(http.StatusOK).Data(&got)
	return got.Ticket
}

// A ticket is good for one request of that session, and a wrong password gives none.
func TestATicketIsForOneRequest(t *testing.T) {
	a, admin := apptest.Ready(t)
	number := 0
	create := func(c *apptest.Client, ticket string) *apptest.Answer {
		number++
		with := thief(c)
		with.Header.Set("Gateway-Ticket", ticket)
		return with.Post("/users", map[string]any{"email": fmt.Sprintf("u%d@example.com", number), "role": "admin", "password": apptest.Password})
	}
	admin.Post("/auth/tickets", map[string]any{"password": "not my password", "operation": "POST /users"}).WantCode(http.StatusUnauthorized, "wrong_password")
	admin.Post("/auth/tickets", map[string]any{"password": apptest.Password, "operation": "nonsense"}).Want(http.StatusBadRequest)

	good := ticket(admin, "POST /users")
	create(admin, good).Want(http.StatusCreated)
	create(admin, good).WantCode(http.StatusUnauthorized, "password_required")
	create(admin, ticket(admin, "POST /auth/tokens")).WantCode(http.StatusUnauthorized, "password_required")
	create(a.SignIn(apptest.Email, apptest.Password), ticket(admin, "POST /users")).WantCode(http.StatusUnauthorized, "password_required")
	late := ticket(admin, "POST /users")
	a.Clock.Add(2 * 60 * 1e9)
	create(admin, late).WantCode(http.StatusUnauthorized, "password_required")
	if !slices.Contains(a.Actions(), "auth.ticket.issue") || !slices.Contains(a.Actions(), "auth.ticket.issue.failed") {
		t.Errorf("the audit log does not have the tickets: %v", a.Actions())
	}

	// Guesses past the limit are not in it.
	guess := func() *apptest.Answer {
		return admin.Post("/auth/tickets", map[string]any{"password": "not my password", "operation": "POST /users"})
	}
	for n := 0; guess().Status != http.StatusTooManyRequests; n++ {
		if n > 50 {
			t.Fatal("guesses have no limit")
		}
	}
	entries := len(a.Actions())
	guess().Want(http.StatusTooManyRequests)
	if n := len(a.Actions()); n != entries {
		t.Errorf("a guess past the limit is %d entries in the audit log", n-entries)
	}
	a.Clock.Add(10 * 60 * 1e9)

	// A batch is one request.
	both := thief(admin)
	both.Header.Set("Gateway-Ticket", ticket(admin, "POST /batch"))
	one := func(email string) any {
		return map[string]any{"method": "POST", "path": "/users", "body": map[string]any{"email": email, "role": "viewer", "password": apptest.Password}}
	}
	both.Post("/batch", map[string]any{"operations": []any{one("x@example.com"), one("y@example.com")}}).Want(http.StatusOK)

	// A program has no password.
	var token struct{ Token string }
	admin.Post("/auth/tokens", map[string]any{"name": "ci", "role": "admin"}).Want(http.StatusCreated).Data(&token)
	create(a.Bearer(token.Token), "").Want(http.StatusCreated)
}

// A revert that gives a power back needs the password as the operation does.
func TestARevertThatGivesPowerBackNeedsThePassword(t *testing.T) {
	a, admin := apptest.Ready(t)
	admin.Post("/users", map[string]any{"email": "b@example.com", "role": "admin", "password": apptest.Password}).Want(http.StatusCreated)
	id := a.SignIn("b@example.com", apptest.Password).Get("/auth/me").ID()
	lowered := admin.Put("/users/"+id, map[string]any{"email": "b@example.com", "role": "viewer"}).Want(http.StatusOK)
	revert := attempt{"POST", "/changes/" + lowered.Header.Get("Gateway-Change") + "/revert", nil}
	batch := attempt{"POST", "/batch", map[string]any{"operations": []any{map[string]any{"method": revert.method, "path": revert.path}}}}
	for _, c := range []attempt{revert, batch} {
		c.of(thief(admin)).WantCode(http.StatusUnauthorized, "password_required")
	}
	var row struct{ Role string }
	if admin.Get("/users/" + id).Want(http.StatusOK).Data(&row); row.Role != "viewer" {
		t.Errorf("a refused revert made it %s", row.Role)
	}
	revert.of(admin).Want(http.StatusOK)
	if admin.Get("/users/" + id).Want(http.StatusOK).Data(&row); row.Role != "admin" {
		t.Errorf("the revert with the password left it %s", row.Role)
	}
}

// A change that still waits for its confirmation goes back without being judged, but not without being allowed.
func TestARevertOfWhatWaitsNeedsThePasswordToo(t *testing.T) {
	_, admin := apptest.Ready(t)
	target := admin.Post("/backup-targets", bucket).Want(http.StatusCreated).ID()
	operation := func(method, path string, body any) any {
		return map[string]any{"method": method, "path": path, "body": body}
	}
	waits := admin.Copy()
	waits.Header.Set("Gateway-Confirm-Within", "60") // which only what reaches a daemon can have, so there is a zone beside it
	made := waits.Post("/batch", map[string]any{"operations": []any{
		operation("POST", "/dns/zones", map[string]any{"name": "waits.arpa", "forward_to": []string{}}),
		operation("DELETE", "/backup-targets/"+target, nil),
	}}).Want(http.StatusOK)
	revert := attempt{"POST", "/changes/" + made.Header.Get("Gateway-Change") + "/revert", nil}
	revert.of(thief(admin)).WantCode(http.StatusUnauthorized, "password_required")
	admin.Get("/backup-targets/" + target).Want(http.StatusNotFound)
	var change struct {
		State *string `json:"confirm_state"`
	}
	admin.Get("/changes/" + made.Header.Get("Gateway-Change")).Want(http.StatusOK).Data(&change)
	if change.State == nil || *change.State != "waiting" {
		t.Errorf("the refused revert ended the wait: %v", change.State)
	}
	revert.of(admin).Want(http.StatusOK)
	admin.Get("/backup-targets/" + target).Want(http.StatusOK)

	// What takes a power away is not held up.
	waits.Header.Set("Gateway-Ticket", ticket(admin, "POST /batch"))
	made = waits.Post("/batch", map[string]any{"operations": []any{
		operation("POST", "/dns/zones", map[string]any{"name": "waits.arpa", "forward_to": []string{}}),
		operation("POST", "/backup-targets", map[string]any{"kind": "s3", "settings": map[string]any{
			"endpoint": "s3.example.com", "bucket": "others", "access_key": "AKIA1", "secret_key": "top secret",
		}}),
	}}).Want(http.StatusOK)
	thief(admin).Post("/changes/"+made.Header.Get("Gateway-Change")+"/revert", nil).Want(http.StatusOK)
}

// powers is where the operations are that need a ticket.
var powers = regexp.MustCompile(`^/(users|auth/tokens|backup-targets|logs/settings)\b`)

// tickets hand out what an operation and a batch with it need, one for each request; they are made beforehand, so that
// what is looked at in between is left alone.
func (s *stage) tickets(w *wire, op operation, as http.Header, path string) (alone, batched func() http.Header) {
	issue := func(operation string, n int) func() http.Header {
		var left []string
		for range n {
			if !powers.MatchString(op.path) {
				break
			}
			body := fmt.Sprintf(`{"password": %q, "operation": %q}`, apptest.Password, operation)
			var got struct{ Data struct{ Ticket string } }
			_ = json.Unmarshal(w.do(call{http.MethodPost, api.Prefix + "/auth/tickets", as, body}).body, &got)
			left = append(left, got.Data.Ticket)
		}
		return func() http.Header {
			if len(left) == 0 {
				return nil
			}
			next := left[0]
			left = left[1:]
			return http.Header{"Gateway-Ticket": {next}}
		}
	}
	return issue(op.method+" "+path, 4), issue("POST /batch", 1)
}
