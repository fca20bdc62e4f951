package change

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Tx is the transaction of a change. Whatever is outside of it (a file, a daemon, a cache
// of this process) is touched by AfterCommit alone: a dry run, a refused change, a batch
// that breaks off and a commit that fails leave nothing behind then.
type Tx struct {
	pgx.Tx
	work *work
}

// AfterCommit has fn run once the change is stored, in the order of the calls and before
// anybody is told. It is lost with the process, so what it brings about must be something
// that is found wanting, and done, at the next start. Its error is the caller's to know;
// the change stays.
func (t Tx) AfterCommit(fn func(ctx context.Context) error) {
	t.work.effects = append(t.work.effects, fn)
}
