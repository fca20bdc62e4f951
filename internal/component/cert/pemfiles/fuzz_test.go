package pemfiles

import (
	"bytes"
	"testing"
)

// Whatever is uploaded, what is accepted reads back as itself and passes the check.
func FuzzUploads(f *testing.F) {
	m := selfSigned(f, "a.example.com")
	f.Add(m.Chain, m.Key)
	f.Add(append(bytes.Clone(m.Chain), "\r\n\n"...), append([]byte("text before\n"), m.Key...))
	f.Add([]byte("-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----"), []byte("-----BEGIN EC PRIVATE KEY-----\n-----END EC PRIVATE KEY-----"))
	f.Fuzz(func(t *testing.T, chain, key []byte) {
		signer, err := ParseKey(key)
		if err != nil {
			return
		}
		made, err := NewMaterial(chain, signer)
		if err != nil {
			return
		}
		if err := judge(made.PEM(), nil); err != nil {
			t.Errorf("accepted, and then: %v\n%s", err, made.PEM())
		}
		if again, err := NewMaterial(made.Chain, signer); err != nil || !bytes.Equal(again.PEM(), made.PEM()) {
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
		out, err := render(open([]stored{c}, transparent))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := parseList(out.File(ListPath))
		if err != nil || len(lines)+len(out.Problems) != 1 || len(lines) != len(out.Files)-1 {
			t.Errorf("%q: %d lines, %d problems, %v:\n%s", name, len(lines), len(out.Problems), err, out.File(ListPath))
		}
		if parsed, err := ParseName(name); err == nil {
			if again, err := ParseName(parsed); err != nil || again != parsed {
				t.Errorf("%q is stored as %q, which is read as %q, %v", name, parsed, again, err)
			}
		}
	})
}
