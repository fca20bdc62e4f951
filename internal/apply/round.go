package apply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/change"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/intent"
	"gateway/internal/secret"
	"gateway/internal/sys"
)

const (
	renderTime = 10 * time.Second
	checkTime  = 20 * time.Second
	reloadTime = 60 * time.Second
	markTime   = 2 * time.Second
	// leastHidden is shorter than keys that are made. Somebody's password may be a word that a file has
	// anyway, and to take it out there would tell it to everybody who reads the history.
	leastHidden = 16
)

// job is one round on its way.
type job struct {
	wanted    daemon.Rendering
	live      daemon.Rendering // the same, with what it was made from
	due       []change.Due     // committed changes that it brings
	secrets   []string         // that the files hold, and the history must not
	keepEdits bool
	started   time.Time
}

// round closes the difference between what is wanted, what is installed and what runs,
// if there is one. A mere look does not ask the database, unless something is amiss.
func (w *worker) round(ctx context.Context, lookOnly bool) change.Applied {
	if came, done := w.begin(ctx, lookOnly); done {
		return came
	}
	w.settleNotes()
	if err := w.waitForEarlier(ctx); err != nil {
		w.Log.Warn("apply", "component", w.daemon.Name, "err", err) // out of order is better than not at all
	}
	j, err := w.render(ctx)
	return w.conclude(ctx, j, err)
}

// begin ends the round where there is nothing to render.
func (w *worker) begin(ctx context.Context, lookOnly bool) (came change.Applied, done bool) {
	w.busy.Lock()
	defer w.busy.Unlock()
	if came, held := w.held(); held {
		w.putBack(ctx)
		return came, true
	}
	w.unstage()
	if w.unkept {
		w.keep(w.good)
	}
	up := w.Up()
	lookOnly = lookOnly && (w.wasUp || !up)
	w.wasUp = up
	if lookOnly && w.inOrder(ctx) && !w.retryDue() {
		return change.Applied{State: intent.Live}, true
	}
	if !up {
		return w.withoutDatabase(ctx), true
	}
	return came, false
}

// conclude brings what was rendered, unless an unconfirmed change came up meanwhile.
func (w *worker) conclude(ctx context.Context, j job, err error) change.Applied {
	w.busy.Lock()
	defer w.busy.Unlock()
	if err == nil {
		w.wanted, w.known = j.wanted, true
	}
	if came, held := w.held(); held {
		return came
	}
	if err == nil {
		j.wanted = j.wanted.Sharing(w.installed)
		w.wanted = j.wanted
		err = w.setKeepEdits(j.keepEdits)
	}
	if err == nil {
		err = w.bring(ctx, j)
	}
	if errors.Is(err, errKept) {
		if w.retryDue() { // the next look is for the edit; a whole round each second is not
			w.retryLater()
		}
		return change.Applied{State: intent.Pending, Why: whyKept}
	}
	if errors.Is(err, errHeld) {
		if came, held := w.held(); held {
			return came
		}
	}
	if err != nil {
		w.tidied = false
		return w.failed(ctx, j, err)
	}
	w.retryAt = time.Time{}
	if !w.tidied {
		w.tidy()
	}
	return w.live(ctx, j)
}

// withoutDatabase keeps what was good last; what is wanted now, nobody knows.
func (w *worker) withoutDatabase(ctx context.Context) change.Applied {
	j := job{wanted: w.installed, started: w.Clock.Now()}
	if w.known && w.wanted.Hash() == w.passed {
		j.wanted = w.wanted
	}
	if j.wanted.None() {
		return change.Applied{State: intent.Pending, Why: fault.Said("the database does not answer")}
	}
	switch err := w.bring(ctx, j); {
	case err == nil:
		w.rest(j)
	case !errors.Is(err, errKept):
		return w.failed(ctx, j, err)
	}
	return change.Applied{State: intent.Pending, Why: fault.Said("the database does not answer")}
}

