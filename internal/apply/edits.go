package apply

import (
	"context"
	"errors"

	"gateway/internal/apply/files"
	"gateway/internal/fault"
)

// errKept ends a round that would overwrite what somebody wrote by hand and wants kept.
var errKept = errors.New("a managed file was edited manually and is kept")

var whyKept = fault.Said("a file was edited manually and is kept; turn that off for this component to install the configured files")

// bringUnits is the round of a component with kept edits: the units follow, the files do not.
// What waits for a confirmation is armed all the same, since its units and rows go back. A unit
// that does not follow is no reason to touch the files, so it is told of here.
func (w *worker) bringUnits(ctx context.Context, j job) error {
	if err := w.arm(ctx, j.due); err != nil {
		return err
	}
	var why fault.Sentence
	if err := w.followUnits(ctx, j.wanted.Units); err != nil {
		w.Log.Error("apply", "component", w.daemon.Name, "err", err)
		why = words(err)
	}
	w.show(func(s *State) { s.Stage, s.Error, s.ErrorWords = Held, why.Message, why.Beside() })
	return errKept
}

type edits struct {
	Keep bool `json:"keep"`
}

// setKeepEdits remembers the setting where a boot without a database finds it.
func (w *worker) setKeepEdits(keep bool) error {
	if keep == w.keepEdits {
		return nil
	}
	if err := w.Tree.Save(w.stateFile(w.daemon.Name+".edits"), edits{keep}); err != nil {
		return err
	}
	w.keepEdits = keep
	w.show(func(s *State) { s.KeepEdits = keep })
	return nil
}

func (w *worker) loadKeepEdits() error {
	var e edits
	if _, err := w.loadState(w.stateFile(w.daemon.Name+".edits"), &e); err != nil {
		return err
	}
	w.keepEdits = e.Keep
	w.show(func(s *State) { s.KeepEdits = e.Keep })
	return nil
}

// kept reports whether there are edits to be left alone. A missing file is no edit, and nor is
// another mode alone; one that cannot be read may be.
func (w *worker) kept() bool {
	if !w.keepEdits {
		return false
	}
	for _, f := range w.installed.Files {
		if _, damage, err := w.Tree.Read(f.Path); err != nil || damage == files.Edited {
			return true
		}
	}
	return false
}
