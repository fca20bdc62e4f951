package app_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/backup"
	"gateway/internal/backup/archive"
	"gateway/internal/backup/archive/archivetest"
	"gateway/internal/backup/dump"
	"gateway/internal/db"
	"gateway/tools/bar"
)

// archived is a node with rows, and an archive of it.
type archived struct {
	t       *testing.T
	app     *apptest.App
	keys    *backup.Keys
	own     archive.Opening
	schemas []db.Schema
	data    []byte
}

const archivePassphrase = "wooden battery horse 17"

func newArchived(t *testing.T) *archived {
	t.Helper()
	a, _ := apptest.Ready(t)
	n := &archived{t: t, app: a}
	fillAudit(t, a, 5000)
	path := filepath.Join(a.Config.StateDir, backup.KeyFile)
	var err error
	if n.keys, err = backup.OpenKeys(path); err == nil {
		err = n.keys.SetPassphrase(path, archivePassphrase)
	}
	n.must(err)
	n.own, err = n.keys.Opening()
	n.must(err)
	blueprint, err := app.Blueprint()
	n.must(err)
	n.schemas = blueprint.Schemas()
	var out bytes.Buffer
	n.must(n.write(&out))
	n.data = out.Bytes()
	return n
}

func (n *archived) must(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

// write writes an archive as the role of gateway-scheduler.
func (n *archived) write(to *bytes.Buffer) error {
	pool, err := db.Open(n.app.Config.Database)
	if err != nil {
		return err
	}
	defer pool.Close()
	files, err := backup.ReadFiles(n.app.Config.StateDir)
	if err != nil {
		return err
	}
	_, err = dump.Write(n.t.Context(), pool, to, dump.Backup{
		Header: archive.Header{Escrow: n.keys.Escrow(), About: archive.About{
			ID: db.NewID(), Product: "0.1.0", Host: "gw1.example.com", NodeID: "0123456789abcdef", Kind: "manual", Created: time.Now(),
		}},
		Keys: n.keys.Sealing(), Schemas: n.schemas, Files: files,
	})
	return err
}

const scratchName = "gt_scratch_of_archives"

// restore does what the library does of a restore: all but exchanging the databases.
func (n *archived) restore(data []byte, o archive.Opening) error {
	f := bytes.NewReader(data)
	if _, _, err := dump.Check(f, o, n.schemas); err != nil {
		return err
	}
	r, err := archive.NewReader(f, o)
	if err != nil {
		return err
	}
	defer r.Close()
	to := dump.Target{Admin: n.app.Pool.Config().ConnString(), Name: scratchName, Owner: db.OwnerRole}
	_, err = dump.Load(n.t.Context(), r, to, n.schemas, dump.Options{})
	return err
}

// state is all that a damaged archive must not change: rows, databases and files.
func (n *archived) state() map[string]string {
	n.t.Helper()
	all := map[string]string{}
	var out bytes.Buffer
	n.must(n.write(&out))
	_, sums, err := archive.Check(bytes.NewReader(out.Bytes()), n.own)
	n.must(err)
	for name, s := range sums.Tables {
		all["table "+name] = s.SHA256
	}
	databases, err := db.List[struct{ Name string }](n.t.Context(), n.app.Pool, `select datname from pg_database where datname = $1 or datname = current_database()`, scratchName)
	n.must(err)
	all["databases"] = fmt.Sprint(databases)
	for _, dir := range []string{n.app.Config.StateDir, "."} {
		n.must(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			content, err := os.ReadFile(path)
			all[path] = fmt.Sprintf("%x", sha256.Sum256(content))
			return err
		}))
	}
	if _, err := os.Lstat("/tmp/x"); err == nil {
		all["/tmp/x"] = "there"
	}
	return all
}

// seen is what became of the damaged ones.
type seen struct {
	taken, untyped    int
	slowest, slowRows time.Duration
	rows              int // that reached the database
}

func (n *archived) try(s *seen, kind string, data []byte, o archive.Opening, rows bool) {
	n.t.Helper()
	start := time.Now()
	err := n.restore(data, o)
	took := time.Since(start)
	switch {
	case err == nil:
		s.taken++
		n.t.Errorf("%s: it was taken", kind)
		n.must(dump.Drop(context.Background(), n.app.Pool.Config().ConnString(), scratchName))
	case !errors.Is(err, archive.ErrDamaged) && !errors.Is(err, archive.ErrForeign) && !errors.Is(err, archive.ErrNewer) && !errors.Is(err, archive.ErrKey):
		s.untyped++
		n.t.Errorf("%s: %v", kind, err)
	}
	if rows {
		s.rows++
		s.slowRows = max(s.slowRows, took)
	}
	s.slowest = max(s.slowest, took)
}

// fuzz tries mutants, and good archives with keys of others.
func (n *archived) fuzz(mutants, rows int) (s seen) {
	n.t.Helper()
	m := &archivetest.Mutants{Good: n.data, Parts: archivetest.Open(n.t, n.data, n.own), Keys: n.keys.Sealing(), Rand: rand.New(rand.NewPCG(19, 1))}
	kinds, last := archivetest.Kinds() // those that reach the database are the last ones, and take longer
	for i := range mutants {
		if i%10 == 0 {
			runtime.GC() // what the forger leaves is not what the reader takes
		}
		if i%50 == 0 {
			n.try(&s, "wrong key", n.data, strangers(n.t), false)
			continue
		}
		one := m.Make(n.t, i)
		if one.Rows && s.rows >= rows {
			one = m.Make(n.t, m.Rand.IntN(kinds-last))
		}
		n.try(&s, one.Kind, one.Data, n.own, one.Rows)
	}
	return s
}

