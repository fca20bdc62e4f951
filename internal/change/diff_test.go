package change

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// patched applies a unified difference, and trusts nothing in it.
func patched(t *testing.T, was, diff string) string {
	t.Helper()
	var out strings.Builder
	lines := strings.SplitAfter(was, "\n")
	at := 0
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"), strings.HasPrefix(line, `\`):
		case strings.HasPrefix(line, "@@"):
			m := hunk.FindStringSubmatch(line)
			from, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			if m[2] == ",0" { // it names the line before
				from++
			}
			for ; at < from-1; at++ {
				out.WriteString(lines[at])
			}
		case line[0] == '+':
			out.WriteString(line[1:])
		default:
			if lines[at] != line[1:] {
				t.Fatalf("line %d is %q, the difference says %q", at+1, lines[at], line[1:])
			}
			if line[0] == ' ' {
				out.WriteString(lines[at])
			}
			at++
		}
	}
	return out.String() + strings.Join(lines[at:], "")
}

func TestADifferenceLeadsFromOneToTheOther(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := func(n int) []string {
		lines := make([]string, n)
		for i := range lines {
			lines[i] = fmt.Sprintf("line %d\n", r.IntN(6))
		}
		return lines
	}
	for range 5000 {
		was := text(r.IntN(30))
		now := append([]string{}, was...)
		for range r.IntN(3) {
			i := r.IntN(len(now) + 1)
			now = append(append(append([]string{}, now[:i]...), text(r.IntN(2))...), now[min(len(now), i+r.IntN(2)):]...)
		}
		a, b := strings.Join(was, ""), strings.Join(now, "")
		if a == b {
			continue
		}
		if got := patched(t, a, unified("/f", a, b)); got != b {
			t.Fatalf("from %q to %q the difference leads to %q:\n%s", a, b, got, unified("/f", a, b))
		}
	}
}

func TestADifferenceHasItsLinesAround(t *testing.T) {
	var was, now strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&was, "line %d\n", i)
		fmt.Fprintf(&now, "line %d\n", i)
		if i == 500 {
			now.WriteString("one more\n")
		}
	}
	want := "--- a/f\n+++ b/f\n@@ -499,6 +499,7 @@\n line 498\n line 499\n line 500\n+one more\n line 501\n line 502\n line 503\n"
	if got := unified("/f", was.String(), now.String()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
