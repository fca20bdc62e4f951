package change_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
	"gateway/tools/bar"
)

var boxes = db.Schema{
	Tables: []db.Table{{Name: "boxes", Scope: db.Replicated}, {Name: "things", Scope: db.Replicated}, {Name: "safes", Scope: db.Replicated, Omit: []string{"code"}}},
	Migrations: fs.FS(fstest.MapFS{"0902_boxes.sql": {Data: []byte(`-- +goose Up
create table boxes (id uuid primary key, name text not null unique, size int not null default 1, tags text[] not null default '{}',
	revision int not null default 1, updated_at timestamptz);
create table things (id uuid primary key, box_id uuid not null references boxes on delete cascade, name text not null,
	revision int not null default 1, updated_at timestamptz);
create table safes (id uuid primary key, code text not null, revision int not null default 1, updated_at timestamptz);
`)}}),
}

type warehouse struct {
	*testing.T
	pool *pgxpool.Pool
	run  *change.Runner
	ctx  context.Context
}

func newWarehouse(t *testing.T) warehouse {
	pool := dbtest.New(t, change.Schema(), audit.Schema(), boxes)
	run := change.NewRunner(pool, audit.NewLog("node-1", time.Now), time.Now, nil, nil)
	run.Declare("box", boxes.Tables)
	return warehouse{t, pool, run, identity.With(context.Background(), identity.Identity{Email: "ann@example.com"})}
}