// strangers is the key of another node.
func strangers(t *testing.T) archive.Opening {
	t.Helper()
	k, err := backup.OpenKeys(filepath.Join(t.TempDir(), backup.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	o, err := k.Opening()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// grown is by how much this process was larger during fn than before it, in MiB.
func grown(t *testing.T, fn func()) int {
	t.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak begins anew
		t.Fatal(err)
	}
	before := memoryOf(t, "self", "VmRSS")
	fn()
	return memoryOf(t, "self", "VmHWM") - before
}

// The fault that this is about: whoever can replace an archive gains nothing by it.
func TestBarOperations01DamagedArchives(t *testing.T) {
	n := newArchived(t)
	before := n.state()
	var s seen
	size := bar.Size(500, 10_000)
	rss := grown(t, func() { s = n.fuzz(size, bar.GateSize(6, 20, 200)) })
	var wrong error
	scrypt := grown(t, func() {
		h, err := archive.ReadHeader(bytes.NewReader(n.data))
		n.must(err)
		_, wrong = backup.FromPassphrase(h, "another passphrase")
	})
	diff := cmp.Diff(before, n.state())
	if diff != "" {
		t.Errorf("what there was is changed: %s", diff)
	}
	control := n.control()
	kinds, _ := archivetest.Kinds()
	figure := fmt.Sprintf("%d damaged archives of %d kinds: %d taken, %d refused without a reason, rows, databases and files unchanged: %t; slowest refusal %.2f s (%d that only the database finds: %.2f s), RSS %+d MiB; wrong passphrase refused: %t (%+d MiB, 64 of them scrypt's); control, a good one loads: %t",
		size, kinds+1, s.taken, s.untyped, diff == "", s.slowest.Seconds(), s.rows, s.slowRows.Seconds(), rss, errors.Is(wrong, backup.ErrPassphrase), scrypt, control)
	right := s.taken == 0 && s.untyped == 0 && diff == "" && rss <= 64 && errors.Is(wrong, backup.ErrPassphrase) && control
	bar.ReportTimed(t, "operations", 1, figure, "0 taken, nothing changed, refusal <= 2 s, RSS <= +64 MiB, the control loads", right, s.slowest <= 2*time.Second)
}

// control loads the good archive, with the node's key and with the passphrase, and compares the rows.
func (n *archived) control() bool {
	n.t.Helper()
	h, err := archive.ReadHeader(bytes.NewReader(n.data))
	n.must(err)
	escrow, err := backup.FromPassphrase(h, archivePassphrase)
	n.must(err)
	admin := n.app.Pool.Config().ConnString()
	for _, o := range []archive.Opening{n.own, escrow} {
		if err := n.restore(n.data, o); err != nil {
			n.t.Errorf("the control: %v", err)
			return false
		}
		n.must(dump.Drop(n.t.Context(), admin, scratchName))
	}
	return true
}

// What travels must not refer to what does not: it would not load.
func TestNothingThatTravelsRefersToWhatDoesNot(t *testing.T) {
	n := newArchived(t)
	to := dump.Target{Admin: n.app.Pool.Config().ConnString(), Name: scratchName, Owner: db.OwnerRole}
	r, err := archive.NewReader(bytes.NewReader(n.data), n.own)
	n.must(err)
	defer r.Close()
	_, err = dump.Load(t.Context(), r, to, n.schemas, dump.Options{})
	n.must(err)
	defer func() { n.must(dump.Drop(context.Background(), to.Admin, to.Name)) }()
	cfg, err := pgxpool.ParseConfig(to.Admin)
	n.must(err)
	cfg.ConnConfig.Database = to.Name
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	n.must(err)
	defer pool.Close()
	left := map[string]bool{}
	for _, name := range r.Manifest().Left {
		left[name] = true
	}
	refs, err := db.List[struct{ From, To string }](t.Context(), pool, `select conrelid::regclass::text, confrelid::regclass::text from pg_constraint where contype = 'f'`)
	n.must(err)
	for _, ref := range refs {
		if left[ref.To] && !left[ref.From] {
			t.Errorf("%s refers to %s, which no backup has", ref.From, ref.To)
		}
	}
	for _, name := range []string{"user_sessions", "alert_deliveries"} {
		if !left[name] {
			t.Errorf("%s is in the backup", name)
		}
	}
	if len(refs) == 0 || strings.Join(r.Manifest().Left, " ") == "" {
		t.Error("there is nothing to look at")
	}
	// All that the product had is there, and as it was.
	for _, table := range r.Manifest().Tables {
		// The number of the transaction that stored it is of the machine where that was.
		q := fmt.Sprintf(`select count(1), coalesce(md5(string_agg(x, '|' order by x collate "C")), '') from (select (to_jsonb(r) - '{transaction_id,stored_at}'::text[])::text x from %s r) all_rows`, table.Name)
		var was, is struct {
			n   int64
			sum string
		}
		n.must(n.app.Pool.QueryRow(t.Context(), q).Scan(&was.n, &was.sum))
		n.must(pool.QueryRow(t.Context(), q).Scan(&is.n, &is.sum))
		if was != is {
			t.Errorf("%s: %d rows, and %d before, or others", table.Name, is.n, was.n)
		}
	}
}
