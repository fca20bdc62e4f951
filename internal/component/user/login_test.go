package user_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/crypto/bcrypt"

	"gateway/internal/api"
	"gateway/internal/app/apptest"
	"gateway/internal/auth"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
)

func store(t *testing.T, a *apptest.App) setupstate.State {
	t.Helper()
	s, err := setupstate.Open(a.Config.SetupStore())
	if err != nil {
		t.Fatal(err)
	}
	state, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// shows AUTH-01, AUTH-02, AUTH-03, AUTH-05, AUTH-06, AUTH-33
func TestASessionIsASignedTokenInACookie(t *testing.T) {
	a, admin := apptest.Ready(t)
	res := a.Anonymous().Login(apptest.Email, apptest.Password).Want(http.StatusOK)
	set := strings.Join(res.Header.Values("Set-Cookie"), "\n")
	for _, attribute := range []string{api.SessionCookie + "=", "HttpOnly", "Secure", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(set, attribute) {
			t.Errorf("Set-Cookie = %s, want %s in it", set, attribute)
		}
	}
	token, _, err := jwt.NewParser().ParseUnverified(admin.Cookies[api.SessionCookie], jwt.MapClaims{})
	if err != nil || token.Header["alg"] != "HS256" || token.Header["typ"] != "gw-session" {
		t.Errorf("header = %v (%v), want HS256", token.Header, err)
	}
	var me struct{ Email, Role string }
	admin.Get("/auth/me").Want(http.StatusOK).Data(&me)
	if me.Email != apptest.Email || me.Role != "admin" {
		t.Errorf("me = %+v", me)
	}
	a.Bearer(admin.Cookies[api.SessionCookie]).Get("/auth/me").Want(http.StatusOK)
	both := admin.Copy()
	both.Header.Set("Authorization", "Bearer x")
	both.Get("/auth/me").Want(http.StatusBadRequest)
}

// shows AUTH-04
func TestASessionOutlivesARestart(t *testing.T) {
	a, admin := apptest.Ready(t)
	a.Start()
	admin.Get("/auth/me").Want(http.StatusOK)
}

// shows AUTH-07, AUTH-09, AUDIT-13, AUDIT-14
func TestSigningIn(t *testing.T) {
	a, admin := apptest.Ready(t)
	tests := []struct {
		name, email, password string
		want                  int
	}{
		{"the right password", apptest.Email, apptest.Password, http.StatusOK},
		{"a wrong password", apptest.Email, "not the right password", http.StatusUnauthorized},
		{"an unknown account", "nobody@example.com", apptest.Password, http.StatusUnauthorized},
		{"another spelling of the e-mail", "Admin@example.com", apptest.Password, http.StatusUnauthorized},
		{"a password longer than bcrypt sees", apptest.Email, apptest.Password + strings.Repeat("x", 60), http.StatusUnauthorized},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			a.Anonymous().From("192.0.2.7").Login(tc.email, tc.password).Want(tc.want)
		})
	}
	entries := admin.Get("/audit/search?action=auth.login").Want(http.StatusOK).Body
	for _, want := range []string{
		`"action":"auth.login.success"`, `"role":"admin"`, `"remote_ip":"192.0.2.7"`,
		`"action":"auth.login.failed"`, `"reason":"invalid_credentials"`,
	} {
		if !strings.Contains(string(entries), want) {
			t.Errorf("audit = %s, want %s", entries, want)
		}
	}
}

// shows AUTH-10, AUTH-11
func TestTheSetupAdminIsAdoptedAtFirstSignIn(t *testing.T) {
	a := apptest.New(t)
	a.Anonymous().Post("/setup/complete", map[string]any{
		"code": a.SetupCode(), "fqdn": "gw1.example.com", "email": apptest.Email, "password": apptest.Password,
	}).Want(http.StatusOK)
	var before, after int
	ctx := t.Context()
	if err := a.Pool.QueryRow(ctx, `select count(id) from users`).Scan(&before); err != nil {
		t.Fatal(err)
	}
	admin := a.SignIn(apptest.Email, apptest.Password)
	if err := a.Pool.QueryRow(ctx, `select count(id) from users where email = $1`, apptest.Email).Scan(&after); err != nil {
		t.Fatal(err)
	}
	if before != 0 || after != 1 {
		t.Errorf("users before %d, after %d; want 0 and 1", before, after)
	}
	admin.Get("/users").Want(http.StatusOK)
}

