package apply

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"gateway/internal/apply/files"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/identity"
	"gateway/internal/sys"
	"gateway/tools/bar"
)

// steps are four components, each after the one behind it in the list.
var steps = []string{"first", "second", "third", "fourth"}

var stones = db.Schema{
	Tables:     []db.Table{{Name: "stones", Scope: db.Replicated}},
	Migrations: fs.FS(fstest.MapFS{"0902_stones.sql": {Data: []byte("-- +goose Up\ncreate table stones (id uuid primary key, word text not null);\n")}}),
}

func loadStones(ctx context.Context, q db.DB, _ daemon.Unseal) ([]string, error) {
	rows, err := db.List[struct{ Word string }](ctx, q, `select word from stones order by word`)
	words := make([]string, len(rows))
	for i, r := range rows {
		words[i] = r.Word
	}
	return words, err
}

// stepDaemons read the same table. Each says in a common journal what it was made to run on.
func stepDaemons(root string, ordered bool) []daemon.Daemon {
	var out []daemon.Daemon
	for i, name := range steps {
		path := "/etc/" + name
		d := daemon.Daemon{
			Config: daemon.Config{Name: name, Reads: []string{"stones"}, Source: daemon.Steps[[]string]{
				Load: loadStones,
				Render: func(words []string) (daemon.Rendering, error) {
					return daemon.Rendering{Files: []daemon.File{{Path: path, Mode: 0o644, Data: []byte(strings.Join(words, "\n") + "\n")}}}, nil
				},
			}},
			Units: []string{name + ".service"},
			Apply: func(_ context.Context, _, now daemon.Rendering) error {
				<-time.After(rand.N(15 * time.Millisecond)) // as a daemon does
				return journal(root, name, now.File(path))
			},
		}
		if ordered && i+1 < len(steps) {
			d.After = steps[i+1:]
		}
		out = append(out, d)
	}
	return out
}

