package backup

import (
	"slices"
	"time"
)

// Surplus are the places of the backups to remove, the oldest first: all but the newest ones, and but
// the newest of each of the latest days that have any, as many days as backups. So a dozen made by hand
// in an afternoon do not push out those of the days before. One of the future is of a clock that was
// wrong: it is neither counted nor removed.
func Surplus(made []time.Time, keep int, now time.Time) []int {
	places := make([]int, 0, len(made))
	for i, at := range made {
		if !at.After(now.Add(Skew)) {
			places = append(places, i)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return made[a].Compare(made[b]) })
	days := map[string]bool{}
	var out []int
	for n := len(places) - 1; n >= 0; n-- {
		day := made[places[n]].UTC().Format(time.DateOnly)
		last := !days[day] && len(days) < keep
		days[day] = true
		if len(places)-n > keep && !last {
			out = append(out, places[n])
		}
	}
	slices.Reverse(out)
	return out
}

// Skew is how far ahead a clock may have been when a backup was made, for it to count.
const Skew = time.Hour

// MostKept is how many Surplus leaves at the most.
func MostKept(keep int) int { return 2*keep - 1 }
