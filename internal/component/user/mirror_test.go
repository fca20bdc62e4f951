package user_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/app/apptest"
	"gateway/internal/setupstate"
)

// edit changes the setup store behind the process's back.
func edit(t *testing.T, a *apptest.App, change func(*setupstate.Admin)) {
	t.Helper()
	s, err := setupstate.Open(a.Config.SetupStore())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Update(func(s *setupstate.State) error { change(s.Admin); return nil }); err != nil {
		t.Fatal(err)
	}
}

// second makes another administrator and signs it in.
func second(a *apptest.App, admin *apptest.Client) *apptest.Client {
	admin.Post("/users", map[string]any{"email": "b@example.com", "role": "admin", "password": other}).Want(http.StatusCreated)
	return a.SignIn("b@example.com", other)
}

func TestWhatIsNotStoredDoesNotReachTheSetupStore(t *testing.T) {
	a, admin := apptest.Ready(t, apptest.NoLimits)
	bea := second(a, admin)
	id := admin.Get("/auth/me").ID()
	rename := map[string]any{"email": "ghost@example.com", "role": "admin", "password": other}
	dry := bea.Copy()
	dry.Header.Set("Gateway-Dry-Run", "true")
	batch := func(op map[string]any) map[string]any {
		broken := map[string]any{"method": "POST", "path": "/users", "body": map[string]any{"email": "nobody", "role": "admin", "password": other}}
		return map[string]any{"operations": []any{op, broken}}
	}
	for _, tc := range []struct {
		name string
		do   func() *apptest.Answer
		want int
	}{
		{"a dry run of a rename", func() *apptest.Answer { return dry.Put("/users/"+id, rename) }, http.StatusOK},
		{"a dry run of a deletion", func() *apptest.Answer { return dry.Delete("/users/" + id) }, http.StatusOK},
		{"a batch that breaks off after a rename", func() *apptest.Answer {
			return bea.Post("/batch", batch(map[string]any{"method": "PUT", "path": "/users/" + id, "body": rename}))
		}, http.StatusBadRequest},
		{"a batch that breaks off after a deletion", func() *apptest.Answer {
			return bea.Post("/batch", batch(map[string]any{"method": "DELETE", "path": "/users/" + id}))
		}, http.StatusBadRequest},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := store(t, a)
			tc.do().Want(tc.want)
			if d := cmp.Diff(store(t, a), before); d != "" {
				t.Errorf("the setup store changed: %s", d)
			}
			a.Anonymous().Login("ghost@example.com", other).Want(http.StatusUnauthorized)
		})
	}
	before := store(t, a)
	bea.Put("/users/"+id, rename).Want(http.StatusOK)
	if after := store(t, a); after.Admin.Email != "ghost@example.com" || after.Admin.PasswordHash == before.Admin.PasswordHash {
		t.Errorf("the rename itself left %+v", after.Admin)
	}
}

func TestAnUndoneAccountDoesNotComeBack(t *testing.T) {
	a, admin := apptest.Ready(t, apptest.NoLimits)
	bea := second(a, admin)
	id := admin.Get("/auth/me").ID()
	renamed := bea.Put("/users/"+id, map[string]any{"email": "ghost@example.com", "role": "admin"}).Want(http.StatusOK)
	bea.Post("/changes/"+renamed.Header.Get("Gateway-Change")+"/revert", nil).Want(http.StatusOK)
	a.Until("the setup store follows the undone rename", func() bool { return store(t, a).Admin.Email == apptest.Email })
	var changes []struct{ ID, Action, Subject string }
	bea.Get("/changes?component=user&limit=100").Want(http.StatusOK).Data(&changes)
	for _, c := range changes {
		if c.Action == "user.create" && c.Subject == apptest.Email {
			bea.Post("/changes/"+c.ID+"/revert", nil)
		}
	}
	bea.Delete("/users/" + id) // where undoing was refused
	bea.Get("/users/" + id).Want(http.StatusNotFound)
	for _, email := range []string{apptest.Email, "ghost@example.com"} {
		a.Anonymous().Login(email, apptest.Password).Want(http.StatusUnauthorized)
	}
	a.Until("the setup store forgot the account", func() bool { return store(t, a).Admin == nil })
}

// A crash between commit and file, and a row that other hands changed, look the same.
func TestTheSetupStoreFollowsWhatItMissed(t *testing.T) {
	a, admin := apptest.Ready(t, apptest.NoLimits)
	second(a, admin)
	id := admin.Get("/auth/me").ID()
	a.Execute(`update users set email = 'new@example.com', active = false, session_epoch = 9 where id = $1`, id)
	if store(t, a).Admin.Email != apptest.Email {
		t.Fatal("nobody told the process, and it knows")
	}
	a.Start()
	a.Until("the setup store follows", func() bool {
		s := store(t, a).Admin
		return s != nil && s.Email == "new@example.com" && s.Disabled && s.Epoch == 9
	})
	a.Execute(`delete from users where id = $1`, id)
	a.Start()
	a.Until("the setup store forgot the account", func() bool { return store(t, a).Admin == nil })
}

func TestAnOlderSetupStoreIsBoundToItsRow(t *testing.T) {
	for _, tc := range []struct {
		name    string
		restart bool
	}{{"at the start", true}, {"at the change itself", false}} {
		t.Run(tc.name, func(t *testing.T) {
			a, admin := apptest.Ready(t, apptest.NoLimits)
			bea := second(a, admin)
			id := admin.Get("/auth/me").ID()
			edit(t, a, func(admin *setupstate.Admin) {
				*admin = setupstate.Admin{Email: admin.Email, PasswordHash: admin.PasswordHash}
			})
			if tc.restart {
				a.Start()
				a.Until("the store knows its row", func() bool { return store(t, a).Admin.UserID == id })
			}
			bea.Delete("/users/" + id).Want(http.StatusOK)
			a.Anonymous().Login(apptest.Email, apptest.Password).Want(http.StatusUnauthorized)
			if s := store(t, a); s.Admin != nil {
				t.Errorf("admin = %+v, want none", s.Admin)
			}
		})
	}
}

// Without any administrator the user table was lost: no change does that.
func TestALostUserTableKeepsTheSecondFactor(t *testing.T) {
	a, admin := apptest.Ready(t, apptest.NoLimits)
	id := admin.Get("/auth/me").ID()
	secret, _ := admin.EnrolTOTP()
	a.Execute(`delete from users`)
	a.Clock.Add(time.Minute)
	var step struct {
		SecondFactor bool `json:"second_factor"`
		Token        string
	}
	c := a.Anonymous()
	c.Login(apptest.Email, apptest.Password).Want(http.StatusOK).Data(&step)
	if !step.SecondFactor {
		t.Fatal("the password alone signs in")
	}
	c.Post("/auth/login/totp", map[string]any{"token": step.Token, "code": a.Code(secret)}).Want(http.StatusOK)
	if got := c.Get("/auth/me").ID(); got != id {
		t.Errorf("id = %s, want the old one, %s", got, id)
	}

	a.Execute(`delete from users`)
	edit(t, a, func(admin *setupstate.Admin) { admin.UserID, admin.TOTPSecret = "", nil })
	a.Anonymous().Login(apptest.Email, apptest.Password).WantCode(http.StatusForbidden, "second_factor_lost")
}
