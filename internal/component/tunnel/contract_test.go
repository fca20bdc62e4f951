package tunnel_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/daemon"
	"gateway/internal/secret"
)

func contract(t *testing.T) componenttest.Setup {
	t.Helper()
	return contractWith(t, "")
}

// contractWith reads keys that are installed from a file.
func contractWith(t *testing.T, installed string) componenttest.Setup {
	t.Helper()
	return componenttest.Setup{
		Schemas: schemas(),
		Parse: func(out daemon.Rendering) error {
			_, err := wireguard.Parse(out.File(wireguard.Path))
			_, keyErr := wireguard.ParseKeys(out.File(wireguard.KeyPath))
			return errors.Join(err, keyErr)
		},
		Daemon: func(*componenttest.Rig) daemon.Daemon {
			return wireguard.New(wireguard.Options{ImportFolder: t.TempDir(), Installed: installed, Log: slog.New(slog.DiscardHandler)})
		},
		Component: func(r *componenttest.Rig) component.Component {
			return tunnel.New(tunnel.Options{DB: r.Pool, Run: r.Run, Box: r.Box, Applier: r})
		},
	}
}

// filled stores a tunnel with a peer that has everything.
func filled(r *componenttest.Rig) {
	r.T.Helper()
	of := r.Do("POST", "/tunnel/interfaces", object{"name": "wg7", "mode": "server", "address_cidr": "10.8.0.1/24", "listen_port": 51820, "endpoint": "vpn.example.com"}).Want(http.StatusCreated).ID()
	key := strings.Repeat("k", 42) + "A="
	r.Do("POST", "/tunnel/peers", object{
		"interface_id": of, "name": "phone", "public_key": key, "preshared_key": key, "allowed_ips": []string{"10.8.0.2/32"}, "endpoint": "phone.example.com:7",
		"keepalive": 25, "expires_at": "2036-01-02T03:04:05Z",
	}).Want(http.StatusCreated)
}

func TestTheDaemonKeepsTheContract(t *testing.T) {
	componenttest.Contract(t, contract(t), filled)
}

// Rows that are none are named, and the others are rendered.
func TestWhatIsNoTunnelIsLeftOutAndNamed(t *testing.T) {
	r := componenttest.New(t, contract(t))
	filled(r)
	good := string(r.Rendered().File(wireguard.Path))
	if !strings.Contains(good, `"name":"wg7"`) || !strings.Contains(good, `"expires_at":"2036-01-02T03:04:05Z"`) || !strings.Contains(good, `"preshared":true`) {
		t.Errorf("rendered\n%s", good)
	}
	if keys := r.Rendered().File(wireguard.KeyPath); strings.Count(string(keys), "\n") != 3 {
		t.Errorf("the keys are %d bytes", len(keys))
	}
	for _, tc := range []struct{ update, subject string }{
		{`update tunnel_interfaces set name = 'a b'`, "tunnel a b"},
		{`update tunnel_interfaces set address_cidr = '10.8.0.1'`, "tunnel wg7"},
		{`update tunnel_peers set preshared_key = 'sealed by another master key'`, "peer phone of tunnel wg7"},
		{`update tunnel_peers set public_key = 'none'`, "peer phone of tunnel wg7"},
		{`update tunnel_peers set allowed_ips = '{x}'`, "peer phone of tunnel wg7"},
		{`update tunnel_peers set endpoint = 'x'`, "peer phone of tunnel wg7"},
		{`update tunnel_peers set public_key = (select public_key from tunnel_interfaces)`, "peer phone of tunnel wg7"},
	} {
		r.Tx(func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), tc.update); err != nil {
				return err
			}
			out, err := r.Daemon.Render(t.Context(), tx, r.Box.Unseal)
			if err != nil || len(out.Problems) != 1 || out.Problems[0].Subject != tc.subject {
				t.Errorf("%s: problems %+v, %v", tc.update, out.Problems, err)
			}
			return componenttest.ErrUndo
		})
	}
}