// shows AUTH-12, AUDIT-15
func TestAnInactiveAccountStaysOut(t *testing.T) {
	a, admin := apptest.Ready(t)
	viewer := a.Viewer(admin, "v@example.com")
	viewer.Get("/users").Want(http.StatusOK)
	id := viewer.Get("/auth/me").ID()
	admin.Put("/users/"+id, map[string]any{"email": "v@example.com", "role": "viewer", "active": false}).Want(http.StatusOK)
	a.Anonymous().Login("v@example.com", "some wrong password").Want(http.StatusUnauthorized)
	a.Anonymous().Login("v@example.com", apptest.Password).Want(http.StatusForbidden)
	a.Until("its session ended", func() bool { return viewer.Get("/users").Status == http.StatusUnauthorized })
	if body := admin.Get("/audit/search?actor=v@example").Body; !strings.Contains(string(body), `"account_disabled"`) {
		t.Errorf("audit = %s, want account_disabled", body)
	}
}

// shows AUTH-13, AUTH-14, AUTH-15, AUTH-17
func TestSigningInWithASecondFactor(t *testing.T) {
	a, admin := apptest.Ready(t)
	var enrolment struct{ Secret, URL, QR string }
	admin.Post("/auth/totp/setup", map[string]any{"password": apptest.Password}).Want(http.StatusOK).Data(&enrolment)
	if !strings.HasPrefix(enrolment.QR, "data:image/png;base64,") || !strings.HasPrefix(enrolment.URL, "otpauth://totp/") {
		t.Errorf("enrolment = %.60s %.60s", enrolment.QR, enrolment.URL)
	}
	admin.Post("/auth/totp/enable", map[string]any{"code": "000000"}).Want(http.StatusBadRequest)
	admin.Post("/auth/totp/enable", map[string]any{"code": a.Code(enrolment.Secret)}).Want(http.StatusOK)
	admin.Get("/users").Want(http.StatusOK) // this session goes on

	a.Clock.Add(time.Minute) // the code above cannot be used again
	c := a.Anonymous()
	var step struct {
		SecondFactor bool `json:"second_factor"`
		Token        string
	}
	c.Login(apptest.Email, apptest.Password).Want(http.StatusOK).Data(&step)
	if !step.SecondFactor || c.Cookies[api.SessionCookie] != "" {
		t.Fatalf("step = %+v, cookies %v; want no session yet", step, c.Cookies)
	}
	a.Bearer(step.Token).Get("/users").Want(http.StatusUnauthorized)
	c.Post("/auth/login/totp", map[string]any{"token": step.Token, "code": "000000"}).Want(http.StatusUnauthorized)
	code := a.Code(enrolment.Secret)
	c.Post("/auth/login/totp", map[string]any{"token": step.Token, "code": code}).Want(http.StatusOK)
	c.Get("/users").Want(http.StatusOK)
	a.Anonymous().Post("/auth/login/totp", map[string]any{"token": step.Token, "code": code}).Want(http.StatusUnauthorized)
}

func TestARecoveryCodeSignsInOnce(t *testing.T) {
	a, admin := apptest.Ready(t)
	_, codes := admin.EnrolTOTP()
	if len(codes) != 10 {
		t.Fatalf("%d recovery codes, want 10", len(codes))
	}
	use := func(code string) int {
		var step struct{ Token string }
		c := a.Anonymous()
		c.Login(apptest.Email, apptest.Password).Want(http.StatusOK).Data(&step)
		return c.Post("/auth/login/totp", map[string]any{"token": step.Token, "recovery_code": code}).Status
	}
	if got := use(strings.ToLower(codes[3])); got != http.StatusOK {
		t.Errorf("first use = %d, want 200", got)
	}
	if got := use(codes[3]); got != http.StatusUnauthorized {
		t.Errorf("second use = %d, want 401", got)
	}
}

