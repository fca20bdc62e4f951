package app_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway/internal/app/apptest"
	"gateway/internal/component/diag/bundle"
)

const supportPath = "/diagnostics/support-bundle"

func supportBundle(t *testing.T, c *apptest.Client) (map[string][]byte, bundle.Manifest) {
	t.Helper()
	files, err := bundle.Unpack(bytes.NewReader(c.Get(supportPath).Want(http.StatusOK).Body))
	if err != nil {
		t.Fatal(err)
	}
	about, err := bundle.ManifestOf(files)
	if err != nil {
		t.Fatal(err)
	}
	return files, about
}

// planted puts a secret of each component that has some into a node, and returns them.
func planted(t *testing.T, admin *apptest.Client) (secrets []string) {
	t.Helper()
	secret := func() string {
		s := "Canary-" + rand.Text()
		secrets = append(secrets, s)
		return s
	}
	key := func() string {
		private, err := ecdh.X25519().GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, base64.StdEncoding.EncodeToString(private.Bytes()))
		return secrets[len(secrets)-1]
	}
	post := func(path string, body fields) string {
		t.Helper()
		return admin.Post(path, body).Want(http.StatusCreated).ID()
	}
	post("/radius/clients", fields{"name": "switch", "address": "192.0.2.1", "secret": secret()})
	post("/radius/users", fields{"name": "ann", "password": secret()})
	tunnel := post("/tunnel/interfaces", fields{"name": "wg0", "mode": "server", "address_cidr": "10.8.0.1/24", "active": false, "private_key": key()})
	post("/tunnel/peers", fields{"interface_id": tunnel, "name": "phone", "preshared_key": key()})
	domain := post("/domains", fields{"name": "www.example.com"})
	post("/domain-users", fields{"domain_id": domain, "name": "ann", "password": secret()})
	post("/certificates/dns-providers", fields{"name": "ns", "kind": "rfc2136", "settings": fields{
		"server": "192.0.2.1", "key_name": "gateway", "key": base64.StdEncoding.EncodeToString([]byte(secret())),
	}})
	post("/alerts", fields{"name": "hook", "kind": "webhook", "target": "https://192.0.2.1/" + secret(), "active": false, "settings": fields{"token": secret()}})
	post("/backup-targets", fields{"name": "bucket", "kind": "s3", "active": false, "settings": fields{
		"endpoint": "192.0.2.1", "bucket": "archives", "access_key": "gateway", "secret_key": secret(),
	}})
	return secrets
}

// sighted are the files that hold a text, as it is or coded.
func sighted(files map[string][]byte, text string) (where []string) {
	spellings := []string{text, hex.EncodeToString([]byte(text)), strings.TrimPrefix(text, "Canary-")}
	for shift := range 3 { // wherever it lies in what was coded
		b := base64.RawStdEncoding.EncodeToString(append(bytes.Repeat([]byte{0}, shift), text...))
		spellings = append(spellings, b[(shift*8+5)/6:len(b)-1])
	}
	for name, data := range files {
		if slices.ContainsFunc(spellings, func(s string) bool { return bytes.Contains(data, []byte(s)) }) {
			where = append(where, name)
		}
	}
	return where
}

func TestASupportBundleHasNoSecrets(t *testing.T) {
	a, admin := apptest.Ready(t)
	secrets := planted(t, admin)
	const control = "control-zone.example.com"
	admin.Post("/dns/zones", fields{"name": control, "forward_to": []string{}}).Want(http.StatusCreated)
	a.Viewer(admin, "viewer@example.com").Get(supportPath).Want(http.StatusForbidden)
	a.Anonymous().Get(supportPath).Want(http.StatusUnauthorized)

	files, about := supportBundle(t, admin)
	for i, s := range append(secrets, apptest.Password) {
		if where := sighted(files, s); len(where) > 0 {
			t.Errorf("secret %d is in %v", i, where)
		}
	}
	// What is not secret is found the same way, in each of the places where secrets would be.
	for text, places := range map[string][]string{
		control: {"configuration.yaml", "change/changes.json", "change/files/dns.txt"},
		"wg0":   {"configuration.yaml", "change/changes.json"}, "switch": {"configuration.yaml", "change/changes.json"}, "www.example.com": {"configuration.yaml"},
	} {
		where := sighted(files, text)
		for _, place := range places {
			if !slices.Contains(where, place) {
				t.Errorf("%s is in %v, and not in %s: nothing can be said about the secrets", text, where, place)
			}
		}
	}
	for _, name := range []string{"change/files/radius.txt", "change/files/tunnel.txt"} {
		if text := string(files[name]); strings.Contains(text, "<redacted>") {
			t.Errorf("%s has a file with secrets taken out: %s", name, text)
		}
	}
	if text := string(files["change/files/radius.txt"]); !strings.Contains(text, "it holds secrets") {
		t.Errorf("the files of RADIUS are not said to hold secrets: %s", text)
	}
	if !slices.Contains(a.Actions(), "diag.support_bundle") {
		t.Error("the audit log does not have it")
	}
	holdNames(t, files, about)
}

// holdNames holds that the names are plain, and those of the version.
func holdNames(t *testing.T, files map[string][]byte, about bundle.Manifest) {
	t.Helper()
	plain := regexp.MustCompile(`^[a-z0-9-]+(/[a-z0-9-]+)*\.(json|txt|log|yaml)$|^README\.txt$`)
	for name := range files {
		if !plain.MatchString(name) {
			t.Errorf("%q is no name for a file", name)
		}
	}
	if len(files) != len(about.Files)+2 {
		t.Errorf("%d files, of which the manifest lists %d: some have the same name", len(files), len(about.Files))
	}
	for _, name := range []string{
		"problems/problems.json", "change/components.json", "change/changes.json", "change/files/proxy.txt", "change/files/firewall.txt", "system/services.json", "system/packages.json",
		"system/resources.json", "system/node.json", "system/interfaces.json", "network/routes.json", "network/neighbours.json", "graphs/last-hour.json", "logs/warnings.log", "logs/dns.log",
	} {
		if _, ok := files[name]; !ok {
			t.Errorf("there is no %s among %v", name, slices.Sorted(maps.Keys(files)))
		}
	}
	for _, f := range about.Files {
		if strings.Contains(f.Error, "role admin") || strings.Contains(f.Error, "not found") || strings.Contains(f.Error, "gateway-api has the details") {
			t.Errorf("%s is declared wrongly: %s", f.Name, f.Error)
		}
		t.Logf("%s: %d bytes in %d ms %s", f.Name, f.Bytes, f.Took, f.Error)
	}
}
