package resource

import (
	"context"
	"fmt"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// Exists answers 404 for an owner that is not there.
func Exists(table, noun string) func(context.Context, db.DB, string) error {
	return func(ctx context.Context, q db.DB, id string) error {
		var there bool
		if err := q.QueryRow(ctx, `select exists (select from `+table+` where id = $1)`, id).Scan(&there); err != nil {
			return fmt.Errorf("look for %s %s: %w", noun, id, err)
		}
		if !there {
			return fault.New(fault.NotFound, "there is no such %s", noun)
		}
		return nil
	}
}

// MustBe refuses a reference to what is not there.
func MustBe(ctx context.Context, tx db.DB, p *fault.Problems, field, table, noun, id string) error {
	if !db.ValidID(id) {
		p.Add(field, "is not the id of an existing %s", noun)
		return nil
	}
	err := Exists(table, noun)(ctx, tx, id)
	if fault.Is(err, fault.NotFound) {
		p.Add(field, "is not the id of an existing %s", noun)
		return nil
	}
	return err
}
