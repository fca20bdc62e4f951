package secret_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gateway/internal/secret"
)

var here = secret.Place{Table: "tunnel_interfaces", Column: "private_key", Row: "0198c0de"}

func newBox(t *testing.T, fill byte) *secret.Box {
	t.Helper()
	box, err := secret.NewBox(bytes.Repeat([]byte{fill}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// shows SEC-05
func TestSealedValueIsAES256GCM(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.key")
	box, err := secret.OpenOrCreateBox(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != 32 {
		t.Fatalf("key has %d bytes (%v), want 32: AES-256", len(key), err)
	}
	sealed := box.Seal([]byte("wireguard key"), here)

	// From here on only the standard library, as an auditor would.
	sum := sha256.Sum256(key)
	keyID := hex.EncodeToString(sum[:4])
	if got := string(sealed[:8]); got != keyID {
		t.Errorf("prefix = %q, want the key id %q", got, keyID)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	aad := []byte("tunnel_interfaces|private_key|0198c0de|" + keyID)
	plain, err := gcm.Open(nil, sealed[8:20], sealed[20:], aad)
	if err != nil || string(plain) != "wireguard key" {
		t.Errorf("opened by hand = %q, %v, want the plain value", plain, err)
	}
}

func TestSealedValueOpensOnlyWhereItWasSealed(t *testing.T) {
	box := newBox(t, 1)
	sealed := box.Seal([]byte("plain"), here)
	damaged := bytes.Clone(sealed)
	damaged[len(damaged)-1] ^= 1
	move := func(f func(*secret.Place)) secret.Place {
		p := here
		f(&p)
		return p
	}
	for _, tc := range []struct {
		name   string
		box    *secret.Box
		sealed []byte
		where  secret.Place
		want   string
	}{
		{"in another row", box, sealed, move(func(p *secret.Place) { p.Row = "0198c0df" }), "another place"},
		{"in another column", box, sealed, move(func(p *secret.Place) { p.Column = "preshared_key" }), "another place"},
		{"in another table", box, sealed, move(func(p *secret.Place) { p.Table = "radius_clients" }), "another place"},
		{"when a bit was changed", box, damaged, here, "damaged"},
		{"when it was cut", box, sealed[:20], here, "only 20 bytes"},
		{"when it is empty", box, nil, here, "only 0 bytes"},
		{"with another master key", newBox(t, 2), sealed, here, "sealed with key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			plain, err := tc.box.Open(tc.sealed, tc.where)
			if err == nil {
				t.Fatalf("opened as %q, want an error", plain)
			}
			for _, want := range []string{tc.want, tc.where.Table, tc.where.Column, tc.where.Row} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not name %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "plain") {
				t.Errorf("error %q tells the value", err)
			}
		})
	}
}

func TestAnyValueOpensInItsPlaceAndNoOther(t *testing.T) {
	box := newBox(t, 3)
	places := rapid.Custom(func(t *rapid.T) secret.Place {
		part := rapid.StringMatching(`[a-c|\\]{1,4}`) // few letters, so that near misses happen
		return secret.Place{Table: part.Draw(t, "table"), Column: part.Draw(t, "column"), Row: part.Draw(t, "row")}
	})
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOf(rapid.Byte()).Draw(t, "plain")
		home, other := places.Draw(t, "home"), places.Draw(t, "other")
		sealed := box.Seal(plain, home)
		got, err := box.Open(sealed, home)
		if err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("at home = %q, %v, want %q", got, err, plain)
		}
		if _, err := box.Open(sealed, other); (err == nil) != (home == other) {
			t.Fatalf("sealed in %v, opened in %v: error %v", home, other, err)
		}
		if again := box.Seal(plain, home); bytes.Equal(again, sealed) {
			t.Fatal("the same nonce was used twice")
		}
	})
}

func TestSealPanicsOnAnIncompletePlace(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("sealed without a row, want a panic")
		}
	}()
	newBox(t, 4).Seal([]byte("plain"), secret.Place{Table: "t", Column: "c"})
}

func TestKeyIDNamesTheKey(t *testing.T) {
	if a, b := newBox(t, 1).KeyID(), newBox(t, 2).KeyID(); a == b || len(a) != 8 {
		t.Errorf("key ids = %q, %q, want two different ones of 8 characters", a, b)
	}
	if _, err := secret.NewBox(make([]byte, 16)); err == nil {
		t.Error("a 16-byte key was taken, want only AES-256")
	}
}

func TestASetIsReadByName(t *testing.T) {
	box, err := secret.NewBox(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	where := secret.Place{Table: "things", Column: "secrets", Row: "1"}
	if got, err := box.OpenSet(nil, where); err != nil || len(got) != 0 {
		t.Errorf("nothing sealed: %d, %v", len(got), err)
	}
	if got, err := box.OpenSet(box.Seal([]byte(`{"password":"canary"}`), where), where); err != nil || got["password"] != "canary" {
		t.Errorf("a set: %d, %v", len(got), err)
	}
	if _, err := box.OpenSet(box.Seal([]byte(`"canary"`), where), where); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("what is no set: %v", err)
	}
}

// Of several secrets in one column those that are sent masked stay, and those that are sent empty go.
func TestSealingSeveralSecrets(t *testing.T) {
	box, err := secret.NewBox(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	where := secret.Place{Table: "things", Column: "secrets", Row: "1"}
	kept := map[string]string{"password": "old canary", "token": "another"}
	for _, tc := range []struct {
		name, password, token string
		names                 []string
		want                  map[string]string
		stays, changed        bool
	}{
		{"none", "", "", []string{}, map[string]string{}, false, false},
		{"one that stays", secret.Masked, "", []string{"password"}, map[string]string{"password": "old canary"}, true, false},
		{"a new one beside it", secret.Masked, "new", []string{"password", "token"}, map[string]string{"password": "old canary", "token": "new"}, true, true},
		{"two new ones", "a", "b", []string{"password", "token"}, map[string]string{"password": "a", "token": "b"}, false, true},
	} {
		password, token := secret.Text(tc.password), secret.Text(tc.token)
		sent := map[string]*secret.Text{"password": &password, "token": &token}
		names, sealed, changed := box.SealSet(sent, kept, where)
		if !slices.Equal(names, tc.names) || names == nil || changed != tc.changed || secret.Stays(sent) != tc.stays || (sealed == nil) != (len(names) == 0) {
			t.Errorf("%s: names %v, changed %t", tc.name, names, changed)
		}
		if got, err := box.OpenSet(sealed, where); err != nil || !maps.Equal(got, tc.want) {
			t.Errorf("%s: %d of %d are there, %v", tc.name, len(got), len(tc.want), err)
		}
	}
}