// do runs statements as one change and returns its id.
func (w warehouse) do(sql string, args ...any) string {
	w.Helper()
	ctx := intent.With(w.ctx, intent.Ask{})
	err := w.run.Run(ctx, change.Change{Component: "box", Action: "box.do"}, func(tx change.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return intent.Came(ctx).Change
}

func (w warehouse) revert(id string) error {
	_, err := w.run.Revert(w.ctx, id)
	return err
}

func (w warehouse) state() string {
	w.Helper()
	rows, err := w.pool.Query(w.ctx, `select format('%s %s %s;', name, size, tags) from boxes order by name`)
	if err != nil {
		w.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.Fatal(err)
	}
	return fmt.Sprint(lines)
}

func (w warehouse) is(want string) {
	w.Helper()
	if got := w.state(); got != want {
		w.Errorf("state %s, want %s", got, want)
	}
}

func (w warehouse) conflicts(err error) []change.Conflict {
	w.Helper()
	f, ok := fault.Of(err)
	if !ok || f.Code != "revert_conflict" {
		w.Fatalf("err = %v, want a conflict", err)
	}
	c, _ := f.Current.([]change.Conflict)
	return c
}

func TestEveryKindOfChangeCanBeReverted(t *testing.T) {
	w := newWarehouse(t)
	a := db.NewID()
	made := w.do(`insert into boxes (id, name, tags) values ($1, 'a', '{x,"y z"}')`, a)
	sized := w.do(`update boxes set size = 5, revision = revision + 1 where id = $1`, a)
	w.is(`[a 5 {x,"y z"};]`)
	if err := w.revert(sized); err != nil {
		t.Fatal(err)
	}
	w.is(`[a 1 {x,"y z"};]`)
	gone := w.do(`delete from boxes where id = $1`, a)
	w.is(`[]`)
	if err := w.revert(gone); err != nil {
		t.Fatal(err)
	}
	w.is(`[a 1 {x,"y z"};]`)
	if err := w.revert(made); err != nil {
		t.Fatal(err)
	}
	w.is(`[]`)
}

func TestARevertKeepsLaterChangesOfOtherFields(t *testing.T) {
	w := newWarehouse(t)
	a := db.NewID()
	w.do(`insert into boxes (id, name) values ($1, 'a')`, a)
	sized := w.do(`update boxes set size = 5 where id = $1`, a)
	w.do(`update boxes set name = 'b' where id = $1`, a)
	if err := w.revert(sized); err != nil {
		t.Fatal(err)
	}
	w.is(`[b 1 {};]`)
}

func TestARevertIsRefusedWhereALaterChangeTouchedTheSame(t *testing.T) {
	w := newWarehouse(t)
	a := db.NewID()
	made := w.do(`insert into boxes (id, name) values ($1, 'a')`, a)
	sized := w.do(`update boxes set size = 5 where id = $1`, a)
	w.do(`update boxes set size = 7 where id = $1`, a)
	c := w.conflicts(w.revert(sized))
	if len(c) != 1 || c[0].Field != "size" || string(c[0].Before) != "1" || string(c[0].After) != "5" || string(c[0].Current) != "7" {
		t.Errorf("conflicts %+v, want size 1, 5, 7", c)
	}
	w.conflicts(w.revert(made))
	w.is(`[a 7 {};]`)
}

func TestAValueThatCameBackIsALaterChangeToo(t *testing.T) {
	w := newWarehouse(t)
	a := db.NewID()
	w.do(`insert into boxes (id, name) values ($1, 'a')`, a)
	first := w.do(`update boxes set size = 5 where id = $1`, a)
	w.do(`update boxes set size = 7 where id = $1`, a)
	back := w.do(`update boxes set size = 5 where id = $1`, a)
	w.conflicts(w.revert(first))
	if err := w.revert(back); err != nil {
		t.Fatal(err)
	}
	w.is(`[a 7 {};]`)
}

func TestWhatWasUndoneDoesNotStandInTheWay(t *testing.T) {
	w := newWarehouse(t)
	a := db.NewID()
	w.do(`insert into boxes (id, name) values ($1, 'a')`, a)
	first := w.do(`update boxes set size = 5 where id = $1`, a)
	second := w.do(`update boxes set size = 7 where id = $1`, a)
	for _, id := range []string{second, first} {
		if err := w.revert(id); err != nil {
			t.Fatal(err)
		}
	}
	w.is(`[a 1 {};]`)
}

func TestARevertDoesNotTakeWhatWasMadeLaterAlong(t *testing.T) {
	w := newWarehouse(t)
	a := db.NewID()
	made := w.do(`insert into boxes (id, name) values ($1, 'a')`, a)
	w.do(`insert into things (id, box_id, name) values ($1, $2, 'ball')`, db.NewID(), a)
	w.conflicts(w.revert(made))
	w.is(`[a 1 {};]`)
}

func TestACascadeComesBackAsAWhole(t *testing.T) {
	w := newWarehouse(t)
	a := db.NewID()
	w.do(`insert into boxes (id, name) values ($1, 'a')`, a)
	w.do(`insert into things (id, box_id, name) values ($1, $2, 'ball')`, db.NewID(), a)
	gone := w.do(`delete from boxes where id = $1`, a)
	if err := w.revert(gone); err != nil {
		t.Fatal(err)
	}
	var things int
	if err := w.pool.QueryRow(w.ctx, `select count(*) from things`).Scan(&things); err != nil || things != 1 {
		t.Errorf("%d things (%v), want one", things, err)
	}
}

func TestWhatHeldASecretIsNotMadeAnew(t *testing.T) {
	w := newWarehouse(t)
	a := db.NewID()
	w.do(`insert into safes (id, code) values ($1, '1234')`, a)
	gone := w.do(`delete from safes where id = $1`, a)
	f, ok := fault.Of(w.revert(gone))
	if !ok || f.Code != "secrets_not_kept" {
		t.Errorf("err = %v, want secrets_not_kept", f)
	}
}

func TestARevertCanBeReverted(t *testing.T) {
	w := newWarehouse(t)
	made := w.do(`insert into boxes (id, name) values ($1, 'a')`, db.NewID())
	ctx := intent.With(w.ctx, intent.Ask{})
	if _, err := w.run.Revert(ctx, made); err != nil {
		t.Fatal(err)
	}
	if err := w.revert(intent.Came(ctx).Change); err != nil {
		t.Fatal(err)
	}
	w.is(`[a 1 {};]`)
}

// The model applies every change but the reverted one; where that gives another state than
// the revert, the revert overwrote something.
func TestBarEngine07RandomReverts(t *testing.T) {
	bar.NotShort(t)
	w := newWarehouse(t)
	r := rand.New(rand.NewPCG(7, 7))
	reverted, refused, overwritten, control := 0, 0, 0, 0
	for range bar.Size(3, 20) {
		if _, err := w.pool.Exec(w.ctx, `truncate boxes, things, changes cascade`); err != nil {
			t.Fatal(err)
		}
		h := w.history(r, 200)
		for range 40 {
			undone, over := h.revertOne(r)
			overwritten += over
			if undone {
				reverted++
			} else {
				refused++
			}
		}
		control += h.blind
	}
	figure := fmt.Sprintf("%d reverted with later changes kept, %d refused with all three states, %d overwritten; control: %d of the refused would have been", reverted, refused, overwritten, control)
	bar.Report(t, "engine", 7, figure, "0 overwritten", overwritten == 0 && reverted >= 20 && refused >= 20 && control > 0)
}

// history is a run of random changes, and what each of them did.
type history struct {
	warehouse
	edits []edit
	ids   []string // of the changes
	boxes []string
	blind int // refusals without which a later change would have been lost
}

type edit struct {
	box   string
	name  string // what is set: made, size or tags
	value string
}

func (w warehouse) history(r *rand.Rand, n int) *history {
	w.Helper()
	h := &history{warehouse: w}
	for i := range 25 {
		id := db.NewID()
		h.boxes = append(h.boxes, id)
		h.edits = append(h.edits, edit{id, "made", fmt.Sprint("box", i)})
		h.ids = append(h.ids, w.do(`insert into boxes (id, name) values ($1, $2)`, id, fmt.Sprint("box", i)))
	}
	for len(h.edits) < n {
		id := h.boxes[r.IntN(len(h.boxes))]
		if r.IntN(2) == 0 {
			size := r.IntN(1 << 30)
			h.edits = append(h.edits, edit{id, "size", fmt.Sprint(size)})
			h.ids = append(h.ids, w.do(`update boxes set size = $2 where id = $1`, id, size))
			continue
		}
		tag := fmt.Sprint(r.IntN(1 << 30))
		h.edits = append(h.edits, edit{id, "tags", "{" + tag + "}"})
		h.ids = append(h.ids, w.do(`update boxes set tags = $2 where id = $1`, id, []string{tag}))
	}
	return h
}

// without is the state that all changes but one make.
func (h *history) without(pick int) string {
	type box struct{ name, size, tags string }
	boxes := map[string]*box{}
	for i, e := range h.edits {
		switch {
		case i == pick:
		case e.name == "made":
			boxes[e.box] = &box{e.value, "1", "{}"}
		case boxes[e.box] == nil: // it was never made
		case e.name == "size":
			boxes[e.box].size = e.value
		default:
			boxes[e.box].tags = e.value
		}
	}
	var lines []string
	for _, b := range boxes {
		lines = append(lines, fmt.Sprintf("%s %s %s;", b.name, b.size, b.tags))
	}
	slices.Sort(lines)
	return fmt.Sprint(lines)
}

// revertOne undoes a random change and, if that was not refused, undoes the undoing.
func (h *history) revertOne(r *rand.Rand) (undone bool, overwritten int) {
	h.Helper()
	pick := r.IntN(len(h.edits))
	before := h.state()
	ctx := intent.With(h.ctx, intent.Ask{})
	if _, err := h.run.Revert(ctx, h.ids[pick]); err != nil {
		h.conflicts(err)
		if h.state() != before {
			h.Errorf("a refused revert changed the state: %v", err)
		}
		if h.without(pick) == before {
			h.blind++ // undoing it would have changed nothing that is its own
		}
		return false, 0
	}
	if got, want := h.state(), h.without(pick); got != want {
		h.Errorf("after the revert of %v: %s, without it: %s", h.edits[pick], got, want)
		overwritten++
	}
	if err := h.revert(intent.Came(ctx).Change); err != nil {
		h.Fatal(err)
	}
	return true, overwritten
}

// As a restore of a part of the history leaves one.
func TestAWaitingChangeWithoutRowsIsListedAndCanBeReverted(t *testing.T) {
	w := newWarehouse(t)
	id := w.do(`insert into boxes (id, name) values ($1, 'a')`, db.NewID())
	w.do(`insert into boxes (id, name) values ($1, 'b')`, db.NewID())
	for _, sql := range []string{`update changes set confirm_state = 'waiting', confirm_seconds = 60 where id = $1`, `delete from change_rows where change_id = $1`} {
		if _, err := w.pool.Exec(w.ctx, sql, id); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []change.Filter{{Waiting: true}, {}} {
		page, total, err := change.List(w.ctx, w.pool, f, 10, 0)
		if err != nil || int(total) != len(page) || !slices.ContainsFunc(page, func(r change.Record) bool { return r.ID == id }) {
			t.Errorf("with %+v: %+v, %d, %v; want the one that waits", f, page, total, err)
		}
	}
	if page, _, err := change.List(w.ctx, w.pool, change.Filter{Waiting: true, Table: "boxes"}, 10, 0); err != nil || len(page) != 0 {
		t.Errorf("of boxes: %+v, %v; want none, for it wrote none", page, err)
	}
	if err := w.revert(id); err != nil {
		t.Fatal(err)
	}
	if c, err := change.Get(w.ctx, w.pool, id); err != nil || *c.ConfirmState != change.Reverted {
		t.Errorf("%+v, %v; want its wait ended", c, err)
	}
	if f, ok := fault.Of(w.revert(id)); !ok || f.Code != "nothing_to_revert" {
		t.Errorf("once more: %v, want nothing_to_revert", f)
	}
}
