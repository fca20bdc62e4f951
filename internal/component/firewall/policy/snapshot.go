package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// snapshot is what a transaction sees, as PostgreSQL tells it: everything below min, and
// what is below max and was not under way.
type snapshot struct {
	min, max uint64
	underWay []uint64
}

// parseSnapshot reads "10:20:10,14".
func parseSnapshot(s string) (snapshot, error) {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return snapshot{}, fmt.Errorf("%q is not a snapshot", s)
	}
	var out snapshot
	numbers := append(parts[:2:2], strings.FieldsFunc(parts[2], func(r rune) bool { return r == ',' })...)
	for i, text := range numbers {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return snapshot{}, fmt.Errorf("%q is not a snapshot: %w", s, err)
		}
		switch i {
		case 0:
			out.min = n
		case 1:
			out.max = n
		default:
			out.underWay = append(out.underWay, n)
		}
	}
	return out, nil
}

// holds reports whether it sees all that another one sees.
func (s snapshot) holds(other snapshot) bool {
	if s.max < other.max {
		return false
	}
	return !slices.ContainsFunc(s.underWay, func(n uint64) bool {
		return n < other.max && !slices.Contains(other.underWay, n)
	})
}