func TestTheOwnerTurnsTheSecondFactorOff(t *testing.T) {
	a, admin := apptest.Ready(t)
	admin.EnrolTOTP()
	if !store(t, a).Admin.SecondFactor {
		t.Error("the setup store does not know of the second factor")
	}
	admin.Post("/auth/totp/setup", map[string]any{"password": apptest.Password}).Want(http.StatusConflict)
	admin.Post("/auth/totp/disable", map[string]any{"password": "not the right password"}).Want(http.StatusUnauthorized)
	admin.Post("/auth/totp/disable", map[string]any{"password": apptest.Password}).Want(http.StatusOK)
	a.SignIn(apptest.Email, apptest.Password).Get("/users").Want(http.StatusOK)
	if store(t, a).Admin.SecondFactor {
		t.Error("the setup store still knows of a second factor")
	}
}

func TestSessionsAreListedAndRevoked(t *testing.T) {
	a, admin := apptest.Ready(t)
	other := a.SignIn(apptest.Email, apptest.Password)
	var list []struct {
		ID      string
		Current bool
	}
	other.Get("/auth/sessions").Want(http.StatusOK).Data(&list)
	if len(list) != 2 {
		t.Fatalf("sessions = %v, want two", list)
	}
	for _, s := range list {
		if !s.Current {
			other.Delete("/auth/sessions/" + s.ID).Want(http.StatusOK)
			other.Delete("/auth/sessions/" + s.ID).Want(http.StatusNotFound)
		}
	}
	a.Until("the other session ended", func() bool { return admin.Get("/auth/me").Status == http.StatusUnauthorized })
	other.Post("/auth/logout", nil).Want(http.StatusOK)
	other.Get("/auth/me").Want(http.StatusUnauthorized)
}

func TestAnIdleOrOldSessionEnds(t *testing.T) {
	a, admin := apptest.Ready(t)
	bearer := a.Bearer(admin.Cookies[api.SessionCookie])
	a.Clock.Add(29 * time.Minute)
	admin.Get("/auth/me").Want(http.StatusOK)
	a.Clock.Add(31 * time.Minute)
	admin.Get("/auth/me").Want(http.StatusUnauthorized)
	bearer.Get("/auth/me").Want(http.StatusOK) // only browsers are left unattended
	a.Clock.Add(8 * time.Hour)
	bearer.Get("/auth/me").Want(http.StatusUnauthorized)
}

func TestAPITokens(t *testing.T) {
	a, admin := apptest.Ready(t)
	var made struct{ ID, Token string }
	admin.Post("/auth/tokens", map[string]any{"name": "ci", "role": "admin", "days": 1}).Want(http.StatusCreated).Data(&made)
	admin.Post("/auth/tokens", map[string]any{"name": "ci", "role": "admin"}).Want(http.StatusConflict)
	token := a.Bearer(made.Token)
	token.Post("/users", map[string]any{"email": "t@example.com", "role": "viewer", "password": apptest.Password}).Want(http.StatusCreated)
	if body := string(admin.Get("/audit/recent?limit=1").Body); !strings.Contains(body, "(token ci)") {
		t.Errorf("audit = %s, want the token named", body)
	}
	token.Post("/auth/change-password", map[string]any{"current_password": apptest.Password, "new_password": "another good password"}).Want(http.StatusForbidden)
	if body := string(admin.Get("/auth/tokens").Want(http.StatusOK).Body); strings.Contains(body, made.Token) || !strings.Contains(body, `"last_used_at":"`) {
		t.Errorf("tokens = %s", body)
	}

	viewer := a.Viewer(admin, "v@example.com")
	viewer.Post("/auth/tokens", map[string]any{"name": "x", "role": "admin"}).Want(http.StatusBadRequest)
	var weak struct{ Token string }
	viewer.Post("/auth/tokens", map[string]any{"name": "x", "role": "viewer"}).Want(http.StatusCreated).Data(&weak)
	a.Bearer(weak.Token).Get("/users").Want(http.StatusOK)
	a.Bearer(weak.Token).Post("/users", map[string]any{}).Want(http.StatusForbidden)
	viewer.Delete("/auth/tokens/" + made.ID).Want(http.StatusNotFound)

	a.Clock.Add(25 * time.Hour)
	token.Get("/users").Want(http.StatusUnauthorized)
	a.Clock.Add(-25 * time.Hour)
	admin.Delete("/auth/tokens/" + made.ID).Want(http.StatusOK)
	a.Until("the token is revoked", func() bool { return token.Get("/users").Status == http.StatusUnauthorized })
}

