package offsite

import (
	"context"
	"errors"
	"slices"
	"time"

	"gateway/internal/backup"
)

// Retain removes all but the newest archives of a node and the newest of each day (see backup.Surplus), by the time that
// their names tell, and answers what it removed. What
// others keep beside them stays, and so does what was just put, whatever its name tells.
func (t Target) Retain(ctx context.Context, d Deps, node string, keep int, put ...string) (removed []string, err error) {
	if keep < 1 {
		return nil, errors.New("at least one archive is kept")
	}
	now := d.defaults().Now()
	_, err = t.with(ctx, d, func(s store) error {
		objects, err := s.list(ctx)
		if err != nil {
			return err
		}
		for _, name := range surplus(objects, node, keep, now) {
			if slices.Contains(put, name) {
				continue
			}
			if err := s.remove(ctx, name); err != nil {
				return err
			}
			removed = append(removed, name)
		}
		return nil
	})
	return removed, err
}

// surplus are the names of a node's archives beyond those that backup.Surplus keeps, oldest first. Names are whoever's may
// write there: one of the future is not counted, or a few of them would have all genuine archives removed.
func surplus(objects []Object, node string, keep int, now time.Time) []string {
	var names []string
	var made []time.Time
	for _, o := range objects {
		if n, ok := ParseName(o.Name); ok && n.Node == node {
			names, made = append(names, o.Name), append(made, n.At)
		}
	}
	var out []string
	for _, place := range backup.Surplus(made, keep, now) {
		out = append(out, names[place])
	}
	return out
}
