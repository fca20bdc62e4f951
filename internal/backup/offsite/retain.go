package offsite

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Retain removes all but the newest archives of a node, by the time that their names tell, and answers what it removed. What
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

// skew is how far the clock may have been ahead when an archive was named.
const skew = time.Hour

// surplus are the names of a node's archives beyond the newest ones, oldest first. Names are whoever's may write there:
// one of the future is not counted, or a few of them would have all genuine archives removed.
func surplus(objects []Object, node string, keep int, now time.Time) []string {
	type archive struct {
		name string
		at   time.Time
	}
	var mine []archive
	for _, o := range objects {
		if n, ok := ParseName(o.Name); ok && n.Node == node && !n.At.After(now.Add(skew)) {
			mine = append(mine, archive{o.Name, n.At})
		}
	}
	slices.SortStableFunc(mine, func(a, b archive) int { return a.at.Compare(b.at) })
	var out []string
	for _, a := range mine[:max(0, len(mine)-keep)] {
		out = append(out, a.name)
	}
	return out
}
