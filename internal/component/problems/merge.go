package problems

import (
	"slices"
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
	return causes(out)
}

// follows are problems that follow from one of another component about the same object, by the
// beginning of its code: that rules match nothing at an interface follows from its absence.
var follows = map[string]string{"firewall.interface_missing": "network."}

// causes leaves out what follows from another problem of the same object; that one affects what
// it affects.
func causes(all []problem.Problem) []problem.Problem {
	out := make([]problem.Problem, 0, len(all))
	var left []problem.Problem
	for _, p := range all {
		if of, is := follows[p.Code]; is && cause(all, p.Subject, of) >= 0 {
			left = append(left, p)
			continue
		}
		out = append(out, p)
	}
	for _, p := range left {
		kept := &out[cause(out, p.Subject, follows[p.Code])]
		kept.AffectsTotal += p.AffectsTotal
		kept.Affects = slices.Concat(p.Affects, kept.Affects)
		kept.Affects = kept.Affects[:min(len(kept.Affects), problem.MaxAffects)]
	}
	return out
}

// cause is the place of the problem of an object whose code begins so; -1 for none.
func cause(all []problem.Problem, of problem.Subject, code string) int {
	return slices.IndexFunc(all, func(p problem.Problem) bool {
		return p.Subject.Kind == of.Kind && p.Subject.ID == of.ID && strings.HasPrefix(p.Code, code)
	})
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
