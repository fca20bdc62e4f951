package longtext

import (
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
