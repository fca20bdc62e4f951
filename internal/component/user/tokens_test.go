package user_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway/internal/app/apptest"
	"gateway/internal/auth"
)

type token struct{ ID, Token string }

func makeToken(c *apptest.Client, role string) token {
	var made token
	c.Post("/auth/tokens", map[string]any{"name": "ci", "role": role}).Want(http.StatusCreated).Data(&made)
	return made
}

func TestATokenEndsWithTheSessionsOfItsOwner(t *testing.T) {
	a, admin := apptest.Ready(t, apptest.NoLimits)
	put := func(id, email, role string, active bool) {
		admin.Put("/users/"+id, map[string]any{"email": email, "role": role, "active": active}).Want(http.StatusOK)
	}
	for i, tc := range []struct {
		name string
		act  func(owner *apptest.Client, id, email string)
	}{
		{"the own password changes", func(owner *apptest.Client, _, _ string) {
			owner.Post("/auth/change-password", map[string]any{"current_password": apptest.Password, "new_password": other}).Want(http.StatusOK)
		}},
		{"an admin sets the password", func(_ *apptest.Client, id, _ string) {
			admin.Post("/users/"+id+"/password", map[string]any{"password": other}).Want(http.StatusOK)
		}},
		{"the role changes", func(_ *apptest.Client, id, email string) { put(id, email, "viewer", true) }},
		{"the role changes and changes back", func(_ *apptest.Client, id, email string) {
			put(id, email, "viewer", true)
			put(id, email, "admin", true)
		}},
		{"the account is disabled and enabled again", func(_ *apptest.Client, id, email string) {
			put(id, email, "admin", false)
			put(id, email, "admin", true)
		}},
		{"the e-mail changes", func(_ *apptest.Client, id, _ string) { put(id, "renamed"+id[30:]+"@example.com", "admin", true) }},
		{"the second factor is turned on", func(owner *apptest.Client, _, _ string) { owner.EnrolTOTP() }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			email := string(rune('a'+i)) + "@example.com"
			admin.Post("/users", map[string]any{"email": email, "role": "admin", "password": apptest.Password}).Want(http.StatusCreated)
			owner := a.SignIn(email, apptest.Password)
			id := owner.Get("/auth/me").ID()
			made := a.Bearer(makeToken(owner, "admin").Token)
			made.Get("/users").Want(http.StatusOK)
			tc.act(owner, id, email)
			a.Until("the token ended", func() bool { return made.Get("/users").Status == http.StatusUnauthorized })
			if body := string(admin.Get("/users/" + id + "/tokens").Want(http.StatusOK).Body); strings.Contains(body, `"ci"`) {
				t.Errorf("tokens = %s, want the ended one gone", body)
			}
		})
	}
	token, err := auth.CreateResetToken(a.Config.ResetToken(), a.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	made := a.Bearer(makeToken(admin, "admin").Token)
	a.Anonymous().Post("/auth/reset-password", map[string]any{"token": token.Reveal(), "new_password": other}).Want(http.StatusOK)
	a.Until("the token ended with the reset", func() bool { return made.Get("/users").Status == http.StatusUnauthorized })
	makeToken(a.SignIn(apptest.Email, other), "admin") // its name is free again
}

func TestTokensThatAreOverAreRemoved(t *testing.T) {
	a, admin := apptest.Ready(t, apptest.NoLimits)
	left := func() (names string) {
		if err := a.Pool.QueryRow(t.Context(), `select coalesce(string_agg(name, ' ' order by name), '') from user_tokens`).Scan(&names); err != nil {
			t.Fatal(err)
		}
		return names
	}
	create := func(name string, days int) {
		admin.Post("/auth/tokens", map[string]any{"name": name, "role": "viewer", "days": days}).Want(http.StatusCreated)
	}
	create("old", 1)
	admin.Post("/auth/change-password", map[string]any{"current_password": apptest.Password, "new_password": other}).Want(http.StatusOK)
	admin.Password = other
	create("short", 1)
	create("long", 90)
	a.Job("user.tokens.prune")
	if got := left(); got != "long short" {
		t.Errorf("left is %q, want those of the present password", got)
	}
	a.Clock.Add(20 * 24 * time.Hour)
	a.Job("user.tokens.prune")
	if got := left(); got != "long short" {
		t.Errorf("left is %q, want also the one that is over for less than a month", got)
	}
	a.Clock.Add(20 * 24 * time.Hour)
	a.Job("user.tokens.prune")
	if got := left(); got != "long" {
		t.Errorf("left is %q, want the good one", got)
	}
	if got := string(a.SignIn(apptest.Email, other).Get("/audit/search?action=user.token.prune").Want(http.StatusOK).Body); strings.Count(got, `"scheduler"`) != 2 {
		t.Errorf("the audit log has %s, want two entries: nothing is said of nothing", got)
	}
}

