package problems

import (
	"strings"

	"gateway/internal/problem"
)

// merge makes one problem of several about the same service: that its unit has failed, that it
// does not answer and what follows from that is one thing to mend. The worst is kept, of equals
// the unit's, with all that any of them affects. Of a service that works, each of its problems is
// one of its own, once per kind.
func merge(all []problem.Problem) []problem.Problem {
	down := map[string]bool{} // ids of services
	for _, p := range all {
		if p.Subject.Kind == "service" && isDown(p.Code) {
			down[p.Subject.ID] = true
		}
	}
	out := make([]problem.Problem, 0, len(all))
	at := map[[2]string]int{} // by id of the service, and code where it works
	for _, p := range all {
		key := [2]string{p.Subject.ID, p.Code}
		if down[p.Subject.ID] {
			key[1] = ""
		}
		i, there := at[key]
		if p.Subject.Kind != "service" || !there {
			if p.Subject.Kind == "service" {
				at[key] = len(out)
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

// isDown reports whether a problem says that a service does not work at all.
func isDown(code string) bool {
	return strings.HasPrefix(code, "system.") || strings.HasSuffix(code, ".not_answering") || strings.HasSuffix(code, ".not_running")
}

func worse(a, b problem.Problem) bool {
	if d := a.Severity.Compare(b.Severity); d != 0 {
		return d < 0
	}
	return strings.HasPrefix(a.Code, "system.") && !strings.HasPrefix(b.Code, "system.")
}
