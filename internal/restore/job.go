package restore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gateway/internal/fault"
	"gateway/internal/process"
)

// Names says which of the databases exist. Before is there exactly while the restored database is the live one.
type Names struct{ Live, Restored, Before bool }

// Databases is what a restore does to the PostgreSQL cluster. Every method may be called again
// after a process died within it.
type Databases interface {
	Names(ctx context.Context) (Names, error)
	// Load makes the database Restored of the archive, with today's schema.
	Load(ctx context.Context, p Plan) error
	// Carry brings what stays, whichever database is live, from one to the other.
	Carry(ctx context.Context, from, to string, note Note) error
	// Note writes an audit entry into the live database.
	Note(ctx context.Context, note Note) error
	Swap(ctx context.Context) error
	SwapBack(ctx context.Context) error
	Drop(ctx context.Context, name string) error
}

// Files is what it does to the state files. Each of them has the present one, the staged one and
// the one kept aside; Forward and Back bring all of them to one side.
type Files interface {
	Stage(ctx context.Context, p Plan) error
	Forward(ctx context.Context) error
	Back(ctx context.Context) error
	// Clean removes what the restore made; with an empty plan what one left that never ended.
	Clean(ctx context.Context, p Plan) error
}

// Services are those that use the database and the files.
type Services interface {
	Stop(ctx context.Context) error
	Start(ctx context.Context) error
	// StartDown starts those that are down, as far as they can be; one that runs is left alone.
	StartDown(ctx context.Context) error
	// Up waits until the API answers with its database.
	Up(ctx context.Context) error
	// Sync has every component applied.
	Sync(ctx context.Context) error
}

// Console is where operators see the job, and answer it.
type Console interface {
	Tell(ctx context.Context, s State) error
	Answer(ctx context.Context, id string) (Answer, error)
}

// Answer is what an operator says to a restore that waits.
type Answer string

// The answers.
const (
	NoAnswer Answer = ""
	Confirm  Answer = "confirm"
	Undo     Answer = "undo"
)

// Plan is what was asked for.
type Plan struct {
	ID     string            `json:"id"` // of the archive
	Actor  string            `json:"actor"`
	Within int               `json:"within"` // seconds to confirm
	Links  map[string]string `json:"links,omitempty"`
}

// Note is an audit entry of the job.
type Note struct {
	Action, Actor, Subject string
	Reason                 string
}

// Clock is as in package apply: time since boot, which nobody can set, and a name for this boot.
type Clock struct {
	Now    func() time.Time
	Uptime func() time.Duration
	Boot   string
}

// Job is one restore, from the archive to the end of the wait for its confirmation. It is written so
// that whatever instant it is killed at, Resume comes to the old state or to the new one: the only
// step that decides is the transaction that renames the databases, and the files follow it.
type Job struct {
	Journal   *Journal
	Databases Databases
	Files     Files
	Services  Services
	Console   Console
	// Render has every renderer run on the restored database.
	Render func(ctx context.Context) error
	// Alone waits until no verification fills the disk, and keeps others from beginning until the archive is loaded: each
	// would count the same room. Nil for nobody.
	Alone func(ctx context.Context) (release func(), err error)
	Clock Clock
	Log   *slog.Logger
	// Settled is called once it is certain which state is the live one: what uses it may start. Nil for nobody.
	Settled func()
	// At is called between the steps; a fault test dies there.
	At func(point string)
	// Retry is how long it waits before it tries once more what a full disk did not take; 0 for retryEvery.
	Retry time.Duration

	entry *Entry
}

// pollEvery is how often the answer of the operator is looked for.
const pollEvery = 500 * time.Millisecond

// applyWithin is how long the services may take to come up with the restored state, and to apply it.
const applyWithin = 5 * time.Minute

// clusterWithin is how long PostgreSQL may take to answer: after a power cut it reads its log first.
const clusterWithin = time.Minute

// Run begins a restore, or resumes the one that there is.
func (j *Job) Run(ctx context.Context, p Plan) error {
	found, err := j.Journal.Read()
	if err != nil {
		return err
	}
	if found != nil {
		return j.Resume(ctx)
	}
	j.entry = &Entry{Plan: p, Phase: loading, Boot: j.Clock.Boot, Started: j.Clock.Now().UTC()}
	if err := j.save(ctx); err != nil {
		return err
	}
	return j.drive(ctx)
}

// names looks which databases there are. Which state is the live one cannot be known without.
func (j *Job) names(ctx context.Context) (n Names, err error) {
	bounded, cancel := context.WithTimeout(ctx, clusterWithin)
	defer cancel()
	for {
		if n, err = j.Databases.Names(ctx); err == nil || !process.Pause(bounded, pollEvery) {
			return n, err
		}
	}
}