func TestAnAdminListsAndRevokesTheTokensOfOthers(t *testing.T) {
	a, admin := apptest.Ready(t)
	viewer := a.Viewer(admin, "v@example.com")
	id := viewer.Get("/auth/me").ID()
	made := makeToken(viewer, "viewer")
	use := a.Bearer(made.Token)
	use.Get("/users").Want(http.StatusOK)
	path := "/users/" + id + "/tokens"
	if body := string(admin.Get(path).Want(http.StatusOK).Body); !strings.Contains(body, made.ID) || strings.Contains(body, made.Token) {
		t.Errorf("tokens = %s", body)
	}
	viewer.Get(path).Want(http.StatusForbidden)
	viewer.Delete(path + "/" + made.ID).Want(http.StatusForbidden)
	admin.Delete("/users/" + admin.Get("/auth/me").ID() + "/tokens/" + made.ID).Want(http.StatusNotFound)
	admin.Delete(path + "/" + made.ID).Want(http.StatusOK)
	a.Until("the token is revoked", func() bool { return use.Get("/users").Status == http.StatusUnauthorized })
	if got := a.Actions()[0]; got != "user.token.revoke" {
		t.Errorf("action = %s", got)
	}
}

// What a token could set on its owner's account would outlive it.
func TestATokenCannotChangeItsOwnersAccount(t *testing.T) {
	a, admin := apptest.Ready(t)
	id := admin.Get("/auth/me").ID()
	token := a.Bearer(makeToken(admin, "admin").Token)
	for path, body := range map[string]any{
		"/auth/change-password":          map[string]any{"current_password": apptest.Password, "new_password": other},
		"/auth/totp/setup":               map[string]any{"password": apptest.Password},
		"/auth/tokens":                   map[string]any{"name": "more", "role": "admin"},
		"/users/" + id + "/password":     map[string]any{"password": other},
		"/users/" + id + "/totp/disable": nil,
	} {
		if got := token.Post(path, body).Status; got != http.StatusForbidden {
			t.Errorf("POST %s = %d, want 403", path, got)
		}
	}
	token.Put("/users/"+id, map[string]any{"email": apptest.Email, "role": "admin", "password": other}).Want(http.StatusForbidden)
	a.SignIn(apptest.Email, apptest.Password)
}

func TestEnrollingASecondFactorAsksForThePassword(t *testing.T) {
	_, admin := apptest.Ready(t)
	admin.Post("/auth/totp/setup", nil).Want(http.StatusBadRequest)
	admin.Post("/auth/totp/setup", map[string]any{"password": other}).WantCode(http.StatusUnauthorized, "wrong_password")
	admin.Post("/auth/totp/setup", map[string]any{"password": apptest.Password}).Want(http.StatusOK)
}

func TestANewTokenSaysWhereItIs(t *testing.T) {
	_, admin := apptest.Ready(t)
	answer := admin.Post("/auth/tokens", map[string]any{"name": "ci", "role": "viewer"}).Want(http.StatusCreated)
	path, ok := strings.CutPrefix(answer.Header.Get("Location"), "/api/v1")
	if want := "/auth/tokens/" + answer.ID(); !ok || path != want {
		t.Errorf("Location = %q, want /api/v1%s", answer.Header.Get("Location"), want)
	}
	admin.Delete(path).Want(http.StatusOK)
}

// Reverting its creation ends a token as revoking it does: what it has open hears of it.
func TestARevertedTokenEndsWhatItHasOpen(t *testing.T) {
	a, admin := apptest.Ready(t)
	made := admin.Post("/auth/tokens", map[string]any{"name": "ci", "role": "admin"}).Want(http.StatusCreated)
	conn, err := a.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), "listen gateway_session"); err != nil {
		t.Fatal(err)
	}
	admin.Post("/changes/"+made.Header.Get("Gateway-Change")+"/revert", nil).Want(http.StatusOK)
	late, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := conn.Conn().WaitForNotification(late); err != nil {
		t.Errorf("nobody was told that a token is gone: %v", err)
	}
}
