package change

import (
	"context"

	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
)

// Step is one row's way back, as the resource that owns its table sees it: write does it.
// A rule judges the step as the operation itself would be judged, before and after.
type Step struct {
	ID    string
	Gone  bool   // the row was created, and goes
	Made  bool   // the row was deleted, and comes back
	Image []byte // the fields that are set, as JSON by column; all of them when Made
	// Direct: the change that is undone still waits for its confirmation, so nobody changed what it concerns since and the
	// row as it was needs no judging. Whether the caller may bring it back is asked all the same.
	Direct bool
	write  func() error
}

// Write does the step.
func (s Step) Write() error { return s.write() }

// Rule runs a step of a table, or refuses it.
type Rule func(ctx context.Context, tx Tx, s Step) error

// UndoBy has every step back of a table's rows go through rule. It is called while the
// process is put together.
func (r *Runner) UndoBy(table string, rule Rule) { r.rules[table] = rule }

// Revert undoes one change by writing the inverse of its row images, as a change of its
// own, or as a part of the batch that it is called in, and returns that change's id. Each
// row goes back by the rules of its resource, as if the operator had done it. Later changes
// stay: where they touched the same fields it is refused, with all three states of each.
func (r *Runner) Revert(ctx context.Context, id string) (string, error) {
	return r.revert(ctx, id, Change{Actor: identity.From(ctx).Actor()})
}

// Undo is Revert for a change that was not confirmed in time. Nobody else changed what it
// concerns meanwhile, so what was there before needs no judging.
func (r *Runner) Undo(ctx context.Context, id string) error {
	_, err := r.revert(ctx, id, Change{Actor: "confirm-timeout", undoing: true})
	return err
}

func (r *Runner) revert(ctx context.Context, id string, c Change) (string, error) {
	was, err := Get(ctx, r.pool, id)
	if err != nil {
		return "", err
	}
	timeout := c.undoing
	c.undoing = was.ConfirmState != nil && *was.ConfirmState == Waiting
	if timeout && !c.undoing {
		return "", nil // somebody was faster
	}
	if c.undoing && intent.Of(ctx).ConfirmWithin > 0 {
		// Undone in its turn it would bring back for good what nobody confirmed and no guard has judged.
		return "", fault.New(fault.Conflict, "this change is still waiting for confirmation; it is reverted at once, without another wait").WithCode("confirm_pending")
	}
	c.Component, c.Action, c.Subject, c.reverts = was.Component, was.Component+".revert", was.Action+" "+was.Subject, id
	c.Detail = map[string]any{"reverts": id}
	v := &reverter{id: id, timeout: timeout, direct: c.undoing, tables: r.tables, rules: r.rules}
	if b, ok := batchOf(ctx); ok {
		if c.undoing {
			return "", fault.New(fault.Conflict, "this change is still waiting for confirmation; revert it on its own").WithCode("confirm_pending")
		}
		return b.id, b.step(ctx, c, func(tx Tx) error { return v.all(ctx, tx) })
	}
	var made string
	err = r.transact(ctx, c, func(w *work) error {
		made = w.id
		return w.step(ctx, c, func(tx Tx) error { return v.all(ctx, tx) })
	})
	return made, err
}
