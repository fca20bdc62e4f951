package componenttest

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"gateway/internal/apply"
	"gateway/internal/apply/files"
	"gateway/internal/change"
	"gateway/internal/daemon"
	"gateway/internal/intent"
)

// patience is for a round that does not end because its daemon does not.
const patience = 2 * time.Minute

// Sync has the engine bring the daemon to what is stored, and answers how that came out. The
// engine works only that long: nothing happens beside a test.
func (r *Rig) Sync() change.Applied {
	r.round.Lock()
	defer r.round.Unlock()
	if r.engine == nil {
		r.makeFolders()
		r.boot()
	}
	r.steps = nil
	ctx, stop := context.WithTimeout(r.T.Context(), patience)
	defer stop()
	r.stop = stop
	done := make(chan struct{})
	go func() { defer close(done); _ = r.engine.Run(ctx) }()
	came, err := r.asked(ctx)
	stop()
	<-done
	if err != nil {
		r.T.Error(err)
	}
	return came
}

// MustSync is Sync where the daemon is to take it, and nothing is to be left out.
func (r *Rig) MustSync() {
	r.T.Helper()
	if came := r.Sync(); came.State != intent.Live {
		r.T.Fatalf("the round came out as %+v", came)
	}
	for _, p := range r.Installed.Problems {
		r.T.Errorf("left out: %+v", p)
	}
}

// Restart starts the engine anew on the files that are there, as after a power cut.
func (r *Rig) Restart() {
	r.T.Helper()
	r.round.Lock()
	defer r.round.Unlock()
	r.boot()
}

// Forget is Restart where nobody knows what the daemon runs on.
func (r *Rig) Forget() {
	r.T.Helper()
	if err := os.Remove(filepath.Join(r.Root, "run", r.Daemon.Name+".running")); err != nil {
		r.T.Fatal(err)
	}
	r.Restart()
}

func (r *Rig) boot() {
	undo := r.runner(r.set(), nil)
	undo.Declare(r.Daemon.Name, r.Daemon.Tables)
	r.engine = apply.NewEngine(apply.EngineOptions{
		Daemons: []daemon.Daemon{r.watched()}, Unseal: r.Box.Unseal, Pool: r.Pool, Up: func() bool { return true }, Undo: undo.Undo,
		Units: r.Units, Tree: files.Tree{Root: r.Root, Group: func(string) (int, error) { return os.Getgid(), nil }}, StateDir: "/state", RunDir: filepath.Join(r.Root, "run"),
		Node: "node-1", Clock: apply.Clock{Now: time.Now, Boot: "first", Uptime: func() time.Duration { return 0 }}, Log: r.log(), At: r.at,
	})
	if err := r.engine.Boot(r.T.Context()); err != nil {
		r.T.Error(err)
	}
}

// watched is the daemon as the engine has it.
func (r *Rig) watched() daemon.Daemon {
	d := r.Daemon
	if d.Check != nil {
		d.Check = func(ctx context.Context, dir string) error { r.Checked++; return r.Daemon.Check(ctx, dir) }
	}
	d.Live = func(now daemon.Rendering) {
		r.Installed = now
		if r.Daemon.Live != nil {
			r.Daemon.Live(now)
		}
	}
	return d
}

// at is told each step of a round.
func (r *Rig) at(step string) {
	if r.steps = append(r.steps, step); len(r.steps) == r.killAt {
		r.killAt = 0
		r.stop()
		runtime.Goexit()
	}
}

// Steps are those of the last round, in their order.
func (r *Rig) Steps() []string { return slices.Clone(r.steps) }

// KillAt has the next round end at its nth step, from 1, as by a power cut. Restart goes on.
func (r *Rig) KillAt(nth int) { r.killAt = nth }

// OnDisk is a file without its seal. It is nil where there is none; one that is not whole
// fails the test.
func (r *Rig) OnDisk(path string) []byte {
	r.T.Helper()
	data, damage, err := files.Tree{Root: r.Root}.Read(path)
	if err != nil || damage == files.Edited {
		r.T.Errorf("%s is %s, %v", path, damage, err)
	}
	return data
}
