package tunnel_test

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"gateway/internal/app/apptest"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/secret"
)

// shows SYS-25
func TestKeysReadRedactedInThePreview(t *testing.T) {
	a, admin := apptest.Ready(t)
	_, private := keys(t)
	_, shared := keys(t)
	public, _ := keys(t)
	of := admin.Post("/tunnel/interfaces", object{"name": "wg0", "mode": "server", "address_cidr": "10.8.0.1/24", "private_key": private}).Want(http.StatusCreated).ID()
	admin.Post("/tunnel/peers", object{"interface_id": of, "name": "ann", "public_key": public, "preshared_key": shared}).Want(http.StatusCreated)

	// The control: what gateway-apply installs has both.
	box, err := secret.OpenBox(filepath.Join(a.Config.StateDir, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	installed, err := wireguard.New(wireguard.Options{Log: slog.New(slog.DiscardHandler)}).Render(t.Context(), a.Pool, box.Unseal)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(installed.File(wireguard.KeyPath)); strings.Count(text, private) != 1 || strings.Count(text, shared) != 1 || strings.Contains(text, secret.Redacted) {
		t.Fatal("the file that is installed does not have both keys")
	}

	viewer := a.Viewer(admin, "v@example.com")
	for _, path := range []string{"/system/config-preview?generator=tunnel", "/system/config-preview"} {
		var previews []struct {
			Component string
			Files     map[string]string
		}
		viewer.Get(path).Want(http.StatusOK).Data(&previews)
		found := false
		for _, p := range previews {
			for at, text := range p.Files {
				if strings.Contains(text, private) || strings.Contains(text, shared) {
					t.Errorf("%s: %s of %s has a key", path, at, p.Component)
				}
			}
			if p.Component != wireguard.Name {
				continue
			}
			found = true
			if got := p.Files[wireguard.KeyPath]; strings.Count(got, secret.Redacted) != 2 {
				t.Errorf("%s: the keys read %q, want both %s", path, got, secret.Redacted)
			}
			// It is the peer's preview nonetheless, not one of nothing.
			if !strings.Contains(p.Files[wireguard.Path], public) {
				t.Errorf("%s: %q does not have the peer", path, p.Files[wireguard.Path])
			}
		}
		if !found {
			t.Errorf("%s has no tunnel", path)
		}
	}
}
