package apply

import (
	"context"
	"slices"
	"sync"
	"testing"

	"gateway/internal/change"
	"gateway/internal/daemon"
)

// pair is a component of two units, each of which a word switches on. It notes what its Apply
// was told, and starts nothing.
type pair struct {
	mu  sync.Mutex
	old []daemon.Rendering
}

func (p *pair) daemon() daemon.Daemon {
	d := neighbour("pair", func(_ context.Context, old, _ daemon.Rendering) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.old = append(p.old, old)
		return nil
	})
	d.Units = []string{"a.service", "b.service"}
	d.Source = daemon.Steps[[]string]{Load: loadLamps, Render: func(words []string) (daemon.Rendering, error) {
		return daemon.Rendering{
			Files: []daemon.File{{Path: "/etc/pair", Mode: 0o644, Data: []byte("the same\n")}},
			Units: []daemon.Unit{{Name: "a.service", Up: slices.Contains(words, "a")}, {Name: "b.service", Up: slices.Contains(words, "b")}},
		}, nil
	}}
	return d
}

// last is what Apply was told last, and how often it was called.
func (p *pair) last() (daemon.Rendering, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.old) == 0 {
		return daemon.Rendering{}, 0
	}
	return p.old[len(p.old)-1], len(p.old)
}

func TestAUnitThatStaysUpIsNotReloadedForAnother(t *testing.T) {
	var p pair
	r := newRig(t, p.daemon())
	up := func(a, b bool) {
		t.Helper()
		states, err := r.daemon.States(r.ctx, []string{"a.service", "b.service"})
		if err != nil {
			t.Fatal(err)
		}
		if got := []bool{states[0].ActiveState == "active", states[1].ActiveState == "active"}; got[0] != a || got[1] != b {
			t.Errorf("up: %v, want %v", got, []bool{a, b})
		}
	}
	r.mustAdd("a")
	up(true, false)
	before := r.worker("pair").installedNow()
	r.mustAdd("b")
	up(true, true) // also without Apply, which found nothing to do for a
	if old, n := p.last(); n == 0 || old.Hash() != before.Hash() {
		t.Errorf("b was switched on, and Apply was told that %+v ran; want %+v", old, before)
	}
	before = r.worker("pair").installedNow()
	if err := r.drop("a"); err != nil {
		t.Fatal(err)
	}
	up(false, true)
	if old, _ := p.last(); old.Hash() != before.Hash() {
		t.Errorf("a was switched off, and Apply was told that %+v ran; want %+v", old, before)
	}
	// One goes, the other comes: nothing is left that ran before.
	if err := r.run.Run(r.ctx, change.Change{Component: "lamp", Action: "lamp.change"}, func(tx change.Tx) error {
		_, err := tx.Exec(r.ctx, `update lamps set word = 'a' where word = 'b'`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if old, _ := p.last(); !old.None() {
		t.Errorf("nothing stayed up, and Apply was told that %+v ran", old)
	}
}

func (r *rig) drop(word string) error {
	return r.run.Run(r.ctx, change.Change{Component: "lamp", Action: "lamp.delete"}, func(tx change.Tx) error {
		_, err := tx.Exec(r.ctx, `delete from lamps where word = $1`, word)
		return err
	})
}
