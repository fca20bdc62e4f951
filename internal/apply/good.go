package apply

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gateway/internal/apply/files"
	"gateway/internal/daemon"
)

// kept is the list of the last good files. Their contents lie beside it, each under its
// hash, so that one renewed certificate of ten thousand costs one small file.
type kept struct {
	Files []keptFile    `json:"files"`
	Units []daemon.Unit `json:"units,omitempty"`
}

type keptFile struct {
	Path  string      `json:"path"`
	Group string      `json:"group,omitempty"`
	Mode  fs.FileMode `json:"mode"`
	Sum   string      `json:"sum"`
	Long  bool        `json:"long,omitempty"`
}

func (w *worker) goodFile() string { return w.stateFile(w.daemon.Name + ".good") }

func (w *worker) goodDir() string { return w.stateFile(w.daemon.Name + ".files") }

// keep makes r the one to fall back on. The daemon runs on it, so a full disk here is no
// failure of the change; it is tried again at every look.
func (w *worker) keep(r daemon.Rendering) {
	w.good = r
	err := w.saveGood(r)
	if w.unkept = err != nil; w.unkept {
		w.Log.Error("keep the last good files", "component", w.daemon.Name, "err", err)
		return
	}
	w.at("lkg_written")
}

// saveGood writes what is not there, then the list, then removes what is not in it.
func (w *worker) saveGood(r daemon.Rendering) error {
	if err := os.MkdirAll(filepath.Join(w.Tree.Root, w.goodDir()), 0o700); err != nil {
		return fmt.Errorf("keep the files of %s: %w", w.daemon.Name, err)
	}
	list := kept{Files: make([]keptFile, len(r.Files)), Units: r.Units}
	wanted := map[string]bool{}
	for i, f := range r.Files {
		sum := sha256Of(f.Data)
		list.Files[i], wanted[sum] = keptFile{f.Path, f.Group, f.Mode, sum, f.Long}, true
		if w.blobs[sum] {
			continue
		}
		if err := w.Tree.Write(filepath.Join(w.goodDir(), sum), f.Data, 0o600); err != nil {
			return err
		}
		w.blobs[sum] = true
	}
	if err := w.Tree.Save(w.goodFile(), list); err != nil {
		return err
	}
	return w.forgetBlobs(wanted)
}

func (w *worker) forgetBlobs(wanted map[string]bool) error {
	for sum := range w.blobs {
		if wanted[sum] {
			continue
		}
		err := os.Remove(filepath.Join(w.Tree.Root, w.goodDir(), sum))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget a file of %s: %w", w.daemon.Name, err)
		}
		delete(w.blobs, sum)
	}
	return nil
}

// loadGood reads what keep left. Where a part of it is damaged there is nothing to fall
// back on: half a configuration is none.
func (w *worker) loadGood() error {
	if err := w.Tree.Sweep(w.goodFile()); err != nil {
		return err
	}
	var list kept
	if ok, err := w.loadState(w.goodFile(), &list); err != nil {
		return err
	} else if !ok {
		return w.sweepBlobs()
	}
	r := daemon.Rendering{Files: make([]daemon.File, len(list.Files)), Units: list.Units}
	for i, f := range list.Files {
		data, damage, err := w.Tree.Read(filepath.Join(w.goodDir(), f.Sum))
		if err != nil {
			return err
		}
		if damage != files.Whole {
			w.Log.Warn("the last good files are damaged", "component", w.daemon.Name)
			return w.sweepBlobs()
		}
		r.Files[i] = daemon.File{Path: f.Path, Group: f.Group, Mode: f.Mode, Data: data, Long: f.Long}
		w.blobs[f.Sum] = true
	}
	w.good = r
	return w.sweepBlobs()
}

// sweepBlobs removes what a killed process left.
func (w *worker) sweepBlobs() error {
	return w.sweepFolder(w.goodDir(), func(name string) bool { return w.blobs[name] })
}

// tidy removes what is in the component's own folders and not installed: a file that a
// killed process put there before it could say so.
func (w *worker) tidy() {
	for _, dir := range w.daemon.Folders {
		err := w.sweepFolder(dir, func(name string) bool { return w.installed.Has(filepath.Join(dir, name)) })
		if err != nil {
			w.Log.Warn("apply", "component", w.daemon.Name, "err", err)
			return
		}
	}
	w.tidied = true
}

func (w *worker) sweepFolder(dir string, stays func(name string) bool) error {
	path := filepath.Join(w.Tree.Root, dir)
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep %s: %w", dir, err)
	}
	var failed error
	for _, e := range entries {
		if !e.IsDir() && !stays(e.Name()) {
			failed = errors.Join(failed, os.Remove(filepath.Join(path, e.Name())))
		}
	}
	return failed
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
