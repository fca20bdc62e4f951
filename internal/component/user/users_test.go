package user_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"gateway/internal/app/apptest"
	"gateway/internal/auth"
	"gateway/internal/setupstate"
)

const other = "another good password"

// shows USER-01, USER-02, USER-03, USER-05, USER-08
// shows (stand-in) USER-10
func TestUsersAreCreatedChangedAndDeleted(t *testing.T) {
	a, admin := apptest.Ready(t)
	made := admin.Post("/users", map[string]any{"email": "v@example.com", "role": "viewer", "password": apptest.Password}).Want(http.StatusCreated)
	id, tag := made.ID(), made.Header.Get("ETag")
	list := string(admin.Get("/users?q=v@exam").Want(http.StatusOK).Body)
	for _, want := range []string{`"id":"` + id, `"email":"v@example.com"`, `"role":"viewer"`, `"active":true`, `"oidc_subject":""`} {
		if !strings.Contains(list, want) {
			t.Errorf("users = %s, want %s", list, want)
		}
	}
	for _, secret := range []string{"password", "hash", "$2", "totp_secret"} {
		if strings.Contains(list, secret) {
			t.Errorf("users = %s, has %q", list, secret)
		}
	}
	change := map[string]any{"email": "w@example.com", "role": "viewer", "active": true}
	stale := admin.Copy()
	stale.Header.Set("If-Match", `"77"`)
	if f := stale.Put("/users/"+id, change).WantCode(http.StatusPreconditionFailed, "precondition_failed"); f.Error.Current == nil {
		t.Error("412 without the current state")
	}
	fresh := admin.Copy()
	fresh.Header.Set("If-Match", tag)
	fresh.Put("/users/"+id, change).Want(http.StatusOK)
	fresh.Put("/users/"+id, change).Want(http.StatusPreconditionFailed)
	admin.Delete("/users/" + id).Want(http.StatusOK)
	admin.Get("/users/" + id).Want(http.StatusNotFound)
	admin.Delete("/users/" + id).Want(http.StatusNotFound)
	asked := func(action string) bool { return action == "auth.ticket.issue" } // before each of them that needs the password
	got := strings.Join(slices.DeleteFunc(a.Actions(), asked)[:3], " ")
	if got != "user.delete user.update user.create" {
		t.Errorf("actions = %s", got)
	}
}

// shows USER-07, API-09, API-11
func TestUsersAreValidated(t *testing.T) {
	_, admin := apptest.Ready(t)
	tests := []struct {
		name  string
		body  map[string]any
		want  int
		field string
	}{
		{"an unknown role", map[string]any{"email": "a@example.com", "role": "root", "password": other}, 400, "role"},
		{"no e-mail", map[string]any{"email": "nobody", "role": "viewer", "password": other}, 400, "email"},
		{"no password", map[string]any{"email": "a@example.com", "role": "viewer"}, 400, "password"},
		{"a short password", map[string]any{"email": "a@example.com", "role": "viewer", "password": "elevenchars"}, 400, "password"},
		{"a long password", map[string]any{"email": "a@example.com", "role": "viewer", "password": strings.Repeat("ü", 40)}, 400, "password"},
		{"an unknown field", map[string]any{"email": "a@example.com", "role": "viewer", "password": other, "admin": true}, 400, "admin"},
		{"an e-mail that differs only in case", map[string]any{"email": "ADMIN@example.com", "role": "viewer", "password": other}, 409, "email"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got := admin.Post("/users", tc.body).Want(tc.want)
			if len(got.Error.Fields) == 0 || !strings.Contains(got.Error.Fields[0].Name, tc.field) {
				t.Errorf("fields = %+v, want %s", got.Error.Fields, tc.field)
			}
			if strings.Contains(string(got.Body), "elevenchars") {
				t.Error("the refused password came back")
			}
		})
	}
}

