package db_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/db/dbtest"
)

type lamp struct {
	Name string
	Lit  bool
}

func lampTable(t testing.TB) (db.Pool, *db.Versions[lamp]) {
	t.Helper()
	pool := dbtest.New(t, db.Schema{
		Tables: []db.Table{{Name: "lamps", Scope: db.History}},
		Migrations: fstest.MapFS{"0901_lamps.sql": {Data: []byte(
			"-- +goose Up\ncreate table lamps (id bigint primary key, name text not null, lit boolean not null);\n")}},
	})
	return pool, &db.Versions[lamp]{From: "lamps order by name, id", Table: "lamps", Columns: "name, lit"}
}

func plainly(t *testing.T, q db.DB) []lamp {
	t.Helper()
	all, err := db.List[lamp](context.Background(), q, `select name, lit from lamps order by name, id`)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Whatever is done to a table, also what is taken back, reading it both ways is the same.
func TestVersionsAreWhatIsThere(t *testing.T) {
	pool, v := lampTable(t)
	ctx := t.Context()
	r := rand.New(rand.NewPCG(1, 2))
	same := func(step int, q db.DB) {
		t.Helper()
		got, err := v.Load(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		want := plainly(t, q)
		if !slices.EqualFunc(got, want, func(a *lamp, b lamp) bool { return *a == b }) {
			t.Fatalf("step %d: %d rows, want %d, or others", step, len(got), len(want))
		}
	}
	for step := range 300 {
		tx, err := pool.BeginTx(ctx, pgx.TxOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + r.IntN(3) {
			id := r.IntN(20)
			var err error
			switch r.IntN(3) {
			case 0:
				_, err = tx.Exec(ctx, `insert into lamps (id, name, lit) values ($1, $2, false) on conflict (id) do update set name = excluded.name`, id, fmt.Sprint("lamp ", r.IntN(50)))
			case 1:
				_, err = tx.Exec(ctx, `update lamps set lit = not lit where id <= $1`, id)
			default:
				_, err = tx.Exec(ctx, `delete from lamps where id = $1`, id)
			}
			if err != nil {
				t.Fatal(err)
			}
			same(step, tx)
		}
		if r.IntN(2) == 0 {
			err = tx.Rollback(ctx)
		} else {
			err = tx.Commit(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		if step%40 == 39 { // places are used again
			if _, err := pool.Exec(ctx, `vacuum lamps`); err != nil {
				t.Fatal(err)
			}
		}
		same(step, pool)
	}
}
