package problems

import (
	"strings"

	"gateway/internal/problem"
)

// merge makes one problem of several about the same service: that its unit has failed and
// that it does not answer is one thing to mend. The worst is kept, of equals the unit's, with
// all that any of them affects.
func merge(all []problem.Problem) []problem.Problem {
	out := make([]problem.Problem, 0, len(all))
	at := map[string]int{} // by id of the service
	for _, p := range all {
		i, there := at[p.Subject.ID]
		if p.Subject.Kind != "service" || !there {
			if p.Subject.Kind == "service" {
				at[p.Subject.ID] = len(out)
			}
			out = append(out, p)
			continue
		}
		kept, dropped := out[i], p
		if worse(p, kept) {
			kept, dropped = p, kept
		}
		if kept.AffectsTotal < dropped.AffectsTotal {
			kept.Affects, kept.AffectsTotal = dropped.Affects, dropped.AffectsTotal
		}
		out[i] = kept
	}
	return out
}

func worse(a, b problem.Problem) bool {
	if d := a.Severity.Compare(b.Severity); d != 0 {
		return d < 0
	}
	return strings.HasPrefix(a.Code, "system.") && !strings.HasPrefix(b.Code, "system.")
}