func journal(root, name string, words []byte) error {
	f, err := os.OpenFile(filepath.Join(root, "journal"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s %s\n", name, strings.Join(strings.Fields(string(words)), " "))
	return err
}

// alwaysUp are units that run, each with the same process all along.
type alwaysUp struct{ lampd }

func (*alwaysUp) States(_ context.Context, names []string) ([]sys.UnitState, error) {
	out := make([]sys.UnitState, len(names))
	for i, name := range names {
		out[i] = sys.UnitState{Name: name, ActiveState: "active", MainPID: 1, StartedAt: &time.Time{}}
	}
	return out, nil
}

const stepEnv = "GATEWAY_TEST_STEPS"

// TestStepsProcess is no test: it is the applier that TestBarCarry06Order kills.
func TestStepsProcess(t *testing.T) {
	dsn, root, ok := strings.Cut(os.Getenv(stepEnv), " ")
	if !ok {
		t.Skip("only as the process of another test")
	}
	pool, err := db.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	yes := func() bool { return true }
	e := NewEngine(EngineOptions{
		Daemons: stepDaemons(root, os.Getenv("GATEWAY_TEST_UNORDERED") == ""), Pool: pool, Up: yes, Units: &alwaysUp{}, Tree: files.Tree{Root: root},
		StateDir: "/state", RunDir: filepath.Join(root, "run"), Node: "node-1",
		Clock: Clock{Now: time.Now, Boot: "first", Uptime: func() time.Duration { return time.Minute }}, Log: slog.New(slog.DiscardHandler),
		Undo: func(context.Context, string) error { return nil },
	})
	if err := e.Boot(t.Context()); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = (&db.Listener{Pool: pool, Ready: yes, Log: slog.New(slog.DiscardHandler), Handlers: map[string]func(context.Context, string){
			change.RowsChannel: func(_ context.Context, table string) { e.NotifyTable(table) },
		}}).Run(t.Context())
	}()
	_ = e.Run(t.Context())
}

// walked is what came of changes that concern all four.
type walked struct {
	wrong       int // changes that a component had before one that it comes after
	kills, hits int // of the applier, and those that ended its work on a change that was not live everywhere
}

// walk makes changes that concern all four, and kills the applier now and then in the middle of one.
func walk(t *testing.T, n int, ordered bool) (w walked) {
	root, dsn := t.TempDir(), dbtest.DSN(t, change.Schema(), audit.Schema(), stones)
	for _, dir := range []string{"etc", "state", "run"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	pool, err := db.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	run := change.NewRunner(pool, audit.NewLog("node-1", time.Now), time.Now, daemon.Set{Configs: daemon.Configs(stepDaemons(root, ordered))}, nil)
	ctx := identity.With(t.Context(), identity.Identity{Email: "ann@example.com"})
	applier := startSteps(t, dsn, root, ordered)
	for i := range n {
		word := fmt.Sprintf("stone-%04d", i)
		err := run.Run(ctx, change.Change{Component: "stone", Action: "stone.create", Subject: word}, func(tx change.Tx) error {
			_, err := tx.Exec(ctx, `insert into stones (id, word) values ($1, $2)`, db.NewID(), word)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 2 { // between the first file that it writes and the end
			begins(t, root, word)
			<-time.After(rand.N(roundsTake))
			_ = applier.Process.Signal(syscall.SIGKILL)
			_ = applier.Wait()
			w.kills++
			if notLive(t, pool) > 0 {
				w.hits++
			}
			applier = startSteps(t, dsn, root, ordered)
		}
		waitFor(t, pool, root, word)
	}
	_ = applier.Process.Kill()
	_ = applier.Wait()
	w.wrong = outOfOrder(t, root, n)
	return w
}

// roundsTake is about how long four rounds take, one after the other.
const roundsTake = 80 * time.Millisecond

// begins waits until the first file has the word, whosever it is.
func begins(t *testing.T, root, word string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; <-time.After(time.Millisecond) {
		for _, name := range steps {
			if data, err := os.ReadFile(filepath.Join(root, "etc", name)); err == nil && strings.Contains(string(data), word) {
				return
			}
		}
		if time.Now().After(end) {
			t.Fatalf("nobody began with %s", word)
		}
	}
}

// notLive is how many components still lack a change.
func notLive(t *testing.T, pool db.DB) (n int) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), `select count(*) from change_applies where state <> 'live'`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func startSteps(t *testing.T, dsn, root string, ordered bool) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestStepsProcess$")
	c.Env = append(os.Environ(), stepEnv+"="+dsn+" "+root)
	if !ordered {
		c.Env = append(c.Env, "GATEWAY_TEST_UNORDERED=1")
	}
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

func journalOf(t *testing.T, root string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "journal"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

func waitFor(t *testing.T, pool db.DB, root, word string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; <-time.After(20 * time.Millisecond) {
		if notLive(t, pool) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s did not reach all of them: %v", word, journalOf(t, root))
		}
	}
}

// outOfOrder counts the changes that did not reach the components from the last to the first.
func outOfOrder(t *testing.T, root string, n int) (wrong int) {
	lines := journalOf(t, root)
	reached := func(name, word string) int {
		return slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, name+" ") && strings.Contains(l, word) })
	}
	for i := range n {
		word, last := fmt.Sprintf("stone-%04d", i), -1
		for _, name := range slices.Backward(steps) {
			at := reached(name, word)
			if at <= last {
				wrong++
				break
			}
			last = at
		}
	}
	return wrong
}

// One change over four components reaches them in their order, also when the applier is killed in the middle.
func TestBarCarry06Order(t *testing.T) {
	bar.NotShort(t)
	n := bar.GateSize(9, 30, 300)
	came, control := walk(t, n, true), walk(t, 6, false)
	figure := fmt.Sprintf("%d of %d changes over 4 components made for this out of order, %d of %d kills hit a round; control without After: %d of 6",
		came.wrong, n, came.hits, came.kills, control.wrong)
	bar.Report(t, "carry", 6, figure, "0, half of the kills, control > 0", came.wrong == 0 && came.kills > 0 && 2*came.hits >= came.kills && control.wrong > 0)
}