// give keeps the first reason why the restore does not stay.
func (j *Job) give(err error) {
	if j.entry.Error == nil {
		s := fault.SentenceOf(err)
		j.entry.Error = &s
	}
}

func (j *Job) enter(ctx context.Context, p phase) error {
	j.entry.Phase = p
	if err := j.next(ctx); err != nil {
		return err
	}
	return j.drive(ctx)
}

// drive goes from phase to phase. An error leaves the journal as it is: whoever starts the job again resumes it.
func (j *Job) drive(ctx context.Context) error {
	phases := map[phase]func(context.Context) (phase, error){
		loading: j.load, switching: j.switchOver, waiting: j.wait, undoing: j.undo, discarding: j.discard, keeping: j.keep,
	}
	for {
		do, ok := phases[j.entry.Phase]
		if !ok {
			return fmt.Errorf("the journal has the unknown phase %q", j.entry.Phase)
		}
		next, err := do(ctx)
		if err != nil {
			return fmt.Errorf("restore %s, %s: %w", j.entry.Plan.ID, j.entry.Phase, err)
		}
		if next == over {
			return j.finish(ctx)
		}
		from := j.entry.Phase
		j.entry.Phase = next
		err = j.next(ctx)
		if err != nil && from == switching { // nobody could confirm it
			j.give(fault.Say("the progress of the restore could not be written"))
			j.Log.Error("the restore goes back", "err", err)
			j.entry.Phase, err = undoing, nil
		}
		if err != nil {
			return err
		}
	}
}

// load makes the new database and files beside the present ones. Nothing that runs is touched.
func (j *Job) load(ctx context.Context) (phase, error) {
	p := j.entry.Plan
	err := errors.Join(j.Databases.Drop(ctx, Restored), j.Files.Clean(ctx, Plan{})) // of a restore that never ended
	if err == nil {
		release := func() {}
		defer func() { release() }()
		err = j.steps(ctx, []work{
			{"check", func(ctx context.Context) (err error) {
				if j.Alone != nil {
					if release, err = j.Alone(ctx); err != nil {
						release = func() {}
						return err
					}
				}
				return j.Files.Stage(ctx, p)
			}},
			{"load", func(ctx context.Context) error { return j.Databases.Load(ctx, p) }},
			{"render", j.Render},
		})
	}
	if err != nil {
		j.give(err)
		return undoing, nil
	}
	return switching, nil
}

// switchOver makes the new state the live one. The transaction in Swap decides: before it all goes back, after it all goes on.
func (j *Job) switchOver(ctx context.Context) (phase, error) {
	names, err := j.names(ctx)
	if err != nil {
		return "", err
	}
	if !names.Before {
		err = j.steps(ctx, []work{{"stop", j.stop}, {"files", j.forward}, {"swap", j.swap}})
	} else {
		err = j.Files.Forward(ctx)
	}
	if err == nil {
		err = j.steps(ctx, []work{{"start", j.inTime(j.startAndWait)}, {"apply", j.inTime(j.Services.Sync)}})
	}
	if err != nil {
		j.give(err)
		return undoing, nil
	}
	j.entry.Until = min(j.entry.Until, j.Clock.Uptime()+j.window())
	return waiting, nil
}

// window is how long it can be confirmed.
func (j *Job) window() time.Duration { return time.Duration(j.entry.Plan.Within) * time.Second }

// swap decides. The journal has the time at which all of it is undone before there is anything to undo: whatever hangs or
// dies from here on, nobody has to come that far as to set one.
func (j *Job) swap(ctx context.Context) error {
	j.entry.Until = j.Clock.Uptime() + applyWithin + j.window()
	if err := j.save(ctx); err != nil {
		return err
	}
	return j.Databases.Swap(ctx)
}

// inTime ends what follows the swap early enough that the whole window is left.
func (j *Job) inTime(do func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, max(0, j.entry.Until-j.window()-j.Clock.Uptime()))
		defer cancel()
		return do(ctx)
	}
}

func (j *Job) stop(ctx context.Context) error {
	j.entry.Stopped = true
	if err := j.save(ctx); err != nil {
		return err
	}
	return j.Services.Stop(ctx)
}

func (j *Job) forward(ctx context.Context) error {
	if err := j.Databases.Carry(ctx, Live, Restored, j.note("backup.restore.done", "")); err != nil {
		return err
	}
	j.at("carried")
	return j.Files.Forward(ctx)
}

func (j *Job) startAndWait(ctx context.Context) error {
	if err := j.Services.Start(ctx); err != nil {
		return err
	}
	return j.Services.Up(ctx)
}