// shows USER-04
func TestAnAdminSetsAPassword(t *testing.T) {
	a, admin := apptest.Ready(t)
	viewer := a.Viewer(admin, "v@example.com")
	id := viewer.Get("/auth/me").ID()
	admin.Post("/users/"+id+"/password", map[string]any{"password": other}).Want(http.StatusOK)
	a.Until("its session ended", func() bool { return viewer.Get("/users").Status == http.StatusUnauthorized })
	a.SignIn("v@example.com", other)
	a.Anonymous().Login("v@example.com", apptest.Password).Want(http.StatusUnauthorized)
	admin.Post("/users/"+id[:35]+"x/password", map[string]any{"password": other}).Want(http.StatusNotFound)
}

// shows USER-09
func TestPasswordsAreHashedSlowly(t *testing.T) {
	a := apptest.New(t, apptest.RealHashes) // nobody else, and only one: a hash takes seconds under the race detector, ten times that beside others
	a.CompleteSetup()
	store, err := setupstate.Open(a.Config.SetupStore())
	if err != nil {
		t.Fatal(err)
	}
	state, err := store.Load()
	if err != nil || state.Admin == nil {
		t.Fatalf("the setup store has no administrator: %v", err)
	}
	if cost, err := bcrypt.Cost([]byte(state.Admin.PasswordHash.Reveal())); err != nil || cost != 12 {
		t.Errorf("cost = %d (%v), want 12", cost, err)
	}
}

// shows USER-06
func TestTheOwnAccountIsNotDeleted(t *testing.T) {
	_, admin := apptest.Ready(t)
	admin.Delete("/users/" + admin.Get("/auth/me").ID()).Want(http.StatusBadRequest)
	admin.Get("/auth/me").Want(http.StatusOK)
}

func TestTheLastAdminStays(t *testing.T) {
	_, admin := apptest.Ready(t)
	id := admin.Get("/auth/me").ID()
	refused := admin.Put("/users/"+id, map[string]any{"email": apptest.Email, "role": "viewer"}).Want(http.StatusConflict)
	if !strings.Contains(string(refused.Body), "create or enable another administrator first") {
		t.Errorf("the refusal does not say what to do first: %s", refused.Body)
	}
	admin.Put("/users/"+id, map[string]any{"email": apptest.Email, "role": "admin", "active": false}).Want(http.StatusConflict)
}

// shows USER-11
func TestAnAdminTurnsASecondFactorOff(t *testing.T) {
	a, admin := apptest.Ready(t)
	viewer := a.Viewer(admin, "v@example.com")
	viewer.EnrolTOTP()
	id := viewer.Get("/auth/me").ID()
	admin.Post("/users/"+id+"/totp/disable", nil).Want(http.StatusOK)
	a.SignIn("v@example.com", apptest.Password).Get("/auth/me").Want(http.StatusOK)
}

// shows USER-12
func TestADeletedSetupAdminDoesNotComeBack(t *testing.T) {
	a, admin := apptest.Ready(t)
	admin.Post("/users", map[string]any{"email": "b@example.com", "role": "admin", "password": other}).Want(http.StatusCreated)
	second := a.SignIn("b@example.com", other)
	second.Delete("/users/" + admin.Get("/auth/me").ID()).Want(http.StatusOK)
	if store(t, a).Admin != nil {
		t.Error("the setup store still has the admin")
	}
	a.Anonymous().Login(apptest.Email, apptest.Password).Want(http.StatusUnauthorized)
}

// A changed e-mail must not leave the old one in the setup store, where it would sign in as a second admin.
func TestARenamedSetupAdminDoesNotComeBack(t *testing.T) {
	a, admin := apptest.Ready(t)
	id := admin.Get("/auth/me").ID()
	admin.Put("/users/"+id, map[string]any{"email": "new@example.com", "role": "admin"}).Want(http.StatusOK)
	a.Anonymous().Login(apptest.Email, apptest.Password).Want(http.StatusUnauthorized)
	a.SignIn("new@example.com", apptest.Password)
}

