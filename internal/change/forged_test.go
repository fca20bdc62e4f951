package change_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gateway/internal/db"
)

// Whoever has a process's role sets the change to record under as they like. What was stored by
// somebody, some time, gets no rows any more.
func TestAnOldChangeGetsNoMoreRows(t *testing.T) {
	w := newWarehouse(t)
	old := w.do(`insert into boxes (id, name) values ($1, 'a')`, db.NewID())
	const write = `update boxes set size = 9`
	for name, tc := range map[string]struct {
		before []string // in the same transaction
		under  string
	}{
		"a change of somebody's":           {nil, old},
		"one that is written anew":         {[]string{`update changes set confirm_state = 'confirmed'`}, old},
		"one that there is not":            {nil, db.NewID()},
		"one that is written anew, within": {[]string{`savepoint s`, `update changes set confirm_state = null`}, old},
	} {
		t.Run(name, func(t *testing.T) {
			err := w.under(tc.under, append(tc.before, write)...)
			var pg *pgconn.PgError
			if !errors.As(err, &pg) || pg.Code != "GW001" {
				t.Errorf("err = %v, want the refusal of the trigger", err)
			}
		})
	}
	w.is(`[a 1 {};]`)
}

// A change that is loaded from elsewhere, or says itself which transaction made it, was made by the one that stored it.
func TestNobodySaysWhichTransactionMadeAChange(t *testing.T) {
	w := newWarehouse(t)
	w.do(`insert into boxes (id, name) values ($1, 'a')`, db.NewID())
	for name, before := range map[string]string{"inserted": `select 1`, "loaded": `set local session_replication_role = replica`} {
		t.Run(name, func(t *testing.T) {
			id := db.NewID()
			err := w.under(id, before, `insert into changes (id, component, action, subject, actor, created_at, transaction_id)
				select '`+id+`', 'box', 'box.do', '', 'bob', now(), (pg_current_xact_id()::text::bigint + n)::text::xid8 from (values (1)) v (n)`)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 { // of which one is the transaction that it names
				if err := w.under(id, `update boxes set size = 9`); err == nil {
					t.Error("rows were added to it")
				}
			}
		})
	}
}

// under runs statements as one transaction, as of the change with that id.
func (w warehouse) under(id string, statements ...string) error {
	w.Helper()
	return pgx.BeginFunc(w.ctx, w.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(w.ctx, `select set_config('gateway.change_id', $1, true)`, id); err != nil {
			return err
		}
		for _, q := range statements {
			if _, err := tx.Exec(w.ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
}