// shows SYS-04*
func TestWithoutADatabaseTheSetupAdminActsOnTheSystem(t *testing.T) {
	a := apptest.New(t)
	a.Setup()
	b := apptest.NewAway(t, a.Config.StateDir)
	away := b.Anonymous()
	away.Get("/system/health").Want(http.StatusOK)
	away.Get("/setup/status").Want(http.StatusOK)
	away.Login(apptest.Email, "not the right password").Want(http.StatusUnauthorized)
	away.Login("a password in the wrong field", "x").Want(http.StatusUnauthorized)
	log := b.Log.String()
	for _, want := range []string{"account=" + apptest.Email, "account=unknown"} { // the audit log is not there to have it
		if !strings.Contains(log, "sign-in failed while the database is away") || !strings.Contains(log, want) {
			t.Errorf("the journal has %s, want the failed sign-in, %s", log, want)
		}
	}
	if strings.Contains(log, "not the right password") || strings.Contains(log, "wrong field") {
		t.Errorf("the journal has what was typed: %s", log)
	}
	away.Login(apptest.Email, apptest.Password).Want(http.StatusOK)
	away.Get("/system/resources").Want(http.StatusOK)
	away.Get("/users").WantCode(http.StatusServiceUnavailable, "database_unavailable")
	away.Post("/system/maintenance", map[string]any{"enabled": true}).Want(http.StatusOK)
	away.Post("/system/ipv6", map[string]any{"enabled": true}).WantCode(http.StatusServiceUnavailable, "database_unavailable")
	away.Post("/system/service-restart", map[string]any{"service": "dns"}).WantCode(http.StatusServiceUnavailable, "applier_unavailable") // asked, and not there
	a.Start()
	away = a.SignIn(apptest.Email, apptest.Password)
	a.Until("what was done is in the audit log", func() bool {
		body := string(away.Get("/audit/recent").Want(http.StatusOK).Body)
		return strings.Contains(body, `"system.service_restart.failed"`) && strings.Contains(body, `"happened_at"`) &&
			strings.Contains(body, `"system.maintenance"`) && strings.Contains(body, `"database":"away"`)
	})
}

// One code works once, whether the database saw it or not.
func TestTheSecondFactorIsCheckedWithoutADatabase(t *testing.T) {
	a, admin := apptest.Ready(t, apptest.NoLimits)
	secret, _ := admin.EnrolTOTP()
	enrolled := a.Code(secret)
	b := apptest.NewAway(t, a.Config.StateDir)
	away := b.Anonymous()
	var step struct {
		SecondFactor bool `json:"second_factor"`
		Token        string
	}
	away.Login(apptest.Email, apptest.Password).Want(http.StatusOK).Data(&step)
	if !step.SecondFactor {
		t.Fatal("the password alone signs in")
	}
	use := func(c *apptest.Client, code string) *apptest.Answer {
		return c.Post("/auth/login/totp", map[string]any{"token": step.Token, "code": code})
	}
	away.Get("/system/resources").Want(http.StatusUnauthorized)
	use(away, enrolled).Want(http.StatusUnauthorized) // the database saw it
	use(away, "000000").Want(http.StatusUnauthorized)
	a.Clock.Add(time.Minute)
	b.Clock.Add(time.Minute)
	code := b.Code(secret)
	use(away, code).Want(http.StatusOK)
	away.Get("/system/resources").Want(http.StatusOK)
	use(b.Anonymous(), code).Want(http.StatusUnauthorized)
	a.Start()
	a.Until("the database heard of the code", func() bool {
		var last int64
		err := a.Pool.QueryRow(t.Context(), `select max(last_step) from user_totp_state`).Scan(&last)
		return err == nil && last == store(t, a).Admin.LastStep
	})
	use(a.Anonymous(), code).Want(http.StatusUnauthorized)
}

