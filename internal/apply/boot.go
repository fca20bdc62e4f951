package apply

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gateway/internal/apply/files"
	"gateway/internal/daemon"
)

// Boot makes the files on disk ones that passed their check, without the database and
// without touching a daemon: it runs before they start. What nobody confirmed does not
// survive it.
func (e *Engine) Boot(_ context.Context) error {
	var a armed
	ok, failed := e.loadState(e.armedFile(), &a)
	if ok {
		e.waiting.armed = &a
	}
	for _, w := range e.workers {
		if err := w.boot(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("boot %s: %w", w.daemon.Name, err))
		}
	}
	return errors.Join(failed, e.sweep(), e.undoAtBoot())
}

// loadState reads what was saved. What is damaged is as good as missing, but not a matter of
// course.
func (e *Engine) loadState(name string, v any) (bool, error) {
	_, damage, err := e.Tree.Read(name)
	if err != nil {
		return false, err
	}
	ok, err := e.Tree.Load(name, v)
	if err != nil || damage == files.Edited {
		e.Log.Error("a file of the applier is damaged and counts as missing", "file", name, "err", err)
	}
	return ok, nil
}

// Load makes one part run on its files, or on first where it has none yet, with nothing
// else up: the packet filter comes before the network.
func (e *Engine) Load(ctx context.Context, name string, first daemon.Rendering) error {
	for _, w := range e.workers {
		if w.daemon.Name != name {
			continue
		}
		r := w.installed
		if r.None() {
			r = first
		}
		return w.reload(ctx, daemon.Rendering{}, r)
	}
	return fmt.Errorf("there is no managed component %q", name)
}

// boot takes stock of one component, and mends its files from the last good ones.
func (w *worker) boot() error {
	if err := w.loadGood(); err != nil {
		return err
	}
	if err := w.loadKeepEdits(); err != nil {
		return err
	}
	found, whole, err := w.onDisk()
	if err != nil {
		return err
	}
	if !whole && w.keepEdits {
		found, whole = w.good, true
	}
	if !whole {
		w.Log.Warn("managed files are damaged; restoring the last good ones", "component", w.daemon.Name)
		w.setInstalled(found)
		if err := w.install(w.good, w.onDiskAlready); err != nil {
			return err
		}
		found = w.good
	}
	// Only what passed its check is ever put in place.
	w.good = w.good.Hashed()
	found = found.Sharing(w.good).Hashed()
	w.passed, w.shown = found.Hash(), found
	w.setInstalled(found)
	return nil
}

// onDisk reads the files that the last good rendering names. They may be newer than it:
// then they were installed, and the time did not suffice to say so.
func (w *worker) onDisk() (found daemon.Rendering, whole bool, err error) {
	whole, found.Units = true, w.good.Units
	for _, f := range w.good.Files {
		if err := w.Tree.Sweep(f.Path); err != nil {
			return found, false, err
		}
		var data []byte
		if w.Tree.AsWritten(f.Path, f.Mode, f.Group) {
			var damage files.Damage
			if data, damage, err = w.Tree.Read(f.Path); err != nil {
				return found, false, err
			}
			whole = whole && damage == files.Whole
		} else {
			whole = false
		}
		found.Files = append(found.Files, daemon.File{Path: f.Path, Group: f.Group, Mode: f.Mode, Data: data})
	}
	return found, whole, nil
}

// undoAtBoot goes back at once when a boot came between: whoever was to confirm may have
// been the one who pulled the plug.
func (e *Engine) undoAtBoot() error {
	a := e.waiting.armed
	if a == nil || a.Boot == e.Clock.Boot && !a.Undone {
		return nil
	}
	for _, w := range e.workers {
		before, ok := a.Before[w.daemon.Name]
		if !ok {
			continue
		}
		if err := w.undoAtBoot(before.Hashed()); err != nil {
			return err
		}
	}
	undone := *a
	undone.Undone = true
	return e.setArmed(&undone)
}

// undoAtBoot is restore without a daemon: the first look has it follow.
func (w *worker) undoAtBoot(before daemon.Rendering) error {
	if w.kept() {
		w.setUnits(before.Units)
		return nil
	}
	if err := w.install(before, w.onDiskAlready); err != nil {
		return err
	}
	w.passed = before.Hash()
	w.keep(before) // its daemon ran on it; a later boot without a database must not go by what was undone
	return nil
}

// sweep removes what a killed process left of its own.
func (e *Engine) sweep() error {
	if err := e.Tree.Sweep(e.armedFile()); err != nil {
		return err
	}
	entries, err := os.ReadDir(e.RunDir)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	var failed error
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "stage-") || strings.HasSuffix(entry.Name(), ".new") {
			failed = errors.Join(failed, os.RemoveAll(filepath.Join(e.RunDir, entry.Name())))
		}
	}
	return failed
}