// render reads rows and pending changes in one snapshot, so that a change is marked by
// the round that has it, and no other.
func (w *worker) render(ctx context.Context) (job, error) {
	w.stage(Rendering)
	ctx, cancel := context.WithTimeout(ctx, renderTime)
	defer cancel()
	j := job{started: w.Clock.Now()}
	err := pgx.BeginTxFunc(ctx, w.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var err error
		if j.due, err = change.DueFor(ctx, tx, w.daemon.Name); err != nil {
			return fmt.Errorf("list pending changes: %w", err)
		}
		if j.keepEdits, err = change.KeepsEdits(ctx, tx, w.daemon.Name); err != nil {
			return fmt.Errorf("read how it is applied: %w", err)
		}
		j.wanted, err = w.daemon.Render(ctx, tx, func(sealed []byte, at secret.Place) (secret.Text, error) {
			text, err := w.Unseal(sealed, at)
			if text != "" {
				j.secrets = append(j.secrets, text.Reveal())
			}
			return text, err
		})
		return err
	})
	if err != nil {
		return j, fmt.Errorf("render %s: %w", w.daemon.Name, err)
	}
	j.live = j.wanted
	j.wanted = j.wanted.WithoutState().Hashed()
	w.show(func(s *State) {
		s.Wanted, s.Problems = j.wanted.Hash(), nonNil(j.wanted.Problems)
		s.Off, s.AllOff = switchedOff(j.wanted)
	})
	w.at("rendered")
	return j, nil
}

func nonNil(p []daemon.Problem) []daemon.Problem {
	if p == nil {
		return []daemon.Problem{}
	}
	return p
}

// bring checks, installs and reloads, each only where needed.
func (w *worker) bring(ctx context.Context, j job) error {
	var damaged []string
	if !w.lately() {
		var err error
		if damaged, err = w.damaged(); err != nil {
			return err
		}
	}
	same := j.wanted.Hash() == w.installed.Hash() && len(damaged) == 0
	if same && w.observe(ctx) == j.wanted.Hash() {
		return w.arm(ctx, j.due) // rows that change no file go back all the same
	}
	if w.kept() {
		return w.bringUnits(ctx, j)
	}
	if err := w.check(ctx, j.wanted); err != nil {
		return err
	}
	if err := w.arm(ctx, j.due); err != nil {
		return err
	}
	return w.replace(ctx, j.wanted, damaged)
}

func (w *worker) live(ctx context.Context, j job) change.Applied {
	if w.daemon.Live != nil {
		w.daemon.Live(j.live)
	}
	if err := w.mark(ctx, j, intent.Live, ""); err != nil {
		w.Log.Error("apply", "component", w.daemon.Name, "err", err)
		w.retryLater() // else the changes stay pending until there is something else to do
	} else {
		w.tries = 0
	}
	w.failure = "" // the next one is news, whatever it says
	w.rest(j)
	if len(j.due) > 0 { // what was found before the last change is no news any more
		w.show(func(s *State) { s.Drift = []string{} })
	}
	return change.Applied{State: intent.Live}
}

func (w *worker) rest(j job) {
	w.show(func(s *State) {
		s.Stage, s.Error, s.ErrorWords = LiveStage, "", nil
		s.Wanted, s.Installed, s.Observed = j.wanted.Hash(), w.installed.Hash(), j.wanted.Hash()
	})
}

// failed keeps the reason, takes back what waits for a confirmation, and tries again later.
func (w *worker) failed(ctx context.Context, j job, err error) change.Applied {
	why := words(err)
	if db.Unavailable(err) || db.OtherSchema(err) { // or is being upgraded
		// A daemon that breaks off says the same, and with its old files back all looks in
		// order: without another round the change would wait for the next one.
		w.retryAt = w.Clock.Now().Add(retryMin)
		return change.Applied{State: intent.Pending, Why: fault.Said("the database does not answer")}
	}
	if ctx.Err() != nil {
		return change.Applied{State: intent.Pending, Why: fault.Said("the applier is shutting down")}
	}
	w.logFailure(err)
	if err := w.mark(ctx, j, intent.Failed, why.Message); err != nil {
		w.Log.Error("apply", "component", w.daemon.Name, "err", err)
	}
	w.giveUp(ctx, j.due)
	w.retryLater()
	observed := w.observe(ctx) // it may take long, and nobody could read the state meanwhile
	w.show(func(s *State) {
		s.Stage, s.Error, s.ErrorWords, s.Observed = FailedIt, why.Message, why.Beside(), observed
	})
	return change.Applied{State: intent.Failed, Why: why}
}