func TestThePasswordIsResetWithoutADatabase(t *testing.T) {
	a, admin := apptest.Ready(t, apptest.NoLimits)
	b := apptest.NewAway(t, a.Config.StateDir)
	held := b.SignIn(apptest.Email, apptest.Password)
	token, err := auth.CreateResetToken(b.Config.ResetToken(), b.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	body := map[string]any{"token": token.Reveal(), "new_password": other}
	b.Anonymous().Post("/auth/reset-password", body).Want(http.StatusOK)
	b.Anonymous().Post("/auth/reset-password", body).Want(http.StatusUnauthorized)
	b.Anonymous().Login(apptest.Email, apptest.Password).Want(http.StatusUnauthorized)
	b.SignIn(apptest.Email, other)
	held.Get("/system/resources").Want(http.StatusServiceUnavailable) // it was signed in by the old password
	a.Start()
	a.Anonymous().Login(apptest.Email, apptest.Password).Want(http.StatusUnauthorized)
	a.SignIn(apptest.Email, other)
	a.Until("the old session ended", func() bool { return admin.Get("/users").Status == http.StatusUnauthorized })
	if s := store(t, a).Admin; !s.ResetAt.IsZero() {
		t.Errorf("admin = %+v, want the reset settled", s)
	}
	a.Until("the audit log has the reset", func() bool { return slices.Contains(a.Actions(), "auth.password.reset") })
}

// The database is back, and what was reset without it has not been settled yet.
func TestAPasswordThatIsLaterThanAResetHolds(t *testing.T) {
	const later = "Birch-Lantern-42"
	for _, tc := range []struct {
		name string
		set  func(a *apptest.App, by *apptest.Client, id string) *apptest.Answer
	}{
		{"reset once more", func(a *apptest.App, _ *apptest.Client, _ string) *apptest.Answer {
			token, err := auth.CreateResetToken(a.Config.ResetToken(), a.Clock.Now())
			if err != nil {
				t.Fatal(err)
			}
			return a.Anonymous().Post("/auth/reset-password", map[string]any{"token": token.Reveal(), "new_password": later})
		}},
		{"set by an administrator", func(_ *apptest.App, by *apptest.Client, id string) *apptest.Answer {
			return by.Post("/users/"+id+"/password", map[string]any{"password": later})
		}},
		{"stored with the account", func(_ *apptest.App, by *apptest.Client, id string) *apptest.Answer {
			return by.Put("/users/"+id, map[string]any{"email": apptest.Email, "role": "admin", "password": later})
		}},
		{"stored by a batch", func(_ *apptest.App, by *apptest.Client, id string) *apptest.Answer {
			body := map[string]any{"email": apptest.Email, "role": "admin", "password": later}
			return by.Post("/batch", map[string]any{"operations": []any{map[string]any{"method": "PUT", "path": "/users/" + id, "body": body}}})
		}},
	} {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, killed before the setup store knows: %t", tc.name, killed), func(t *testing.T) {
				a, admin := apptest.Ready(t, apptest.NoLimits)
				const colleague = "colleague@example.com"
				admin.Post("/users", map[string]any{"email": colleague, "role": "admin", "password": apptest.Password}).Want(http.StatusCreated)
				second := a.SignIn(colleague, apptest.Password)
				was := resetAway(t, a, other)
				tc.set(a, second, was.UserID).Want(http.StatusOK)
				if killed {
					a.Until("the setup store knows", func() bool { return store(t, a).Admin.ResetAt.IsZero() })
					putAdmin(t, a, was)
				}
				a.Start()
				a.SignIn(apptest.Email, later)
				a.Anonymous().Login(apptest.Email, other).Want(http.StatusUnauthorized)
				a.Until("the reset is settled", func() bool { return store(t, a).Admin.ResetAt.IsZero() })
				if epoch := store(t, a).Admin.Epoch; epoch <= was.Epoch {
					t.Errorf("the account's epoch is %d, that of the reset was %d: what was proved by the reset password still counts", epoch, was.Epoch)
				}
			})
		}
	}
}

