package forecast

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/rtnl"
)

// Change is what applying the rows of a component makes of a network.
type Change func(Network) Network

// Source is a component that manages the kernel's routes.
type Source struct {
	Name   string
	Tables []db.Table // that its routes depend on
	Load   func(ctx context.Context, q db.DB) (Change, error)
}

// Sources are all of them, in the order in which they are applied.
type Sources []Source

// TablesBeside are the tables of all but one.
func (all Sources) TablesBeside(name string) (tables []string) {
	for _, s := range all {
		for _, t := range s.Tables {
			if s.Name != name {
				tables = append(tables, t.Name)
			}
		}
	}
	return tables
}

// Rows are those of all sources, read when a guard needs them: there may be ten thousand, and
// most changes concern no route.
type Rows struct {
	Sources Sources
	DB      db.DB
}

// Lost says what becomes of a session when rows of one source change from was to now and the
// rows of all others are applied too; it is empty when nothing does. In the kernel these may be
// on their way, or part of the same change. Where the others alone lead the session elsewhere it
// is theirs to judge.
func (r Rows) Lost(ctx context.Context, s Session, kernel Network, name string, was, now Change) (fault.Sentence, error) {
	present, there := kernel.Route(s)
	if len(r.Sources) == 0 || !there {
		return fault.Sentence{}, nil
	}
	changes, err := r.changes(ctx, name)
	if err != nil {
		return fault.Sentence{}, err
	}
	route := func(own Change) (rtnl.Route, bool) {
		n := kernel
		for _, c := range changes {
			if c == nil {
				c = own
			}
			n = c(n)
		}
		return n.Route(s)
	}
	after, found := route(now)
	if found && Same(after, present) {
		return fault.Sentence{}, nil
	}
	if before, found := route(was); !found || !Same(before, present) {
		return fault.Sentence{}, nil
	}
	if !found || after.Type != unix.RTN_UNICAST {
		return fault.Said("together with other changes of routes, tunnels and uplinks there would be no route back"), nil
	}
	return fault.Said("together with other changes of routes, tunnels and uplinks the route back would lead elsewhere"), nil
}

// After is the network once the rows of all sources are applied.
func (r Rows) After(ctx context.Context, kernel Network) (Network, error) {
	changes, err := r.changes(ctx, "")
	for _, c := range changes {
		kernel = c(kernel)
	}
	return kernel, err
}

// changes are those of all sources but one, whose place is left empty.
func (r Rows) changes(ctx context.Context, but string) ([]Change, error) {
	out := make([]Change, len(r.Sources))
	for i, source := range r.Sources {
		if source.Name == but {
			continue
		}
		var err error
		if out[i], err = source.Load(ctx, r.DB); err != nil {
			return nil, fmt.Errorf("read the routes of %s: %w", source.Name, err)
		}
	}
	return out, nil
}
