package dump

import (
	"context"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
)

// Rows writes a table's rows in the form that an archive has them in, in the columns and the order given, for
// comparing the two. Names are the caller's to know: they are quoted, and nothing else.
func Rows(ctx context.Context, tx pgx.Tx, name string, columns []string, w io.Writer) error {
	if _, err := tx.Exec(ctx, plainText); err != nil {
		return err
	}
	if _, err := tx.Conn().PgConn().CopyTo(ctx, w, "copy "+table{name, columns}.copied()+" to stdout"); err != nil {
		return fmt.Errorf("read table %s: %w", name, err)
	}
	return nil
}
