package apply

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gateway/internal/daemon"
)

// check has the daemon judge what it did not run on before.
func (w *worker) check(ctx context.Context, r daemon.Rendering) error {
	hash := r.Hash()
	if hash == w.passed || hash == w.good.Hash() {
		return nil
	}
	w.stage(Checking)
	plain := w.daemon.Check == nil || len(r.Files) == 0 || w.daemon.Plain != nil && w.installed.Hash() == w.passed && w.passed != "" && w.daemon.Plain(w.installed, r)
	if !plain {
		if err := w.judge(ctx, r); err != nil {
			return err
		}
	}
	w.passed = hash
	w.at("checked")
	return nil
}

func (w *worker) judge(ctx context.Context, r daemon.Rendering) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	dir := w.stageDir()
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("stage %s: %w", w.daemon.Name, err)
	}
	defer w.unstage()
	if err := r.Stage(dir); err != nil {
		return err
	}
	if err := w.daemon.Check(ctx, dir); err != nil {
		return fmt.Errorf("check %s: %w", w.daemon.Name, err)
	}
	return nil
}

// stageDir is one folder for all checks of a component: what one cannot remove, the next does.
func (w *worker) stageDir() string { return filepath.Join(w.RunDir, "stage-"+w.daemon.Name) }

// unstage is tried again at every look, so an error is not the end of it.
func (w *worker) unstage() {
	if err := os.RemoveAll(w.stageDir()); err != nil {
		w.Log.Warn("apply", "component", w.daemon.Name, "err", err)
	}
}

// replace installs r and makes the daemon run on it; if it does not, all is as before.
func (w *worker) replace(ctx context.Context, r daemon.Rendering, damaged []string) error {
	before := w.installed
	running := daemon.Rendering{}
	if before.Hash() != "" && (w.lately() || w.observe(ctx) == before.Hash()) {
		running = before
	}
	w.ordered = time.Time{}
	w.stage(Installing)
	err := w.install(r, func(f daemon.File) bool {
		return !slices.Contains(damaged, f.Path) && before.Same(f)
	})
	if err == nil {
		w.stage(Reloading)
		err = w.reload(ctx, running, r)
	}
	if err == nil {
		w.ordered = w.Clock.Now()
		w.keep(r)
		return nil
	}
	return errors.Join(err, w.restore(ctx, before))
}

// lately reports whether all was found in order so short a time ago that looking again
// would only cost time. A daemon that restarted since has read the files that are installed.
func (w *worker) lately() bool { return w.Clock.Now().Sub(w.ordered) < 2*lookEvery }

// restore goes back to what was there, as far as that is known. Nothing known is not
// nothing there: what passed its check is better than no file at all. An edit that is kept
// was neither installed by us nor is it ours to undo: then it is the units that go back.
func (w *worker) restore(ctx context.Context, before daemon.Rendering) error {
	w.ordered = time.Time{}
	if before.None() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reloadTime)
	defer cancel()
	if w.kept() {
		return w.followUnits(ctx, before.Units)
	}
	if err := w.install(before, w.onDiskAlready); err != nil {
		return fmt.Errorf("put %s back: %w", w.daemon.Name, err)
	}
	if err := w.reload(ctx, daemon.Rendering{}, before); err != nil {
		return fmt.Errorf("put %s back: %w", w.daemon.Name, err)
	}
	if w.good.Hash() != before.Hash() { // else the next boot would go by what was undone
		w.keep(before)
	}
	return nil
}

// onDiskAlready reports whether a file need not be written.
func (w *worker) onDiskAlready(f daemon.File) bool {
	whole, err := w.whole(f)
	return err == nil && whole
}

// install writes what is not there, and removes what is no longer wanted.
func (w *worker) install(r daemon.Rendering, there func(daemon.File) bool) error {
	for _, f := range r.Files {
		if there(f) {
			continue
		}
		if err := w.Tree.WriteFor(f.Path, f.Data, f.Mode, f.Group); err != nil {
			return err
		}
	}
	for _, f := range w.installed.Files {
		if !r.Has(f.Path) {
			if err := w.Tree.Remove(f.Path); err != nil {
				return err
			}
		}
	}
	w.setInstalled(r)
	return nil
}

func (w *worker) setInstalled(r daemon.Rendering) {
	w.installed = r
	_, undoing := w.waiting.current()
	w.show(func(s *State) {
		s.Installed, w.before = r.Hash(), r
		// What is wanted is in the database, but for a change whose rows are still to be undone.
		if undoing || !w.known {
			s.Off, s.AllOff = switchedOff(r)
		}
	})
}

func (w *worker) reload(ctx context.Context, running, r daemon.Rendering) error {
	if r.None() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reloadTime)
	defer cancel()
	// From here on nobody knows what the daemon runs on, until it has said so.
	if err := w.forget(); err != nil {
		return err
	}
	w.at("reload_sent")
	if err := w.switchUnits(ctx, r); err != nil {
		return err
	}
	if !w.staysUp(running, r) {
		running = daemon.Rendering{} // what was down runs on nothing
	}
	if !r.Off() {
		if err := w.daemon.Apply(ctx, running, r); err != nil {
			return fmt.Errorf("reload %s: %w", w.daemon.Name, err)
		}
		if err := w.startNew(ctx, running, r); err != nil {
			return err
		}
	}
	w.at("reload_ok")
	return w.remember(ctx, r)
}
