package change

import (
	"context"
	"fmt"

	"gateway/internal/db"
	"gateway/internal/intent"
)

// plan answers a dry run: what would be stored, and what the files would become.
func (w *work) plan(ctx context.Context) error {
	rows, err := Rows(ctx, w.tx, w.id)
	if err != nil {
		return err
	}
	p := &intent.Plan{Rows: rows, Files: []intent.File{}}
	for _, component := range w.affected {
		was, err := w.daemons.Preview(ctx, w.pool, component)
		if err != nil {
			return fmt.Errorf("render %s as it is: %w", component, err)
		}
		now, err := w.daemons.Preview(ctx, w.tx, component)
		if err != nil {
			return fmt.Errorf("render %s as it would be: %w", component, err)
		}
		p.Files = append(p.Files, Diff(component, was, now)...)
	}
	return p
}

// Rows are the images of the rows that a change wrote, in its order.
func Rows(ctx context.Context, q db.DB, id string) ([]intent.Row, error) {
	return db.List[intent.Row](ctx, q,
		`select table_name, operation, old_row, new_row from change_rows where change_id = $1 order by number`, id)
}
