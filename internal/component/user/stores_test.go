package user_test

import (
	"net/http"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"gateway/internal/app/apptest"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
)

// shows AUTH-08
func TestTheUserTableIsAskedBeforeTheSetupStore(t *testing.T) {
	a, _ := apptest.Ready(t)
	setup, err := setupstate.Open(a.Config.SetupStore())
	if err != nil {
		t.Fatal(err)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(other), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := setup.Update(func(s *setupstate.State) error { s.Admin.PasswordHash = secret.Text(hash); return nil }); err != nil {
		t.Fatal(err)
	}
	a.Anonymous().Login(apptest.Email, other).Want(http.StatusUnauthorized)
	a.Anonymous().Login(apptest.Email, apptest.Password).Want(http.StatusOK)
}

// On such an install nobody is in the user table until the first sign-in, which brings the
// admin there; a change of password then settles both places.
//
// shows AUTH-22*
func TestAnAdminOfTheSetupStoreAloneChangesThePassword(t *testing.T) {
	a := apptest.New(t)
	a.Anonymous().Post("/setup/complete", map[string]any{
		"code": a.SetupCode(), "fqdn": "gw1.example.com", "email": apptest.Email, "password": apptest.Password,
	}).Want(http.StatusOK)
	before := store(t, a).Admin.PasswordHash.Reveal()
	admin := a.SignIn(apptest.Email, apptest.Password)
	admin.Post("/auth/change-password", map[string]any{"current_password": apptest.Password, "new_password": other}).Want(http.StatusOK)
	hash := store(t, a).Admin.PasswordHash.Reveal()
	if hash == before || bcrypt.CompareHashAndPassword([]byte(hash), []byte(other)) != nil {
		t.Error("the setup store has not the new password")
	}
	a.Anonymous().Login(apptest.Email, apptest.Password).Want(http.StatusUnauthorized)
	a.SignIn(apptest.Email, other)
}
