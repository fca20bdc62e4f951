package filter

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"gateway/internal/daemon"
	"gateway/internal/packetfilter"
)

// apply brings the kernel to now: elements of sets one by one where only they changed, else
// all of it in one transaction, which counters outlive.
func (f *filter) apply(ctx context.Context, old, now daemon.Rendering) error {
	f.tell(old.Problems, now.Problems)
	defer f.expiry.wake()
	err := f.change(ctx, old, now)
	if errors.Is(err, errReplace) {
		err = f.table.Replace(ctx, now.File(RulesPath), now.File(ElementsPath))
	}
	if err == nil {
		f.mark, err = f.marker.Mark(ctx)
	}
	if err == nil {
		f.forward.due.Store(true) // watchTime wakes and does it
	}
	return err
}

// errReplace says that elements alone do not lead from the one to the other.
var errReplace = errors.New("the table has to be replaced")

// change has only elements of sets change, if the table is as it was left.
func (f *filter) change(ctx context.Context, old, now daemon.Rendering) error {
	if !bytes.Equal(old.File(RulesPath), now.File(RulesPath)) {
		return errReplace
	}
	batch, ok := packetfilter.Delta(old.File(ElementsPath), now.File(ElementsPath))
	if !ok {
		return errReplace
	}
	if mark, err := f.marker.Mark(ctx); err != nil || f.mark != "" && mark != f.mark {
		return errors.Join(errReplace, err)
	}
	if err := f.marker.Change(ctx, batch); err != nil && ctx.Err() == nil {
		return errors.Join(errReplace, err)
	}
	return ctx.Err()
}

// tell logs what was left out, once.
func (f *filter) tell(old, now []daemon.Problem) {
	for _, problem := range now {
		if !slices.ContainsFunc(old, problem.Same) {
			f.Log.Warn("skipped in the packet filter", "what", problem.Subject, "why", problem.Message)
		}
	}
}