// logFailure logs what a round failed with, but the same again only once a minute: a daemon that cannot run at all is
// tried each second.
func (w *worker) logFailure(err error) {
	now := w.Clock.Now()
	if err.Error() == w.failure && now.Sub(w.failureAt) < time.Minute {
		return
	}
	w.failure, w.failureAt = err.Error(), now
	w.Log.Error("apply", "component", w.daemon.Name, "err", err)
}

// retryLater waits twice as long as the last time.
func (w *worker) retryLater() {
	w.retryAt = w.Clock.Now().Add(min(retryMax, retryMin<<min(w.tries, 6)))
	w.tries++
}

func (w *worker) retryDue() bool {
	return !w.retryAt.IsZero() && !w.Clock.Now().Before(w.retryAt)
}

// words is what an operator may read of an error; the log has the rest.
func words(err error) fault.Sentence {
	if f, ok := fault.Of(err); ok {
		return fault.SentenceOf(f)
	}
	var job *sys.JobError
	if errors.As(err, &job) && job.Verb == "stop" {
		return fault.Said("%s could not be stopped; its log says why (journalctl -u %s)", job.Unit, job.Unit)
	}
	if errors.As(err, &job) && job.Unit != "" {
		return fault.Said("%s could not be started or reloaded; its log says why (journalctl -u %s)", job.Unit, job.Unit)
	}
	var path *os.PathError
	if errors.As(err, &path) {
		return fault.Sentence{Message: fmt.Sprintf("%s %s: %v", path.Op, path.Path, path.Err)} // the kernel's words
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return fault.Sentence{Message: fmt.Sprintf("%s %s: %v", link.Op, link.New, link.Err)}
	}
	return fault.Said("the applier failed; see its log (gateway-apply)")
}

// mark records the round with what it changed in the files.
func (w *worker) mark(ctx context.Context, j job, state, why string) error {
	if len(j.due) == 0 {
		return nil
	}
	if !w.Up() {
		return db.Down()
	}
	ctx, cancel := context.WithTimeout(ctx, markTime)
	defer cancel()
	r := change.Round{
		ID: db.NewID(), Component: w.daemon.Name, Node: w.Node, State: state, Error: why,
		Files: []intent.File{}, StartedAt: j.started, FinishedAt: w.Clock.Now(),
	}
	if state == intent.Live {
		r.Files = append(r.Files, w.difference(j)...)
	}
	for _, d := range j.due {
		r.Changes = append(r.Changes, d.ID)
	}
	if err := r.Mark(ctx, w.Pool); err != nil {
		return err
	}
	w.shown = j.wanted
	w.at("db_marked")
	return nil
}

// difference is what the round changed, without secrets: those of the files before, which
// the database may not have any more, as well as those of the files now. Of many files it
// looks at those that are others now.
func (w *worker) difference(j job) []intent.File {
	hide := func(f daemon.File) string {
		text := f.Text()
		for _, s := range j.secrets { // of a file that should have been confidential, and is not
			if len(s) >= leastHidden {
				text = strings.ReplaceAll(text, s, secret.Redacted)
			}
		}
		return text
	}
	was, now := map[string]string{}, map[string]string{}
	if before, after := w.shown.UnitsText(), j.wanted.UnitsText(); before != after {
		was[daemon.UnitsPath], now[daemon.UnitsPath] = before, after
	}
	for _, f := range w.shown.Files {
		if after := j.wanted.File(f.Path); !bytes.Equal(after, f.Data) {
			was[f.Path] = hide(f)
		}
	}
	for _, f := range j.wanted.Files {
		if before := w.shown.File(f.Path); !bytes.Equal(before, f.Data) {
			now[f.Path] = hide(f)
		}
	}
	return change.Diff(w.daemon.Name, was, now)
}