// wait is the time in which somebody who can reach the node says so.
func (j *Job) wait(ctx context.Context) (phase, error) {
	j.mark(ctx, "confirm", Running)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if next := j.answered(ctx); next != "" {
			return next, nil
		}
		if j.Clock.Uptime() >= j.entry.Until {
			j.give(errLate())
			j.mark(ctx, "confirm", Failed)
			return undoing, nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-tick.C:
		}
	}
}

// answered is where the answer of the operator leads to; empty while there is none.
func (j *Job) answered(ctx context.Context) phase {
	answer, err := j.Console.Answer(ctx, j.entry.Plan.ID)
	if err != nil {
		j.Log.Error("read the answer", "err", err) // the time goes on
	}
	switch answer {
	case Confirm:
		j.mark(ctx, "confirm", Done)
		return keeping
	case Undo:
		j.entry.Asked = true
		j.mark(ctx, "confirm", Failed)
		return undoing
	}
	return ""
}

// undo makes the old state the live one again, if it is not.
func (j *Job) undo(ctx context.Context) (phase, error) {
	names, err := j.names(ctx)
	if err != nil {
		return "", err
	}
	if !names.Before {
		return discarding, nil
	}
	j.entry.Undone = true
	reason := ""
	if j.entry.Error != nil {
		reason = j.entry.Error.Message
	}
	note := j.note("backup.restore.undone", reason)
	return discarding, j.steps(ctx, []work{
		{"stop", j.stop},
		// The database first: what it is called tells a resume which way to go, also when the journal does not.
		{"swap", func(ctx context.Context) error {
			lost := j.carryBack(ctx, note)
			if ctx.Err() != nil { // we were told to stop, and are started again
				return ctx.Err()
			}
			j.at("carried back")
			if err := j.Databases.SwapBack(ctx); err != nil || lost == nil {
				return err
			}
			if err := j.Databases.Note(ctx, note.and([]string{"the audit entries since the restore are lost"})); err != nil {
				j.Log.Error("write the audit entry of the undone restore", "err", err)
			}
			return nil
		}},
		{"files", j.Files.Back},
	})
}

// carryBackWithin is how long the old state waits for what happened since.
const carryBackWithin = time.Minute

// carryBack brings what happened since to the old database, if it can: the restored one may be in any state, and
// nothing in it keeps the node from coming back.
func (j *Job) carryBack(ctx context.Context, note Note) error {
	ctx, cancel := context.WithTimeout(ctx, carryBackWithin)
	defer cancel()
	err := j.Databases.Carry(ctx, Live, Before, note)
	if err != nil {
		j.Log.Error("the audit entries since the restore are lost: the restored database does not give them", "err", err)
	}
	return err
}

// discard removes what was made; the old database is the live one, and the files follow it.
func (j *Job) discard(ctx context.Context) (phase, error) {
	if err := j.Files.Back(ctx); err != nil {
		return "", err
	}
	j.at("back")
	if j.entry.Stopped {
		if err := j.step(ctx, work{"start", j.Services.Start}); err != nil {
			return "", err
		}
		j.entry.Stopped = false // what follows may have to be tried again, and nobody is restarted for that
		if err := j.save(ctx); err != nil {
			return "", err
		}
	}
	j.at("started again")
	j.settled()
	return over, j.clear(ctx)
}

func (j *Job) settled() {
	if j.Settled != nil {
		j.Settled()
	}
}

// keep removes the old state.
func (j *Job) keep(ctx context.Context) (phase, error) {
	j.settled()
	return over, j.step(ctx, work{"clean_up", func(ctx context.Context) error {
		names, err := j.names(ctx)
		if err != nil {
			return err
		}
		if names.Before { // else it was killed on its way out
			if err := j.Databases.Note(ctx, j.note("backup.restore.kept", "")); err != nil {
				return err
			}
		}
		j.at("noted")
		if err := j.Databases.Drop(ctx, Before); err != nil {
			return err
		}
		j.at("dropped")
		return j.Files.Clean(ctx, j.entry.Plan)
	}})
}

func (j *Job) note(action, reason string) Note {
	return Note{Action: action, Actor: j.entry.Plan.Actor, Subject: j.entry.Plan.ID, Reason: reason}
}

func (j *Job) finish(ctx context.Context) error {
	s, now := j.entry.state(j.Clock), j.Clock.Now().UTC()
	s.Result, s.Finished = j.entry.result(), &now
	// Whoever reads that it goes on begins no other one, for ever; after a kill the journal is what has it tried again.
	tell := func(ctx context.Context) error { return j.Console.Tell(ctx, s) }
	if err := tell(ctx); err != nil {
		if err := j.persist(ctx, err, tell); err != nil {
			return fmt.Errorf("tell the end of the restore: %w", err)
		}
	}
	j.at("told")
	return j.Journal.Remove()
}

// at is where a fault test dies.
func (j *Job) at(point string) {
	if j.At != nil {
		j.At(point)
	}
}
