// Package daemon is the contract between gateway-apply and what it manages: how rows become
// files, how a daemon judges them, and how it comes to run on them. It names no daemon and
// imports nothing of the API: what an area offers to operators is package component's.
package daemon

import (
	"context"
	"encoding/json"

	"gateway/internal/db"
)

// Config is how a component's rows become files that its daemon takes. It is all that is
// needed to judge a change before it is stored; whoever does that runs no daemon.
type Config struct {
	// Name is the component's one word.
	Name string
	// Tables are those that the component owns and whose rows its files depend on, or that
	// are undone with them.
	Tables []db.Table
	// Reads are the tables of other components that the files depend on too.
	Reads []string
	// Follows are the tables of other components that the files depend on too, but whose rows can make nothing wrong that this
	// component would have to judge: a change of them is neither judged by it nor waits for it, and is rendered soon after.
	Follows []string
	// GuardReads are the tables of other components that Guard asks about beside. No file depends
	// on them, but a change of them and one of this component wait for each other.
	GuardReads []string
	// LockOf is the component whose lock its changes take in place of their own. What one of them may store rests on what the
	// other one has, by names that are no foreign keys: without it two concurrent changes that exclude each other could both pass.
	LockOf string
	// AlsoGuards are the tables of other components whose changes Guard judges as those of its own,
	// though no file depends on them; GuardsNow reports whether it has anything to say about them, so
	// that nothing is read in vain.
	AlsoGuards []string
	GuardsNow  func(ctx context.Context, q db.DB) (bool, error)
	// Needs is what the packet filter must do for the component.
	Needs Needs
	// Services are what operators see of the daemon.
	Services []Service
	// Source reads rows and renders them; see Steps.
	Source Source
	// Check lets the daemon itself judge files staged below dir, each under its full path:
	// dir/etc/unbound/…. It words a refusal as a fault, without the daemon's own text: that
	// may quote files. Nil means that there is nothing to ask, as does a rendering without files.
	Check func(ctx context.Context, dir string) error
	// Plain reports whether the step from old, which passed Check, to now is so plain that it
	// passes too. Nil means that every step is checked. A zero old is none: then it is now
	// alone that must be so plain.
	Plain func(old, now Rendering) bool
}

// Daemon is a Config with what makes a daemon run on it. Nil means "has none".
type Daemon struct {
	Config
	// Units are the systemd units whose processes tell whether the daemon runs, the first one
	// before all.
	Units []string
	// After are the components that are applied before this one, where a change concerns both.
	After []string
	// Folders hold nothing but files of this component: what else is found there is removed.
	Folders []string
	// Apply makes the daemon run on now, whose files are installed: hot where it can, else by
	// a reload. A zero old means that nobody knows what it runs on, or that no unit of it stays
	// up. Otherwise old holds for the units that are up in both: those need only what differs. A
	// unit that is up in now and not in old runs on nothing; it is started afterwards, and reads
	// its files, unless Apply did that. One that is down in now is down already.
	Apply func(ctx context.Context, old, now Rendering) error
	// Observe tells apart what runs, where that is no unit's process: it answers the same as
	// long as nobody else touched it, and nothing when there is nothing.
	Observe func(ctx context.Context) (mark string, err error)
	// Live is told what was rendered last, whenever the daemon is found to run on it.
	Live func(now Rendering)
	// Background runs in gateway-apply as long as that does; again has the component applied anew.
	// One that fails is logged, and begun again a moment later.
	Background func(ctx context.Context, again func()) error
	// Verbs are what the component does, by name, in gateway-apply, where the privilege is. Waits
	// are those among them that wait for others, up to a minute, and Urgent those that tell what
	// is to be done: neither is to wait for the rest, which read.
	Verbs         map[string]Verb
	Waits, Urgent []string
}

// Verb is one privileged act: typed values in, typed values out.
type Verb func(ctx context.Context, in json.RawMessage) (any, error)

// Source is Steps, whatever is between reading and rendering.
type Source interface {
	load(ctx context.Context, q db.DB, unseal Unseal) (any, error)
	refresh(ctx context.Context, stored db.DB) error
	render(state any) (Rendering, error)
	guards() bool
	guard(ctx context.Context, was func() (any, error), now any) error
	keeps() bool
	keep(ctx context.Context, now any) error
}

// Steps lead from rows to files. S is everything that the files are made of.
type Steps[S any] struct {
	// Load is the only step that reads. It also runs on uncommitted rows. What Guard alone needs
	// S may read later, from the same rows.
	Load func(ctx context.Context, q db.DB, unseal Unseal) (S, error)
	// Refresh brings what Load keeps from one time to the next up to what is stored. It comes
	// before Load reads uncommitted rows, which are not to be kept. Nil where nothing is kept.
	Refresh func(ctx context.Context, stored db.DB) error
	// Render is a pure function. What cannot be rendered is left out and named, so that the
	// rest is not lost with it; an error is for what must not be installed at all.
	Render func(S) (Rendering, error)
	// Guard refuses a change that the daemon would take and the operator would regret. was is
	// what is stored, now what would be. Nil means that there is none.
	Guard func(ctx context.Context, was func() (S, error), now S) error
	// Keep refuses to keep a change that waited to be confirmed, by what is stored with it.
	Keep func(ctx context.Context, now S) error
}

func (s Steps[S]) load(ctx context.Context, q db.DB, unseal Unseal) (any, error) {
	return s.Load(ctx, q, unseal)
}

func (s Steps[S]) refresh(ctx context.Context, stored db.DB) error {
	if s.Refresh == nil {
		return nil
	}
	return s.Refresh(ctx, stored)
}

func (s Steps[S]) render(state any) (Rendering, error) {
	r, err := s.Render(state.(S))
	r.state = state
	return r, err
}

func (s Steps[S]) guards() bool { return s.Guard != nil }

func (s Steps[S]) guard(ctx context.Context, was func() (any, error), now any) error {
	if s.Guard == nil {
		return nil
	}
	return s.Guard(ctx, func() (S, error) {
		state, err := was()
		if err != nil {
			var none S
			return none, err
		}
		return state.(S), nil
	}, now.(S))
}

func (s Steps[S]) keeps() bool { return s.Keep != nil }

func (s Steps[S]) keep(ctx context.Context, now any) error { return s.Keep(ctx, now.(S)) }

// Render reads and renders.
func (c Config) Render(ctx context.Context, q db.DB, unseal Unseal) (Rendering, error) {
	state, err := c.Source.load(ctx, q, unseal)
	if err != nil {
		return Rendering{}, err
	}
	return c.Source.render(state)
}

// Keep refuses to keep a change that waited to be confirmed, by what is stored with it.
func (c Config) Keep(ctx context.Context, q db.DB, unseal Unseal) error {
	if !c.Source.keeps() { // reading may be expensive
		return nil
	}
	state, err := c.Source.load(ctx, q, unseal)
	if err != nil {
		return err
	}
	return c.Source.keep(ctx, state)
}
