package resource

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// Reorder gives the rows of a table new priorities, in the order of ids, which must be all
// of those that where selects: either all rows have their new places, or none. noun is what
// a row is called.
func Reorder(ctx context.Context, tx pgx.Tx, table, noun string, ids []string, where string, args ...any) error {
	have, err := db.List[struct{ ID string }](ctx, tx, `select id::text from `+table+` where `+where+` order by id for update`, args...)
	if err != nil {
		return fmt.Errorf("list %s: %w", table, err)
	}
	known := map[string]bool{}
	for _, r := range have {
		known[r.ID] = true
	}
	for i, id := range ids {
		if !known[id] {
			return fault.At(fmt.Sprintf("rules[%d]", i), "is not one of these %ss, or is a duplicate", noun)
		}
		delete(known, id)
	}
	if len(known) > 0 {
		return fault.At("rules", "leaves out %d %ss; reload and try again", len(known), noun)
	}
	_, err = tx.Exec(ctx, `update `+table+` t set priority = o.place * 10, revision = revision + 1, updated_at = $2
		from unnest($1::uuid[]) with ordinality as o (id, place) where t.id = o.id and t.priority <> o.place * 10`, ids, time.Now())
	if err != nil {
		return fmt.Errorf("order %s: %w", table, err)
	}
	return nil
}
