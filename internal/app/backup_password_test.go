package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"gateway/internal/app/apptest"
	"gateway/internal/db"
)

// Whoever stole a session is asked for a password, no faster than at the sign-in page. A program with an API token is
// not, and sets no passphrase that would open what it fetches.
func TestBackupsAskASessionForItsPassword(t *testing.T) {
	a, admin := apptest.Ready(t)
	id, folder := db.NewID(), filepath.Join(a.Config.StateDir, "backups")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, id+".gwb"), []byte("an archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.Execute(`insert into backups (id, file, kind, status, host, version, started_at) values ($1::uuid, $1::text || '.gwb', 'manual', 'done', 'gw1', '0.1.0', now())`, id)
	path, phrase := "/backups/"+id, map[string]any{"passphrase": "correct horse battery"}

	admin.Get(path+"/download").WantCode(http.StatusForbidden, "ticket_required")
	admin.Post(path+"/download-ticket", map[string]any{}).Want(http.StatusBadRequest)
	admin.Post(path+"/restore", map[string]any{}).Want(http.StatusBadRequest)
	admin.Put("/backups/passphrase", phrase).Want(http.StatusBadRequest)

	var made struct{ Ticket string }
	admin.Post(path+"/download-ticket", map[string]any{"password": apptest.Password}).Want(http.StatusOK).Data(&made)
	a.SignIn(apptest.Email, apptest.Password).Get(path+"/download?ticket="+made.Ticket).WantCode(http.StatusForbidden, "ticket_required")
	admin.Post(path+"/download-ticket", map[string]any{"password": apptest.Password}).Want(http.StatusOK).Data(&made)
	admin.Get(path + "/download?ticket=" + made.Ticket).Want(http.StatusOK)

	var token struct{ Token string }
	admin.Post("/auth/tokens", map[string]any{"name": "fetch", "role": "admin"}).Want(http.StatusCreated).Data(&token)
	a.Bearer(token.Token).Get(path + "/download").Want(http.StatusOK)
	phrase["password"] = apptest.Password
	a.Bearer(token.Token).Put("/backups/passphrase", phrase).Want(http.StatusForbidden)
	admin.Put("/backups/passphrase", phrase).Want(http.StatusOK)

	for i := 0; ; i++ {
		got := admin.Post(path+"/restore", map[string]any{"password": "a guess of somebody"}).Status
		if got == http.StatusTooManyRequests {
			break
		}
		if got != http.StatusUnauthorized || i > 100 {
			t.Fatalf("guess %d is answered %d, want 401 and soon 429", i, got)
		}
	}
	if got := admin.Copy().Login(apptest.Email, "a guess of somebody").Status; got != http.StatusTooManyRequests {
		t.Errorf("signing in is answered %d meanwhile, want it slowed down too", got)
	}
}
