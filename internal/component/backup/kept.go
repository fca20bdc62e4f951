package backup

import (
	"context"
	"fmt"

	"gateway/internal/backup"
	"gateway/internal/component"
)

// kept are the archives on this node. Each run removes those beyond the bound, which is not for those from before a restore.
func (s *service) kept() component.Kept {
	return component.Kept{
		Name: "backups", Tables: []string{"backups"}, Job: jobName,
		Bound: func(context.Context) (component.Bound, error) {
			state, err := s.Setup.Load()
			return component.Bound{Rows: int64(backup.MostKept(state.Retention.Backups))}, err
		},
		Amount: func(ctx context.Context) (a component.Amount, err error) {
			var rows int64
			err = s.DB.QueryRow(ctx, `select count(*) filter (where kind <> 'before-restore'), coalesce(sum(size), 0)::bigint, min(started_at) from backups where status = 'done'`).Scan(&rows, &a.Bytes, &a.Oldest)
			if err != nil {
				return component.Amount{}, fmt.Errorf("count the backups: %w", err)
			}
			a.Rows = &rows
			return a, nil
		},
	}
}
