package apply

import (
	"context"

	"gateway/internal/change"
	"gateway/internal/db"
)

// Unapplied is what a daemon runs otherwise than it is stored.
type Unapplied struct {
	// All says that nobody knows which of it is: edits by hand are kept, or a round failed that
	// no change asked for.
	All      bool
	ids      map[string]bool
	subjects map[string]bool
}

// ReadUnapplied asks the history and gateway-apply. columns are those of change.Unlive.
func ReadUnapplied(ctx context.Context, q db.DB, applier interface {
	States(ctx context.Context) ([]State, error)
}, name string, columns map[string][]string,
) (u Unapplied, err error) {
	u.subjects = map[string]bool{}
	if u.ids, err = change.Unlive(ctx, q, name, columns); err != nil {
		return u, err
	}
	states, err := applier.States(ctx)
	if err != nil {
		return u, err
	}
	for _, s := range states {
		if s.Component != name {
			continue
		}
		u.All = s.Stage == Held || s.Error != "" && len(u.ids) == 0
		for _, p := range s.Problems {
			u.subjects[p.Subject] = true
		}
	}
	return u, nil
}

// Has reports whether the object of an id is one of it; subject is its name where gateway-apply
// leaves it out of the configuration.
func (u Unapplied) Has(id, subject string) bool { return u.All || u.ids[id] || u.subjects[subject] }
