package change

import (
	"context"
	"fmt"
	"time"

	"gateway/internal/db"
)

// The bounds of the history. Those of gateway_history_prune, which no caller can lower, are the same, but for one: of the last
// 30 days it removes nothing, however much there is.
const (
	KeptDays = 365
	KeptMost = 100_000
)

// pruneBatch is how many changes are removed at a time.
const pruneBatch = 1000

// Prune removes the changes that are beyond the bounds, with their images and rounds. One that waits
// for somebody, or is not live, stays.
func Prune(ctx context.Context, q db.DB, now time.Time) error {
	for {
		var removed int
		err := q.QueryRow(ctx, `select gateway_history_prune($1, $2, $3)`, now.AddDate(0, 0, -KeptDays), KeptMost, pruneBatch).Scan(&removed)
		if err != nil {
			return fmt.Errorf("delete old changes: %w", err)
		}
		if removed < pruneBatch {
			return nil
		}
	}
}
