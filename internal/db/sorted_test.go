package db_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

type bulb struct {
	ID   int64
	Name string

	made int
}

// Whatever is done to a table, also what is taken back, the rows are those that are there, in
// their order, and each version was made once.
func TestSortedRowsAreWhatIsThere(t *testing.T) {
	pool, _ := lampTable(t)
	ctx := t.Context()
	r := rand.New(rand.NewPCG(3, 4))
	v := &db.Sorted[bulb]{
		Table: "lamps", Where: "lit", Columns: "id, name", Made: func(b *bulb) { b.made++ },
		Compare: func(a, b *bulb) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) },
	}
	same := func(step int, q db.DB) {
		t.Helper()
		got, err := v.Load(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		want := bulbs(t, q)
		if !slices.EqualFunc(got, want, func(a *bulb, b bulb) bool { return a.ID == b.ID && a.Name == b.Name && a.made == 1 }) {
			t.Fatalf("step %d: %v, want %v", step, got, want)
		}
	}
	for step := range 300 {
		tx, err := pool.BeginTx(ctx, pgx.TxOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + r.IntN(3) {
			var err error
			switch r.IntN(4) {
			case 0:
				_, err = tx.Exec(ctx, `insert into lamps (id, name, lit) select n, 'lamp ' || $2::int + n % 7, true from generate_series($1::int, $1::int + 150) n on conflict (id) do nothing`, r.IntN(200), r.IntN(50))
			case 1:
				_, err = tx.Exec(ctx, `update lamps set lit = not lit where id % 9 = $1`, r.IntN(9))
			case 2:
				_, err = tx.Exec(ctx, `update lamps set name = $2 where id = $1`, r.IntN(300), fmt.Sprint("lamp ", r.IntN(50)))
			default:
				_, err = tx.Exec(ctx, `delete from lamps where id % 50 = $1`, r.IntN(50))
			}
			if err != nil {
				t.Fatal(err)
			}
			same(step, tx)
		}
		end := tx.Commit
		if r.IntN(2) == 0 {
			end = tx.Rollback
		}
		if err := end(ctx); err != nil {
			t.Fatal(err)
		}
		same(step, pool)
	}
}

func bulbs(t *testing.T, q db.DB) []bulb {
	t.Helper()
	rows, err := q.Query(context.Background(), `select id, name from lamps where lit order by name collate "C", id`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (b bulb, err error) {
		err = row.Scan(&b.ID, &b.Name)
		return b, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
