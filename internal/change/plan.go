package change

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aymanbagabas/go-udiff"

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

// maxDiff bounds what the history keeps of one file.
const maxDiff = 64 << 10

// Diff is how files, by path, became others; those that stayed are left out.
func Diff(component string, was, now map[string]string) []intent.File {
	var out []intent.File
	all := maps.Clone(was)
	maps.Copy(all, now)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if was[path] == now[path] {
			continue
		}
		text := udiff.Unified("a"+path, "b"+path, was[path], now[path])
		if len(text) > maxDiff {
			text = text[:maxDiff] + "\n(cut here: the difference is longer)\n"
		}
		out = append(out, intent.File{Component: component, Path: path, Diff: text})
	}
	return out
}