// A master key that is lost takes no tunnel down: each is replaced by itself, and meanwhile all stay as they are.
func TestALostMasterKeyTakesNoTunnelDown(t *testing.T) {
	r := componenttest.New(t, contract(t))
	filled(r)
	r.Tx(func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `insert into tunnel_interfaces select (jsonb_populate_record(i, jsonb_build_object(
			'id', gen_random_uuid(), 'name', 'wg9', 'listen_port', 51999, 'private_key', '\\x00'))).* from tunnel_interfaces i`); err != nil {
			return err
		}
		out, err := r.Daemon.Render(t.Context(), tx, r.Box.Unseal)
		if err != nil || len(out.Problems) != 1 || out.Problems[0].Subject != "tunnel wg9" {
			t.Errorf("one key of two: problems %+v, %v", out.Problems, err)
		}
		if _, err := tx.Exec(t.Context(), `update tunnel_interfaces set private_key = 'sealed by another master key'`); err != nil {
			return err
		}
		if out, err := r.Daemon.Render(t.Context(), tx, r.Box.Unseal); err == nil {
			t.Errorf("no key at all: rendered %d files, problems %+v", len(out.Files), out.Problems)
		}
		return componenttest.ErrUndo
	})
}

// What is decided meanwhile is applied all the same, such as that a peer is to be let in no longer.
func TestInstalledKeysStayInUseWhenTheMasterKeyIsLost(t *testing.T) {
	installed := filepath.Join(t.TempDir(), "keys.conf")
	r := componenttest.New(t, contractWith(t, installed))
	filled(r)
	before := r.Rendered()
	if err := os.WriteFile(installed, before.File(wireguard.KeyPath), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Tx(func(tx pgx.Tx) error {
		render := func(statement string) daemon.Rendering {
			t.Helper()
			if _, err := tx.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
			out, err := r.Daemon.Render(t.Context(), tx, r.Box.Unseal)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		out := render(`with lost as (update tunnel_peers set preshared_key = 'by another master key') update tunnel_interfaces set private_key = 'by another master key'`)
		for _, path := range []string{wireguard.KeyPath, wireguard.Path} {
			if !bytes.Equal(out.File(path), before.File(path)) {
				t.Errorf("%s is not as it was", path)
			}
		}
		if len(out.Problems) != 2 || out.Problems[0].Subject != "the stored key of tunnel wg7" || out.Problems[1].Subject != "the stored key of peer phone of tunnel wg7" {
			t.Errorf("problems are %+v", out.Problems)
		}
		if out = render(`update tunnel_interfaces set name = 'wg8'`); !strings.Contains(string(out.File(wireguard.KeyPath)), "private wg8 ") {
			t.Error("a tunnel with another name lost its key")
		}
		if out = render(`update tunnel_peers set active = false`); strings.Contains(string(out.File(wireguard.Path)), "10.8.0.2/32") {
			t.Error("a peer that was switched off is let in")
		}
		if _, err := tx.Exec(t.Context(), `update tunnel_interfaces set public_key = $1`, strings.Repeat("k", 42)+"A="); err != nil {
			return err
		}
		if out, err := r.Daemon.Render(t.Context(), tx, r.Box.Unseal); err == nil {
			t.Errorf("the control, a key that belongs to another: rendered %d files, problems %+v", len(out.Files), out.Problems)
		}
		return componenttest.ErrUndo
	})
}

func TestAPreviewHasNoKeys(t *testing.T) {
	r := componenttest.New(t, contract(t))
	confidential := func(of daemon.Rendering) bool {
		i := slices.IndexFunc(of.Files, func(f daemon.File) bool { return f.Path == wireguard.KeyPath })
		return of.Files[i].Confidential()
	}
	if !confidential(r.Rendered()) {
		t.Error("without a tunnel everybody may read the file of keys")
	}
	filled(r)
	if !confidential(r.Rendered()) {
		t.Error("everybody may read the keys")
	}
	preview := func(place secret.Place) daemon.Rendering {
		t.Helper()
		out, err := r.Daemon.Render(t.Context(), r.Pool, func(sealed []byte, at secret.Place) (secret.Text, error) {
			if at.Table == place.Table && at.Column == place.Column {
				return r.Box.Unseal(sealed, at)
			}
			return secret.Redacted, nil
		})
		if err != nil || len(out.Problems) > 0 {
			t.Fatalf("%+v, %v", out.Problems, err)
		}
		return out
	}
	for _, left := range []secret.Place{wireguard.InterfaceKeyPlace(""), wireguard.PresharedKeyPlace("")} {
		if !confidential(preview(left)) {
			t.Errorf("a file with a %s is shown", left.Column)
		}
	}
	out := preview(secret.Place{})
	if confidential(out) {
		t.Error("a preview without keys is not shown")
	}
	if keys := string(out.File(wireguard.KeyPath)); strings.Count(keys, secret.Redacted) != 2 {
		t.Errorf("a preview has %q", keys)
	}
}
