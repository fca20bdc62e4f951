package offsite

import (
	"context"
	"errors"
	"slices"
	"time"

	"gateway/internal/backup"
)

// Retained is what Retain found and did, as far as it came.
type Retained struct {
	Removed []string
	Listed  bool // the target told what it has
	Foreign int  // archives, by their names, that are none of ours
}

// Retain removes all of our archives but the newest ones and the newest of each day (see backup.Surplus), by the time that
// their names tell. Names are whoever's may write there, so what is ours the caller knows, and nothing else is counted or
// removed. What was just put stays, whatever its name tells.
func (t Target) Retain(ctx context.Context, d Deps, ours []string, keep int, put ...string) (out Retained, err error) {
	if keep < 1 {
		return out, errors.New("at least one archive is kept")
	}
	now := d.defaults().Now()
	_, err = t.with(ctx, d, func(s store) error {
		objects, err := s.list(ctx)
		if err != nil {
			return err
		}
		var old []string
		old, out = surplus(objects, ours, keep, now)
		for _, name := range old {
			if slices.Contains(put, name) {
				continue
			}
			if err := s.remove(ctx, name); err != nil {
				return err
			}
			out.Removed = append(out.Removed, name)
		}
		return nil
	})
	return out, err
}

// surplus are the names of our archives beyond those that backup.Surplus keeps, oldest first, and what else there is.
func surplus(objects []Object, ours []string, keep int, now time.Time) (old []string, seen Retained) {
	seen.Listed = true
	mine := make(map[string]bool, len(ours))
	for _, name := range ours {
		mine[name] = true
	}
	var names []string
	var made []time.Time
	for _, o := range objects {
		n, archive := ParseName(o.Name)
		switch {
		case !archive:
		case mine[o.Name]:
			names, made = append(names, o.Name), append(made, n.At)
		default:
			seen.Foreign++
		}
	}
	for _, place := range backup.Surplus(made, keep, now) {
		old = append(old, names[place])
	}
	return old, seen
}
