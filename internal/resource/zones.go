package resource

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// MustBeZones reports names in a field "zones" that are of no zone of the packet filter, or there twice.
func MustBeZones(ctx context.Context, tx db.DB, p *fault.Problems, names []string) error {
	rows, err := tx.Query(ctx, `select name from firewall_zones`)
	if err != nil {
		return fmt.Errorf("read the zones: %w", err)
	}
	zones, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("read the zones: %w", err)
	}
	for i, name := range names {
		switch at := fmt.Sprintf("zones[%d]", i); {
		case !slices.Contains(zones, name):
			p.Add(at, "must be an existing zone")
		case slices.Contains(names[:i], name):
			p.Add(at, "is a duplicate")
		}
	}
	return nil
}