// shows AUTH-18, AUTH-19, AUTH-20, AUTH-21
func TestAPasswordIsChanged(t *testing.T) {
	a, admin := apptest.Ready(t)
	viewer := a.Viewer(admin, "v@example.com")
	before := store(t, a).Admin.PasswordHash.Reveal()
	body := func(current string) map[string]any {
		return map[string]any{"current_password": current, "new_password": other}
	}
	viewer.Post("/auth/change-password", body("not the right password")).Want(http.StatusUnauthorized)
	viewer.Post("/auth/change-password", body(apptest.Password)).Want(http.StatusOK)
	a.SignIn("v@example.com", other)
	if store(t, a).Admin.PasswordHash.Reveal() != before {
		t.Error("another account's password reached the setup store")
	}
	old := admin.Copy()
	admin.Post("/auth/change-password", body(apptest.Password)).Want(http.StatusOK)
	admin.Get("/users").Want(http.StatusOK)
	a.Until("the old session ended", func() bool { return old.Get("/users").Status == http.StatusUnauthorized })
	if store(t, a).Admin.PasswordHash.Reveal() == before {
		t.Error("the setup store kept the old password")
	}
	a.Anonymous().Login(apptest.Email, apptest.Password).Want(http.StatusUnauthorized)
}

// shows AUTH-23, AUTH-24, AUTH-25, AUTH-26, AUTH-28, AUTH-29, AUTH-30, AUTH-31, AUTH-32
func TestAPasswordIsResetWithATokenFromTheBox(t *testing.T) {
	a, admin := apptest.Ready(t)
	make := func() string {
		token, err := auth.CreateResetToken(a.Config.ResetToken(), a.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return token.Reveal()
	}
	token := make()
	reset := func(token, password string) *apptest.Answer {
		return a.Anonymous().Post("/auth/reset-password", map[string]any{"token": token, "new_password": password})
	}
	reset(token, "elevenchars").Want(http.StatusBadRequest)
	reset(strings.Repeat("0", 32), other).Want(http.StatusUnauthorized)
	if _, err := os.Stat(a.Config.ResetToken()); err != nil {
		t.Fatalf("a refused reset took the token away: %v", err)
	}
	a.Clock.Add(31 * time.Minute)
	reset(token, other).Want(http.StatusUnauthorized)
	token = make()
	reset(token, other).Want(http.StatusOK)
	if _, err := os.Stat(a.Config.ResetToken()); err == nil {
		t.Error("the token is still there")
	}
	reset(token, apptest.Password).Want(http.StatusUnauthorized)
	a.Until("the old session ended", func() bool { return admin.Get("/users").Status == http.StatusUnauthorized })
	a.Anonymous().Login(apptest.Email, apptest.Password).Want(http.StatusUnauthorized)
	a.SignIn(apptest.Email, other)
	if bcrypt.CompareHashAndPassword([]byte(store(t, a).Admin.PasswordHash.Reveal()), []byte(other)) != nil {
		t.Error("the setup store has another password")
	}
	if got := a.Actions(); !strings.Contains(strings.Join(got, " "), "auth.password.reset") {
		t.Errorf("actions = %v", got)
	}
}

func TestPagingSearchingAndSorting(t *testing.T) {
	_, admin := apptest.Ready(t)
	for _, n := range []string{"c", "a", "b"} {
		admin.Post("/users", map[string]any{"email": n + "@list.example", "role": "viewer", "password": other}).Want(http.StatusCreated)
	}
	emails := func(query string) string {
		var rows []struct{ Email string }
		got := admin.Get("/users" + query).Want(http.StatusOK)
		got.Data(&rows)
		var names []string
		for _, r := range rows {
			names = append(names, strings.TrimSuffix(r.Email, "@list.example"))
		}
		return strings.Join(names, " ") + " of " + got.Header.Get("X-Total-Count")
	}
	for query, want := range map[string]string{
		"?q=LIST.":                              "a b c of 3",
		"?q=list.&sort=-email":                  "c b a of 3",
		"?q=list.&limit=1&offset=1":             "b of 3",
		"?q=list.&sort=-created_at&limit=1":     "b of 3",
		"?q=%25":                                " of 0",
		"?q=l_st":                               " of 0",
		"?q=list.&offset=99":                    " of 3",
		"?sort=email&q=a%40list.example&limit=": "a of 1",
	} {
		if got := emails(query); got != want {
			t.Errorf("%s = %q, want %q", query, got, want)
		}
	}
	admin.Get("/users?sort=password_hash").Want(http.StatusBadRequest)
	admin.Get("/users?limit=1001").Want(http.StatusBadRequest)
	admin.Get("/users?limit=x").Want(http.StatusBadRequest)
}
