package cert

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"gateway/internal/component"
	"gateway/internal/daemon"
)

// Whatever is uploaded, what is accepted reads back as itself and passes the check.
func FuzzUploads(f *testing.F) {
	m, err := selfSigned([]string{"a.example.com"}, ecdsaP256, time.Now())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(m.chain, m.key)
	f.Add(append(bytes.Clone(m.chain), "\r\n\n"...), append([]byte("text before\n"), m.key...))
	f.Add([]byte("-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----"), []byte("-----BEGIN EC PRIVATE KEY-----\n-----END EC PRIVATE KEY-----"))
	f.Fuzz(func(t *testing.T, chain, key []byte) {
		signer, err := parseKey(key)
		if err != nil {
			return
		}
		made, err := newMaterial(chain, signer)
		if err != nil {
			return
		}
		if err := judge(made.pem(), nil); err != nil {
			t.Errorf("accepted, and then: %v\n%s", err, made.pem())
		}
		if again, err := newMaterial(made.chain, signer); err != nil || !bytes.Equal(again.pem(), made.pem()) {
			t.Errorf("read back = %v, want the same", err)
		}
	})
}

// Whatever the names are, the list is one that the check can read, with as many lines as
// there are certificates in it.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"a.example.com", "*.example.com", "a b", "a\n/etc/passwd", "[x]", "ünï.example", "#a.example.com", "a.example.com\x00", "!a.example.com"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		c := stored{ID: "0198c0de-0000-7000-8000-000000000001", Names: []string{name}, IssuedFor: []string{name}}
		out, err := render([]stored{c}, open)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := parseList(out.File(ListPath))
		if err != nil || len(lines)+len(out.Problems) != 1 || len(lines) != len(out.Files)-1 {
			t.Errorf("%q: %d lines, %d problems, %v:\n%s", name, len(lines), len(out.Problems), err, out.File(ListPath))
		}
		if parsed, err := parseName(name); err == nil {
			if again, err := parseName(parsed); err != nil || again != parsed {
				t.Errorf("%q is stored as %q, which is read as %q, %v", name, parsed, again, err)
			}
		}
	})
}

func TestThePreviewShowsNoKey(t *testing.T) {
	r := newRig(t)
	c := r.make(object{"source": "self_signed", "names": []string{"a.example.com"}})
	set := daemon.Set{Parts: []component.Component{r.part}, Unseal: r.box.Unseal}
	texts, err := set.Preview(t.Context(), r.pool, "cert")
	if err != nil {
		t.Fatal(err)
	}
	if text := texts[pemPath(c.ID)]; !strings.HasPrefix(text, "(content not shown") || strings.Contains(text, "PRIVATE") {
		t.Errorf("preview = %s, want nothing of the file", text)
	}
}