// resetAway is what a reset without the database leaves in the setup store.
func resetAway(t *testing.T, a *apptest.App, password string) setupstate.Admin {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	admin := *store(t, a).Admin
	admin.PasswordHash, admin.ResetAt, admin.Epoch = secret.Text(hash), time.Now().UTC(), admin.Epoch+1
	putAdmin(t, a, admin)
	return admin
}

func putAdmin(t *testing.T, a *apptest.App, admin setupstate.Admin) {
	t.Helper()
	s, err := setupstate.Open(a.Config.SetupStore())
	if err == nil {
		_, err = s.Update(func(s *setupstate.State) error { s.Admin = &admin; return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Whoever was signed in before a reset, and knows the password of then, cannot take the account back.
func TestThePasswordOfBeforeAResetProvesNothing(t *testing.T) {
	a, admin := apptest.Ready(t, apptest.NoLimits)
	resetAway(t, a, other)
	body := map[string]any{"current_password": apptest.Password, "new_password": "Birch-Lantern-42"}
	if got := admin.Post("/auth/change-password", body); got.Status != http.StatusUnauthorized {
		t.Errorf("changing the password by the old one = %d %s", got.Status, got.Body)
	}
	a.SignIn(apptest.Email, other)
}

// A request that has proved the password waits for its turn, and meanwhile the database hangs and the password is reset.
func TestWhatWasProvedBeforeAResetIsNoProof(t *testing.T) {
	a, admin := apptest.Ready(t, apptest.NoLimits)
	for _, tc := range []struct {
		name     string
		now      func()
		password string // that is right then
	}{
		{"its session ended", func() { a.Execute(`update user_sessions set revoked_at = now()`) }, apptest.Password},
		{"reset without the database", func() { resetAway(t, a, other) }, other},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx := t.Context()
			tx, err := a.Pool.Begin(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback(ctx) //nolint:errcheck // nothing was written
			if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('gateway/user', 0))`); err != nil {
				t.Fatal(err)
			}
			got := make(chan *apptest.Answer, 1)
			go func() {
				got <- admin.Post("/auth/change-password", map[string]any{"current_password": apptest.Password, "new_password": "Birch-Lantern-42"})
			}()
			a.Until("the request waits", func() (waits bool) {
				err := a.Pool.QueryRow(ctx, `select exists (select from pg_locks where locktype = 'advisory' and not granted)`).Scan(&waits)
				return err == nil && waits
			})
			tc.now()
			if err := tx.Rollback(ctx); err != nil {
				t.Fatal(err)
			}
			if a := <-got; a.Status != http.StatusUnauthorized {
				t.Errorf("changing the password = %d %s", a.Status, a.Body)
			}
			a.Anonymous().Login(apptest.Email, "Birch-Lantern-42").Want(http.StatusUnauthorized)
			admin = a.SignIn(apptest.Email, tc.password)
		})
	}
}

func TestKeyFilesAreTheOwnersAlone(t *testing.T) {
	a, _ := apptest.Ready(t)
	for _, name := range []string{"master.key", "jwt.secret", "setup.json"} {
		info, err := os.Stat(a.Config.StateDir + "/" + name)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v (%v)", name, info.Mode(), err)
		}
	}
}
