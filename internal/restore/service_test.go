package restore_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/fault"
	"gateway/internal/restore"
)

// unit is gateway-apply, whose unit takes a while until it tells anything.
type unit struct {
	started atomic.Int32
	fails   error
}

func (u *unit) StartJob(context.Context, string, string) error {
	u.started.Add(1)
	return u.fails
}

// Of two restores that are asked for within a moment one begins, and who asked for the other one is told.
func TestOneRestoreBeginsAtATime(t *testing.T) {
	dir, now, u := t.TempDir(), time.Now(), &unit{}
	if err := os.Mkdir(filepath.Join(dir, "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	const id, other = "0198c0de-0000-7000-8000-000000000001", "0198c0de-0000-7000-8000-000000000002"
	for _, one := range []string{id, other} {
		if err := os.WriteFile(filepath.Join(dir, restore.ArchivePath(one)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &restore.Service{Dir: dir, Applier: u, Now: func() time.Time { return now }}
	start := func(which string) error {
		_, err := s.Start(t.Context(), which, restore.Options{})
		return err
	}
	refused := func(when string, err error) {
		t.Helper()
		if f, ok := fault.Of(err); !ok || f.Kind != fault.Conflict || f.Code != "restore_running" {
			t.Errorf("%s: %v, want it refused", when, err)
		}
	}
	begins := func(when string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	tell := func(state restore.State) {
		t.Helper()
		data, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, restore.StateFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	u.fails = errors.New("gateway-apply is not there")
	if err := start(id); err == nil {
		t.Error("it began though nobody began it")
	}
	u.fails = nil
	var all sync.WaitGroup
	var begun atomic.Int32
	for n := range 10 {
		all.Go(func() {
			if err := start([]string{id, other}[n%2]); err == nil {
				begun.Add(1)
			} else {
				refused("at once", err)
			}
		})
	}
	all.Wait()
	if begun.Load() != 1 || u.started.Load() != 2 {
		t.Errorf("%d of ten began, %d were started", begun.Load(), u.started.Load())
	}
	refused("the same one", start(id))

	// It told that it was refused: the next one need not wait.
	now = now.Add(time.Second)
	tell(restore.NotBegun(id, now, errors.New("no")))
	now = now.Add(time.Second)
	begins("after it was refused", start(other))

	// One that never tells anything hinders nobody for long; nor does a clock that was set back.
	now = now.Add(time.Second)
	refused("a second later", start(id))
	now = now.Add(time.Minute)
	begins("after a minute", start(id))
	now = now.Add(-24 * time.Hour)
	begins("on the day before", start(other))
	tell(restore.Begun(other, now))
	refused("while it runs", start(id))
}
