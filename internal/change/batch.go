package change

import (
	"context"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
)

type batchKey struct{}

func batchOf(ctx context.Context) (*work, bool) {
	w, ok := ctx.Value(batchKey{}).(*work)
	return w, ok
}

// Batch makes one change of all that fn runs with its context: one transaction, one
// apply. Reads through a db.Routed pool see what was written before them.
func (r *Runner) Batch(ctx context.Context, subject string, fn func(ctx context.Context) error) error {
	if _, nested := batchOf(ctx); nested {
		return fault.New(fault.Invalid, "a batch cannot be part of another one").WithCode("nested_batch")
	}
	c := Change{Component: "batch", Action: "batch", Subject: subject, Actor: identity.From(ctx).Actor()}
	return r.transact(ctx, c, func(w *work) error {
		return fn(db.WithTx(context.WithValue(ctx, batchKey{}, w), w.tx))
	})
}
