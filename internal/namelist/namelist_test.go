package namelist

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParts(t *testing.T) {
	for _, tc := range []struct{ n, have, want int }{
		{0, 0, 1},
		{1, 0, 1},
		{4096, 0, 1},
		{4097, 0, 2},
		{1_000_000, 0, 256},
		{8192, 1, 1},
		{8193, 1, 4},
		{10, 256, 256},
		{1_000_000, 256, 256},
	} {
		if got := Parts(tc.n, tc.have); got != tc.want {
			t.Errorf("%d names in %d parts: %d, want %d", tc.n, tc.have, got, tc.want)
		}
	}
}

func TestEveryNameIsInOnePart(t *testing.T) {
	var names []string
	for i := range 20000 {
		names = append(names, fmt.Sprintf("n%d.example.com", i%15000))
	}
	parts := Split(names, 4)
	all := slices.Concat(parts...)
	slices.Sort(all)
	if len(all) != 15000 || len(slices.Compact(all)) != 15000 {
		t.Errorf("%d names", len(all))
	}
	for i, p := range parts {
		if back := Names(Text(p)); !slices.Equal(back, p) || len(p) < 3000 {
			t.Errorf("part %d has %d names, %d read back", i, len(p), len(back))
		}
	}
}

func TestFileNames(t *testing.T) {
	for _, bad := range []string{"", "ads", "ads.1", "ads.1.1", "ads.2.-1", "ads.02.1", ".ads.1.0", "ads.1.0.new", "Ads.1.0", "a/b.1.0", "ads.99999.0"} {
		if _, _, _, ok := readFile(bad); ok {
			t.Errorf("%q is a part of a list", bad)
		}
	}
	if list, parts, number, ok := readFile(File("ads_1-x", 256, 17)); list != "ads_1-x" || parts != 256 || number != 17 || !ok {
		t.Errorf("read %s %d %d", list, parts, number)
	}
}

func ask(t *testing.T, x *Index, questions string) string {
	t.Helper()
	var out bytes.Buffer
	if err := Serve(strings.NewReader(questions), &out, x, nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAnswers(t *testing.T) {
	x := NewIndex()
	x.Put("ads", 1, 0, []byte("ads.example.com\ntracker.test\n# gw-sha256 0\n"))
	x.Put("half", 2, PartOf("half.test", 2), []byte("half.test\n"))
	x.Put("none", 1, 0, nil)
	for question, want := range map[string]string{
		"ads.example.com ads":              "OK",
		"a.b.ads.example.com ads":          "OK",
		"ADS.Example.COM. ads":             "OK",
		"xads.example.com ads":             "ERR",
		"example.com ads":                  "ERR",
		"203.0.113.9 ads":                  "ERR",
		"[2001:db8::1] ads":                "ERR",
		"- ads":                            "ERR",
		"%20 ads":                          "ERR",
		"#%20gw-sha256%200 ads":            "ERR",
		"gw-sha256 ads":                    "ERR",
		"tracker.test none ads":            "OK",
		"tracker.test none":                "ERR",
		"half.test half":                   "OK",
		"other.test half":                  "BH",
		"other.test missing":               "BH",
		"tracker.test missing ads":         "OK",
		"other.test":                       "BH",
		strings.Repeat("a.", 120) + " ads": "ERR",
	} {
		got, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(ask(t, x, "7 "+question+"\n")), "7 "), " ")
		if got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
	if got := ask(t, x, "1 a.test ads\n22 tracker.test ads\n333 b.test ads\n"); got != "1 ERR\n22 OK\n333 ERR\n" {
		t.Errorf("several at once: %q", got)
	}
}

// A file that is renamed into place is known at once, and so is one that is gone.
func TestTheFolderIsFollowed(t *testing.T) {
	f := Folder{Path: t.TempDir(), Index: NewIndex()}
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(f.Path, name)
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	put("ads.1.0", "a.test\n")
	stopped := make(chan error, 1)
	if err := f.Follow(stopped); err != nil {
		t.Fatal(err)
	}
	becomes := func(host string, want Verdict) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); f.Index.Find([]byte(host), [][]byte{[]byte("ads")}) != want; <-time.After(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s does not become %v", host, want)
			}
		}
	}
	becomes("a.test", Yes)
	put("ads.1.0", "b.test\n")
	becomes("b.test", Yes)
	becomes("a.test", No)
	put("ads.2.0", Text(Split([]string{"c.test", "d.test"}, 2)[0]))
	put("ads.2.1", Text(Split([]string{"c.test", "d.test"}, 2)[1]))
	becomes("c.test", Yes)
	if err := os.Remove(filepath.Join(f.Path, "ads.1.0")); err != nil {
		t.Fatal(err)
	}
	becomes("b.test", No)
	becomes("d.test", Yes)
	if err := os.RemoveAll(f.Path); err != nil {
		t.Fatal(err)
	}
	if err := <-stopped; err == nil {
		t.Error("it follows a folder that is gone")
	}
}

// BenchmarkFind is a host that is in no list, which is what most are.
func BenchmarkFind(b *testing.B) {
	x := NewIndex()
	var names []string
	for i := range 1_000_000 {
		names = append(names, fmt.Sprintf("host%d.example%d.com", i, i%977))
	}
	for i, p := range Split(names, 256) {
		x.Put("ads", 256, i, []byte(Text(p)))
	}
	host, lists := []byte("www.something.example.org"), [][]byte{[]byte("ads")}
	for b.Loop() {
		x.Find(host, lists)
	}
}
