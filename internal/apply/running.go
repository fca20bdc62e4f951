package apply

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gateway/internal/apply/files"
	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// process is what we last made a daemon run on. It holds as long as its units' processes
// do; it lives where no boot survives.
type process struct {
	Hash  string    `json:"hash"`
	Units []unitRun `json:"units,omitempty"`
	// Mark is for what has no process: the packet filter is in the kernel.
	Mark string `json:"mark,omitempty"`
}

func (p process) same(other process) bool {
	return p.Mark == other.Mark && slices.EqualFunc(p.Units, other.Units, unitRun.same)
}

func (w *worker) processFile() string { return filepath.Join(w.RunDir, w.daemon.Name+".running") }

// forget is durable against our own death, which is all that it must be.
func (w *worker) forget() error {
	if err := os.Remove(w.processFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget what %s runs on: %w", w.daemon.Name, err)
	}
	return nil
}

// remember is called when the daemon has taken r. One that is not up has not.
func (w *worker) remember(ctx context.Context, r daemon.Rendering) error {
	p, err := w.process(ctx, r)
	if err != nil {
		return err
	}
	p.Hash = r.Hash()
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	path := w.processFile()
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return fmt.Errorf("remember what %s runs on: %w", w.daemon.Name, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("remember what %s runs on: %w", w.daemon.Name, err)
	}
	w.show(func(s *State) { s.Observed = r.Hash() })
	return nil
}

// process is the daemon as it is now, where r is what it should run on. One that is down
// and should not be is an error, and so is the opposite.
func (w *worker) process(ctx context.Context, r daemon.Rendering) (process, error) {
	if w.daemon.Observe != nil {
		mark, err := w.daemon.Observe(ctx)
		if err == nil && mark == "" {
			err = fault.New(fault.Unavailable, "%s stopped after loading the new configuration", w.daemon.Name)
		}
		return process{Mark: mark}, err
	}
	runs, err := w.unitRuns(ctx, r)
	return process{Units: runs}, err
}

// observe is the hash of what the daemon runs on; empty when it is down or nobody knows.
// A daemon that was started after its files were installed has read them.
func (w *worker) observe(ctx context.Context) string {
	now, err := w.process(ctx, w.installed)
	if err != nil {
		return ""
	}
	var p process
	if data, err := os.ReadFile(w.processFile()); err == nil && json.Unmarshal(data, &p) == nil && p.same(now) {
		return p.Hash
	}
	if len(now.Units) > 0 && !slices.ContainsFunc(now.Units, func(u unitRun) bool { return u.PID != 0 && !w.readBy(u) }) {
		return w.installed.Hash()
	}
	return ""
}

// readBy reports whether a process was started after the files were installed.
func (w *worker) readBy(u unitRun) bool { return u.Started != nil && w.installedBefore(*u.Started) }

// installedBefore allows for the kernel's coarse clock, which stamps files a few
// milliseconds late at most: a daemon started within that is reloaded once too often.
func (w *worker) installedBefore(t time.Time) bool {
	for _, f := range w.installed.Files {
		info, err := os.Stat(filepath.Join(w.Tree.Root, f.Path))
		if err != nil || !info.ModTime().Add(20*time.Millisecond).Before(t) {
			return false
		}
	}
	return len(w.installed.Files) > 0
}

// damaged are the files that are not as we installed them: their text, mode, owner or group.
// Of those that nobody touched since they were last read, it asks the file system only.
func (w *worker) damaged() ([]string, error) {
	var paths []string
	for _, f := range w.installed.Files {
		if w.seen.Look(w.Tree, f.Path, w.Clock.Now()) {
			continue
		}
		whole, err := w.whole(f)
		if err != nil {
			return nil, err
		}
		if !whole {
			paths = append(paths, f.Path)
			w.seen.Forget(f.Path)
		}
	}
	return paths, nil
}

// whole reports whether a file is as it should be. One of another owner or mode is not read,
// since it may be that we cannot; to replace it we need not.
func (w *worker) whole(f daemon.File) (bool, error) {
	if !w.Tree.AsWritten(f.Path, f.Mode, f.Group) {
		return false, nil
	}
	data, damage, err := w.Tree.Read(f.Path)
	return err == nil && damage == files.Whole && bytes.Equal(data, f.Data), err
}

// inOrder reports whether files and daemon are as the last round left them.
func (w *worker) inOrder(ctx context.Context) bool {
	if w.installed.None() {
		return !w.Up() || w.known
	}
	damaged, err := w.damaged()
	if err != nil {
		w.Log.Error("apply", "component", w.daemon.Name, "err", err)
		return false
	}
	if len(damaged) > 0 && w.kept() {
		w.show(func(s *State) { s.Drift, s.Stage = damaged, Held })
		if err := w.followUnits(ctx, w.installed.Units); err != nil {
			w.Log.Error("apply", "component", w.daemon.Name, "err", err)
		}
		return true
	}
	if len(damaged) > 0 {
		w.ordered = time.Time{}
		w.Log.Warn("managed files were edited manually and are overwritten", "component", w.daemon.Name, "files", damaged)
		w.show(func(s *State) { s.Drift = damaged })
		return false
	}
	ok, was := w.observe(ctx) == w.installed.Hash(), !w.ordered.IsZero()
	if was && !ok {
		w.Log.Warn("the daemon no longer runs what is configured and is put right", "component", w.daemon.Name)
	}
	if w.ordered = (time.Time{}); ok {
		w.ordered = w.Clock.Now()
	}
	return ok
}
