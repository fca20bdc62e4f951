package haproxyconf

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Whatever is outside of what differs is the same in both, and in whole lines.
func TestDiffering(t *testing.T) {
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
		from, endA, endB := differing([]byte(a), []byte(b))
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
