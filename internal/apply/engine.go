package apply

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gateway/internal/apply/files"
	"gateway/internal/change"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/intent"
)

// EngineOptions are what the engine needs.
type EngineOptions struct {
	Daemons []daemon.Daemon
	Unseal  daemon.Unseal
	Pool    db.Pool
	Up      func() bool // the database answers and has our schema
	// Undo takes the rows of an unconfirmed change back.
	Undo     func(ctx context.Context, change string) error
	Units    unitSwitches
	Tree     files.Tree
	StateDir string // survives a reboot
	RunDir   string // does not
	Node     string
	Clock    Clock
	Log      *slog.Logger
	// At is told each step of a round; tests end the process there.
	At func(step string)
}

// Engine brings every managed component to what the database wants, and keeps it there.
type Engine struct {
	EngineOptions
	workers []*worker
	waiting confirming
	updates chan State
}

// NewEngine makes the engine without touching anything.
func NewEngine(o EngineOptions) *Engine {
	e := &Engine{EngineOptions: o, updates: make(chan State, 64)}
	e.Tree.At = e.at
	for _, d := range o.Daemons {
		e.workers = append(e.workers, newWorker(e, d))
	}
	return e
}

func (e *Engine) at(step string) {
	if e.At != nil {
		e.At(step)
	}
}

func (e *Engine) stateFile(name string) string { return filepath.Join(e.StateDir, name) }

// Run works until ctx ends. Boot has gone before.
func (e *Engine) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return e.announce(ctx) })
	g.Go(func() error { return e.watchConfirmation(ctx) })
	for _, w := range e.workers {
		g.Go(func() error { return w.loop(ctx) })
		if w.daemon.Background != nil {
			g.Go(func() error { return w.background(ctx) })
		}
	}
	return g.Wait()
}

// background keeps what a daemon does beside its rounds going. That it fails is no reason to stop
// all the others, and that it ends with us is no failure.
func (w *worker) background(ctx context.Context) error {
	for {
		err := w.daemon.Background(ctx, func() { w.askNow(ctx) })
		if err == nil || ctx.Err() != nil {
			return nil
		}
		w.Log.Error("background", "component", w.daemon.Name, "err", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookEvery):
		}
	}
}

// Notify makes a component look again, soon: it came from the database, so whoever
// changed it may be asking for it by themselves. Without a name it is all of them.
func (e *Engine) Notify(name string) {
	for _, w := range e.workers {
		if name == "" || name == w.daemon.Name {
			w.note()
		}
	}
}

// NotifyTable is Notify for all components whose files depend on a table.
func (e *Engine) NotifyTable(table string) {
	for _, w := range e.workers {
		if table == "" || w.daemon.DependsOn(table) || slices.Contains(w.daemon.Follows, table) {
			w.note()
		}
	}
}

// Sync brings one component up to date with everything committed before the call.
func (e *Engine) Sync(ctx context.Context, name string) (change.Applied, error) {
	for _, w := range e.workers {
		if w.daemon.Name == name {
			return w.ask(ctx), nil
		}
	}
	return change.Applied{}, fault.New(fault.Invalid, "there is no managed component %q", name)
}

// States is how every component stands.
func (e *Engine) States() []State {
	out := make([]State, len(e.workers))
	for i, w := range e.workers {
		out[i] = w.current()
	}
	return out
}

// Verb finds a privileged act of a component.
func (e *Engine) Verb(name, verb string) (daemon.Verb, bool) {
	for _, w := range e.workers {
		if v, ok := w.daemon.Verbs[verb]; ok && w.daemon.Name == name {
			return v, true
		}
	}
	return nil, false
}

// The stages of a round, in their order; a component rests in one of the last three.
const (
	Rendering  = "rendering"
	Checking   = "checking"
	Installing = "installing"
	Reloading  = "reloading"
	LiveStage  = intent.Live
	FailedIt   = intent.Failed
	Held       = "held" // an undone change's rows are not taken back yet, or an edited file is left alone
)

// State is how one component stands.
type State struct {
	Component  string           `json:"component" doc:"Name of the component, such as proxy or firewall"`
	Stage      string           `json:"stage" enum:"rendering,checking,installing,reloading,live,failed,held" doc:"Step the apply has reached; live: the daemon runs the configured files; failed: see error; held: not applied on purpose, since manual edits are kept or an unconfirmed change is being reverted"`
	Wanted     string           `json:"wanted" doc:"Hash of the configured files"`
	Installed  string           `json:"installed" doc:"Hash of the files on disk"`
	Observed   string           `json:"observed" doc:"Hash of the files the daemon has loaded; empty when unknown or when it is down"`
	Error      string           `json:"error" doc:"Why the last apply failed; empty if it did not"`
	ErrorWords *fault.Words     `json:"error_words,omitempty" doc:"The error for translations, where it is the gateway's own"`
	Off        []string         `json:"off" doc:"systemd units that the configuration switches off"`
	AllOff     bool             `json:"all_off" doc:"Whether these are all units of the component, so that the whole of it is switched off"`
	Problems   []daemon.Problem `json:"problems" doc:"What was skipped, and why"`
	Drift      []string         `json:"drift" doc:"Files edited manually, as last detected"`
	KeepEdits  bool             `json:"keep_edits" doc:"Whether such files are kept"`
	Since      time.Time        `json:"since" doc:"When it reached this stage"`
	Confirm    *Confirm         `json:"confirm,omitempty" doc:"The change that is reverted unless confirmed"`
}

// Confirm is a change that waits.
type Confirm struct {
	Change      string `json:"change" doc:"Id of the change that waits for confirmation"`
	SecondsLeft int    `json:"seconds_left" doc:"Seconds until it is reverted"`
}

// Channel tells gateway-api how components stand, as it changes.
const Channel = "gateway_apply"

// publish never waits: whoever watches asks for the whole state when they begin.
func (e *Engine) publish(s State) {
	select {
	case e.updates <- s:
	default:
	}
}

func (e *Engine) announce(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case s := <-e.updates:
			if !e.Up() {
				continue
			}
			short, cancel := context.WithTimeout(ctx, time.Second)
			// Only the name: the listener asks for the state, and gets the newest.
			if _, err := e.Pool.Exec(short, `select pg_notify($1, $2)`, Channel, s.Component); err != nil {
				e.Log.Debug("announce", "err", err)
			}
			cancel()
		}
	}
}
