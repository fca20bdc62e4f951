package app

import (
	"context"

	"gateway/internal/component/backup"
	"gateway/internal/db"
)

// Snapshot has gateway-scheduler back up the database at that address, for a restore that begins on the node itself.
func Snapshot(ctx context.Context, database string) error {
	pool, err := db.Open(database)
	if err != nil {
		return err
	}
	defer pool.Close()
	return backup.BeforeRestore(ctx, pool, db.Questions{Pool: pool})
}
