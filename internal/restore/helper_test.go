package restore_test

import (
	"context"
	"testing"
	"time"

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
