package haproxy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTable(t *testing.T) {
	got, err := parseTable("# table: sites, type: string, size:102400, used:2\n" +
		"0x7f0d7c07f1d0: key=b.example use=0 exp=3599799 shard=0 gpc0=5 gpc1=16\n0x7f0d7bf59010: key=a.example use=0 exp=1 gpc0=7\n")
	want := []TableEntry{
		{"b.example", map[string]int64{"use": 0, "exp": 3599799, "shard": 0, "gpc0": 5, "gpc1": 16}},
		{"a.example", map[string]int64{"use": 0, "exp": 1, "gpc0": 7}},
	}
	if d := cmp.Diff(got, want); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	if _, err := parseTable("Unknown table.\n"); err == nil {
		t.Error("no table is taken for one")
	}
}

func FuzzParseTable(f *testing.F) {
	f.Add("# table: sites\n0x1: key=a use=0 gpc0=5\n0x2: key=\n")
	f.Fuzz(func(_ *testing.T, text string) { _, _ = parseTable(text) })
}
