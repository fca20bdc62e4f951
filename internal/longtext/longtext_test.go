package longtext

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestCommonEnds(t *testing.T) {
	long := strings.Repeat("0123456789\n", 1000)
	for name, tc := range map[string]struct {
		a, b           string
		prefix, suffix int
	}{
		"nothing":            {"", "", 0, 0},
		"one is empty":       {"a", "", 0, 0},
		"the same":           {long, long, len(long), len(long)},
		"other in the first": {"x" + long, "y" + long, 0, len(long)},
		"other in the last":  {long + "x", long + "y", len(long), 0},
		"other in between":   {long + "x" + long, long + "yy" + long, len(long), len(long)},
		"one is longer":      {long, long + long, len(long), len(long)},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := []byte(tc.a), []byte(tc.b)
			if p, s := CommonPrefix(a, b), CommonSuffix(a, b); p != tc.prefix || s != tc.suffix {
				t.Errorf("%d and %d bytes are common, want %d and %d", p, s, tc.prefix, tc.suffix)
			}
		})
	}
}

func TestDiffering(t *testing.T) {
	long := strings.Repeat("0123456789\n", 1000)
	for name, tc := range map[string]struct{ a, b, onlyA, onlyB string }{
		"the same":                 {long, long, "", ""},
		"a line in between":        {long + "x\n" + long, long + "y\n" + long, "x\n", "y\n"},
		"a line more":              {"a\nc\n", "a\nb\nc\n", "", "b\n"},
		"a line less at the end":   {"a\nb\n", "a\n", "b\n", ""},
		"lines that begin alike":   {"a\nab 1\nc\n", "a\nab 2\nc\n", "ab 1\n", "ab 2\n"},
		"lines that end alike":     {"a\nxz\nc\n", "a\nyz\nc\n", "xz\n", "yz\n"},
		"one line is the others":   {"a\nz\nc\n", "a\nyz\nc\n", "z\n", "yz\n"},
		"the same line twice":      {"a\na\n", "a\na\na\n", "", "a\n"},
		"nothing in one":           {"", "a\n", "", "a\n"},
		"no line break at the end": {"a\nb", "a\nc", "b", "c"},
	} {
		t.Run(name, func(t *testing.T) {
			from, endA, endB := Differing([]byte(tc.a), []byte(tc.b))
			if a, b := tc.a[from:endA], tc.b[from:endB]; a != tc.onlyA || b != tc.onlyB {
				t.Errorf("%q and %q differ, want %q and %q", a, b, tc.onlyA, tc.onlyB)
			}
		})
	}
}

// Whatever is outside of what differs is the same in both, and in whole lines.
func TestWhatDoesNotDifferIsTheSameInBoth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(5) {
			b.WriteString(strings.Repeat("ab"[r.IntN(2):][:1], r.IntN(3)) + "\n")
		}
		return b.String()
	}
	for range 20000 {
		a, b := text(), text()
		from, endA, endB := Differing([]byte(a), []byte(b))
		if from > endA || from > endB || a[:from] != b[:from] || a[endA:] != b[endB:] {
			t.Fatalf("%q and %q differ in %d:%d and %d:%d", a, b, from, endA, from, endB)
		}
		for _, part := range []string{a[:from], a[from:endA], b[from:endB], a[endA:]} {
			if part != "" && !strings.HasSuffix(part, "\n") {
				t.Fatalf("%q and %q are cut within a line: %q", a, b, part)
			}
		}
	}
}
