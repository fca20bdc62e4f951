package pemfiles

import (
	"errors"
	"strings"
	"testing"

	"gateway/internal/daemon"
	"gateway/internal/secret"
)

// transparent stands for a box whose seals hide nothing.
func transparent(sealed []byte, _ secret.Place) (secret.Text, error) { return secret.Text(sealed), nil }

func TestTheListNamesWhatWasIssuedForTheNames(t *testing.T) {
	for _, tc := range []struct {
		name    string
		c       stored
		want    string // the line
		problem bool
	}{
		{"every name that it is for", stored{Names: []string{"a.example.com", "b.example.com"}, IssuedFor: []string{"b.example.com", "a.example.com"}}, " a.example.com b.example.com", false},
		{"a name that was added since waits for the next", stored{Names: []string{"a.example.com", "b.example.com"}, IssuedFor: []string{"a.example.com"}}, " a.example.com", false},
		{"a wildcard is for what is directly below", stored{Names: []string{"a.example.com", "a.b.example.com", "*.example.com"}, IssuedFor: []string{"*.example.com"}}, " a.example.com *.example.com", false},
		{"one for other names only is not served", stored{Names: []string{"a.example.com"}, IssuedFor: []string{"b.example.com"}}, "", false},
		{"a name that is none is left out", stored{Names: []string{"a.example.com\n/etc/passwd"}, IssuedFor: []string{"a.example.com\n/etc/passwd"}}, "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.c.ID = "0198c0de-0000-7000-8000-000000000001"
			out, err := render(open([]stored{tc.c}, transparent))
			if err != nil {
				t.Fatal(err)
			}
			want := Fallback + "\n"
			if tc.want != "" {
				want += "/etc/gateway/haproxy/certs/0198c0de-0000-7000-8000-000000000001.pem" + tc.want + "\n"
			}
			if got := string(out.File(ListPath)); got != want {
				t.Errorf("list = %q, want %q", got, want)
			}
			if got := len(out.Problems) > 0; got != tc.problem {
				t.Errorf("problems = %+v, want any: %t", out.Problems, tc.problem)
			}
			if last := out.Files[len(out.Files)-1].Path; last != ListPath {
				t.Errorf("the last file is %s, want the list", last)
			}
		})
	}
}

func TestAWrongMasterKeyTakesNothingAway(t *testing.T) {
	all := []stored{
		{ID: "00000000-0000-7000-8000-000000000001", Names: []string{"a.example.com"}, IssuedFor: []string{"a.example.com"}, PrivateKey: []byte("good")},
		{ID: "00000000-0000-7000-8000-000000000002", Names: []string{"b.example.com"}, IssuedFor: []string{"b.example.com"}, PrivateKey: []byte("bad")},
	}
	unseal := func(sealed []byte, where secret.Place) (secret.Text, error) {
		if string(sealed) == "bad" {
			return "", errors.New("sealed with another key")
		}
		return "key\n", nil
	}
	out, err := render(open(all, unseal))
	if err != nil || len(out.Files) != 2 || len(out.Problems) != 1 || !strings.Contains(out.Problems[0].Subject, "b.example.com") {
		t.Errorf("one that does not open: %d files, %+v, %v, want it left out alone", len(out.Files), out.Problems, err)
	}
	if out, err = render(open(all[1:], unseal)); err == nil {
		t.Errorf("none that opens: %d files, want an error", len(out.Files))
	}
}

// staged is a rendering of one certificate that passes.
func staged(t testing.TB) (daemon.Rendering, string) {
	t.Helper()
	m := selfSigned(t, "a.example.com")
	path := pemPath("1")
	return daemon.Rendering{Files: []daemon.File{
		{Path: path, Data: m.PEM()}, {Path: ListPath, Data: []byte(Fallback + "\n" + path + " a.example.com\n")},
	}}, path
}

func TestTheCheckReadsBackWhatHAProxyWillRead(t *testing.T) {
	other := selfSigned(t, "a.example.com")
	pem := func(change func(string) string) func(*daemon.Rendering) {
		return func(r *daemon.Rendering) { r.Files[0].Data = []byte(change(string(r.Files[0].Data))) }
	}
	list := func(text string) func(*daemon.Rendering) {
		return func(r *daemon.Rendering) { r.Files[1].Data = []byte(text) }
	}
	for _, tc := range []struct {
		name   string
		change func(*daemon.Rendering)
		good   bool
	}{
		{"what we render", func(*daemon.Rendering) {}, true},
		{"the key of another certificate", pem(func(s string) string { return s[:strings.Index(s, "-----BEGIN PRIVATE")] + string(other.Key) }), false},
		{"a carriage return", pem(func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }), false},
		{"an empty line, which ends HAProxy's reading", pem(func(s string) string { return strings.Replace(s, "-----BEGIN PRIVATE", "\n-----BEGIN PRIVATE", 1) }), false},
		{"no key", pem(func(s string) string { return s[:strings.Index(s, "-----BEGIN PRIVATE")] }), false},
		{"more after the key", pem(func(s string) string { return s + "more\n" }), false},
		{"a list without the fallback", list(pemPath("1") + " a.example.com\n"), false},
		{"a name that it is not for", list(Fallback + "\n" + pemPath("1") + " b.example.com\n"), false},
		{"a line without names", list(Fallback + "\n" + pemPath("1") + "\n"), false},
		{"settings of a bind line", list(Fallback + "\n" + pemPath("1") + " [verify none] a.example.com\n"), false},
		{"a file of somebody else", list(Fallback + "\n/etc/shadow a.example.com\n"), false},
		{"a way out of the folder", list(Fallback + "\n" + folder + "../x a.example.com\n"), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, _ := staged(t)
			tc.change(&r)
			dir := t.TempDir()
			if err := r.Stage(dir); err != nil {
				t.Fatal(err)
			}
			if err := check(t.Context(), dir); (err == nil) != tc.good {
				t.Errorf("check = %v, want good: %t", err, tc.good)
			}
			empty := daemon.Rendering{Files: []daemon.File{{Path: ListPath, Data: []byte(Fallback + "\n")}}}
			if got := plain(empty, r); got != tc.good {
				t.Errorf("plain = %t, want %t", got, tc.good)
			}
		})
	}
}
