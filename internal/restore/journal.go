package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gateway/internal/fault"
	"gateway/internal/secret/privatefile"
)

// The names of the databases.
const (
	Live     = "gateway"
	Restored = "gateway_restored" // filled from the archive, not yet live
	Before   = "gateway_before"   // the old one, until the new one is confirmed
	Verified = "gateway_verify"   // only ever looked into
)

// phase is how far a restore is; what each does is in Job.
type phase string

const (
	loading    phase = "loading"
	switching  phase = "switching"
	waiting    phase = "waiting"
	undoing    phase = "undoing"
	discarding phase = "discarding"
	keeping    phase = "keeping"
	over       phase = "over"
)

// Entry is what the journal keeps of the restore under way.
type Entry struct {
	Plan    Plan            `json:"plan"`
	Phase   phase           `json:"phase"`
	Boot    string          `json:"boot"`
	Started time.Time       `json:"started"`
	Until   time.Duration   `json:"until,omitempty"` // time since boot; it is in the journal before the databases are exchanged
	Stopped bool            `json:"stopped,omitempty"`
	Undone  bool            `json:"undone,omitempty"` // the new state was live
	Asked   bool            `json:"asked,omitempty"`  // an operator wants it undone
	Error   *fault.Sentence `json:"error,omitempty"`
	Steps   []Step          `json:"steps"`
	Blocked bool            `json:"-"` // see State
}

// order is how the steps follow each other.
var order = []string{"check", "load", "render", "stop", "files", "swap", "start", "apply", "confirm", "clean_up"}

func (e *Entry) result() string {
	switch {
	case e.Phase == keeping:
		return Confirmed
	case e.Undone:
		return Undone
	default:
		return Refused
	}
}

// state is what operators see.
func (e *Entry) state(c Clock) State {
	s := State{Backup: e.Plan.ID, Started: &e.Started, Error: e.Error, Steps: []Step{}, Blocked: e.Blocked}
	for _, code := range order {
		i := slices.IndexFunc(e.Steps, func(d Step) bool { return d.Code == code })
		if i < 0 {
			s.Steps = append(s.Steps, Step{Code: code, State: Waiting})
			continue
		}
		s.Steps = append(s.Steps, e.Steps[i])
		if e.Steps[i].State == Running || s.Step == "" || e.Steps[i].Started.After(lastStart(s)) {
			s.Step = code
		}
	}
	if e.Phase == waiting {
		until := c.Now().Add(max(0, e.Until-c.Uptime())).UTC().Truncate(time.Second)
		s.ConfirmUntil = &until
	}
	return s
}

// lastStart is when the step that is shown began.
func lastStart(s State) time.Time {
	for _, d := range s.Steps {
		if d.Code == s.Step && d.Started != nil {
			return *d.Started
		}
	}
	return time.Time{}
}

// Journal is the file that says how to go on. Only root reads and writes it.
type Journal struct {
	Path string
	// Save is how it is written; nil for privatefile.Replace. Tests have a disk that is full.
	Save func(path string, data []byte, mode fs.FileMode) error
}

// Read returns nil when no restore is under way.
func (f *Journal) Read() (*Entry, error) {
	data, err := privatefile.Read(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal of the restore: %w", err)
	}
	var e Entry
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, fmt.Errorf("read the journal of the restore: %w", err)
	}
	return &e, nil
}

// Write makes it durable before anything of what it says is done.
func (f *Journal) Write(e *Entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return err
	}
	save := f.Save
	if save == nil {
		save = privatefile.Replace
	}
	return save(f.Path, data, 0o600)
}

// Remove ends the restore.
func (f *Journal) Remove() error {
	if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return privatefile.SyncDir(filepath.Dir(f.Path))
}

// work is a step that operators see.
type work struct {
	code string
	do   func(context.Context) error
}

func (j *Job) steps(ctx context.Context, all []work) error {
	for _, w := range all {
		if err := j.step(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

func (j *Job) step(ctx context.Context, w work) error {
	j.mark(ctx, w.code, Running)
	j.at(w.code)
	if err := w.do(ctx); err != nil {
		j.mark(ctx, w.code, Failed)
		return err
	}
	j.at(w.code + " done")
	j.mark(ctx, w.code, Done)
	return nil
}

// mark tells how a step stands. It is for people: the journal keeps it with the next phase.
func (j *Job) mark(ctx context.Context, code, state string) {
	now := j.Clock.Now().UTC()
	i := slices.IndexFunc(j.entry.Steps, func(d Step) bool { return d.Code == code })
	if i < 0 {
		j.entry.Steps = append(j.entry.Steps, Step{Code: code})
		i = len(j.entry.Steps) - 1
	}
	d := &j.entry.Steps[i]
	if d.State = state; state == Running {
		d.Started, d.Finished = &now, nil
	} else {
		d.Finished = &now
	}
	j.tell(ctx, j.entry.state(j.Clock))
}

// save makes the journal durable, and then tells. On the way back it goes on without: on a full disk the node would stay
// between the states, and going back is what makes room. Whoever resumes by the old entry comes to the same end, by the
// names of the databases.
func (j *Job) save(ctx context.Context) error {
	err := j.Journal.Write(j.entry)
	if err != nil {
		err = fmt.Errorf("write the journal of the restore: %w", err)
		if j.entry.Phase != undoing && j.entry.Phase != discarding {
			return err
		}
		j.Log.Error("going back without it", "err", err)
	}
	j.at("phase " + string(j.entry.Phase))
	j.tell(ctx, j.entry.state(j.Clock))
	return nil
}

// tell is for people: a restore does not fail because nobody can be told. It answers whether they were.
func (j *Job) tell(ctx context.Context, s State) bool {
	err := j.Console.Tell(ctx, s)
	if err != nil {
		j.Log.Error("tell the state of the restore", "err", err)
	}
	return err == nil
}
