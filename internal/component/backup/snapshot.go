package backup

import (
	"context"
	"time"

	"gateway/internal/db"
)

// BeforeRestore backs up what there is now, for a restore that does not begin over the API.
func BeforeRestore(ctx context.Context, pool db.Pool, scheduler questions) error {
	return newService(Options{DB: pool, Questions: scheduler, Now: time.Now}).snapshot(ctx)
}
