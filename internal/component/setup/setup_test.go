package setup_test

import (
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gateway/internal/app/apptest"
	"gateway/internal/setupstate"
)

func body(a *apptest.App, more map[string]any) map[string]any {
	b := map[string]any{
		"code": a.SetupCode(), "fqdn": "GW1.example.com", "email": apptest.Email, "password": apptest.Password,
		"acme": map[string]any{"email": "ops@example.com", "directory_url": "https://ca.example/directory", "terms_agreed": true},
	}
	for k, v := range more {
		b[k] = v
	}
	return b
}

func state(t *testing.T, a *apptest.App) setupstate.State {
	t.Helper()
	store, err := setupstate.Open(a.Config.SetupStore())
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shows SETUP-01, SETUP-02, SETUP-03, SETUP-05*, SETUP-14
func TestTheGateOpensWhenSetupIsComplete(t *testing.T) {
	a := apptest.New(t)
	stranger := a.Anonymous()
	for _, path := range []string{"/users", "/audit/recent", "/system/services", "/openapi.json"} {
		stranger.Get(path).WantCode(http.StatusForbidden, "setup_required")
	}
	stranger.Get("/system/health").Want(http.StatusOK)
	stranger.Get("/setup/status").Want(http.StatusOK)
	stranger.Login(apptest.Email, apptest.Password).Want(http.StatusUnauthorized)
	stranger.Get("/auth/me").WantCode(http.StatusUnauthorized, "unauthenticated")

	stranger.Post("/setup/complete", body(a, map[string]any{"code": "AAAA-BBBB-CCCC"})).WantCode(http.StatusUnauthorized, "wrong_setup_code")
	stranger.Post("/setup/complete", body(a, nil)).Want(http.StatusOK)
	a.SignIn(apptest.Email, apptest.Password).Get("/users").Want(http.StatusOK)
	s := state(t, a)
	if s.FQDN != "gw1.example.com" || s.Admin == nil || s.Admin.Email != apptest.Email || s.ACME.DirectoryURL != "https://ca.example/directory" {
		t.Errorf("state = %+v", s)
	}
	stranger.Post("/setup/complete", body(a, nil)).WantCode(http.StatusConflict, "setup_complete")
	if !strings.Contains(strings.Join(a.Actions(), " "), "setup.complete") {
		t.Error("setup is not audited")
	}
}

// shows SETUP-06*, SETUP-07
func TestANodeIsSetUpWithoutAnAdmin(t *testing.T) {
	a := apptest.New(t)
	a.Anonymous().Post("/setup/complete-node", map[string]any{"code": a.SetupCode(), "fqdn": "gw2.example.com"}).Want(http.StatusOK)
	s := state(t, a)
	if !s.Complete || s.Admin != nil {
		t.Errorf("state = %+v, want complete and no admin", s)
	}
	var users int
	if err := a.Pool.QueryRow(t.Context(), `select count(id) from users`).Scan(&users); err != nil || users != 0 {
		t.Errorf("%d users (%v), want none", users, err)
	}
}

func TestSetupIsValidated(t *testing.T) {
	a := apptest.New(t, apptest.NoLimits)
	tests := []struct {
		name, field string
		change      map[string]any
	}{
		{"a host name of one label", "fqdn", map[string]any{"fqdn": "gw1"}},
		{"a host name with a space", "fqdn", map[string]any{"fqdn": "gw 1.example.com"}},
		{"no e-mail address", "email", map[string]any{"email": "admin"}},
		{"a short password", "password", map[string]any{"password": "short"}},
		{"a password everybody tries", "password", map[string]any{"password": "password1234"}},
		{"a directory without TLS", "acme.directory_url", map[string]any{"acme": map[string]any{"directory_url": "http://ca.example"}}},
		{"a directory with credentials", "acme.directory_url", map[string]any{"acme": map[string]any{"directory_url": "https://u:p@ca.example"}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got := a.Anonymous().Post("/setup/complete", body(a, tc.change)).Want(http.StatusBadRequest)
			if len(got.Error.Fields) != 1 || got.Error.Fields[0].Name != tc.field {
				t.Errorf("fields = %+v, want %s", got.Error.Fields, tc.field)
			}
		})
	}
	if state(t, a).Complete {
		t.Error("a refused setup is complete")
	}
}

func TestOfParallelSetupsOneWins(t *testing.T) {
	a := apptest.New(t, apptest.NoLimits)
	b := body(a, nil)
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if a.Anonymous().Post("/setup/complete", b).Status == http.StatusOK {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d won, want 1", won.Load())
	}
	if _, err := os.Stat(a.Config.SetupCode()); err == nil {
		t.Error("the setup code is still there")
	}
}

func TestGuessingTheCodeIsSlowedDown(t *testing.T) {
	a := apptest.New(t)
	for range 10 {
		a.Anonymous().Post("/setup/complete", body(a, map[string]any{"code": "AAAA-BBBB-CCCC"})).Want(http.StatusUnauthorized)
	}
	got := a.Anonymous().Post("/setup/complete", body(a, nil)).Want(http.StatusTooManyRequests)
	if got.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}
