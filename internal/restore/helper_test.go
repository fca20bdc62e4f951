package restore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gateway/internal/audit"
	"gateway/internal/restore"
	"gateway/internal/sys"
)

// A step that hangs is ended: the node may be down while it does.
func TestEveryStepHasADeadline(t *testing.T) {
	seen := map[string]time.Duration{}
	h := &restore.Helpers{Run: func(ctx context.Context, c sys.Command) (sys.Result, error) {
		until, ok := ctx.Deadline()
		if !ok {
			t.Errorf("%s may take for ever", c.Args[1])
		}
		seen[c.Args[1]] = time.Until(until).Round(time.Minute)
		return sys.Result{Stdout: []byte(`{"names":{}}`)}, nil
	}}
	d, f := restore.RemoteDatabases{Helpers: h}, restore.RemoteFiles{Helpers: h}
	ctx := t.Context()
	_, err := d.Names(ctx)
	_, err2 := f.Render(ctx, restore.Restored)
	for _, err := range []error{
		err, err2, d.Carry(ctx, restore.Live, restore.Restored, restore.Note{}), d.Note(ctx, restore.Note{}), d.Swap(ctx), d.SwapBack(ctx), d.Drop(ctx, restore.Before),
		f.Forward(ctx), f.Back(ctx), f.Clean(ctx, restore.Plan{}), f.Tell(ctx, restore.State{}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	for op, want := range map[string]time.Duration{"render": 30, "carry": 5, "swap": 5, "swap-back": 5, "names": 1, "note": 1, "drop": 10, "forward": 1, "back": 1, "clean": 1, "tell": 1} {
		if seen[op] != want*time.Minute {
			t.Errorf("%s may take %s, want %d minutes", op, seen[op], want)
		}
	}
}

// What gateway-apply saw of the audit log decides about that of an archive. Only root can read it, and says it to the helper.
func TestTheAnchorsOfTheLogAreSaidToTheHelper(t *testing.T) {
	path := filepath.Join(t.TempDir(), audit.AnchorFile)
	var said struct{ Anchors []audit.Anchored }
	asked := 0
	h := &restore.Helpers{Anchors: path, Run: func(_ context.Context, c sys.Command) (sys.Result, error) {
		asked++
		said.Anchors = nil
		var out bytes.Buffer // how a helper reads it
		if err := (restore.Worker{}).Act(t.Context(), "none", bytes.NewReader(c.Stdin), &out); err != nil {
			return sys.Result{}, err
		}
		return sys.Result{Stdout: []byte(`{}`)}, json.Unmarshal(c.Stdin, &said)
	}}
	carry := func(to string) error {
		return restore.RemoteDatabases{Helpers: h}.Carry(t.Context(), restore.Live, to, restore.Note{})
	}
	if err := carry(restore.Restored); err != nil || len(said.Anchors) != 0 {
		t.Errorf("a node without anchors: %v, said %+v", err, said)
	}
	// Three days of one each five seconds.
	line := `{"node":"` + strings.Repeat("a", 32) + `","seq":1234567,"hash":"` + strings.Repeat("ab", 32) + `","at":"2026-03-20T12:00:00Z","days":365}` + "\n"
	const most = 3 * 24 * 60 * 12
	if err := os.WriteFile(path, []byte(strings.Repeat(line, most)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := carry(restore.Restored); err != nil || len(said.Anchors) != most {
		t.Errorf("%d anchors are said, %v", len(said.Anchors), err)
	}
	if err := carry(restore.Before); err != nil || len(said.Anchors) != 0 {
		t.Errorf("undoing: %v, %d anchors are said", err, len(said.Anchors))
	}
	asked = 0
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := carry(restore.Restored); err == nil || asked > 0 {
		t.Errorf("anchors that cannot be read: %v, asked %d times", err, asked)
	}
	if err := carry(restore.Before); err != nil {
		t.Errorf("they hold up the way back: %v", err)
	}
}
