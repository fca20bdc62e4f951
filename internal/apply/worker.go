package apply

import (
	"context"
	"sync"
	"time"

	"gateway/internal/apply/files"
	"gateway/internal/change"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/intent"
)

const (
	// lookEvery bounds how long an edited file or a restarted daemon goes unseen.
	lookEvery = time.Second
	// Notifications are waited out until they calm, and at most so long.
	calm    = time.Second
	calmMax = 3 * time.Second
	// Retries of what failed, doubling.
	retryMin = time.Second
	retryMax = 10 * time.Second
)

// worker looks after one component. What is not behind its own lock is behind the
// worker's busy lock.
type worker struct {
	*Engine
	daemon daemon.Daemon
	wake   chan struct{}
	noted  chan struct{} // there was a notification
	// urgent ends the wait for components that come before this one.
	urgent chan struct{}
	waited map[string]bool // changes that it waited for; the loop's alone

	mu      sync.Mutex
	asked   []chan change.Applied
	firstAt time.Time // of the notifications not yet looked into
	lastAt  time.Time
	state   State
	before  daemon.Rendering // installed, for others to read

	// busy is held while anything of the component is checked, installed, reloaded or
	// undone, and guards the rest; only rendering goes without.
	busy      sync.Mutex
	wanted    daemon.Rendering // as last rendered from the database
	known     bool             // wanted was rendered since the start
	installed daemon.Rendering // on disk, as far as we know
	good      daemon.Rendering // the last that its daemon ran on
	passed    string           // hash of the last that passed its check
	shown     daemon.Rendering // what the history was last told of
	unkept    bool             // good is not on disk yet
	blobs     map[string]bool  // contents of good that are on disk, by hash
	tidied    bool             // its folders hold nothing else
	seen      files.Memo       // files that were whole when last read
	ordered   time.Time        // when files and daemon were last found as installed
	keepEdits bool             // hand edits are left alone
	wasUp     bool             // the database, when last looked at
	retryAt   time.Time
	tries     int
	failure   string // as last logged
	failureAt time.Time
}

func newWorker(e *Engine, d daemon.Daemon) *worker {
	return &worker{
		Engine: e, daemon: d, wake: make(chan struct{}, 1), noted: make(chan struct{}, 1), urgent: make(chan struct{}, 1), blobs: map[string]bool{},
		state: State{Component: d.Name, Stage: Rendering, Off: []string{}, Problems: []daemon.Problem{}, Drift: []string{}, Since: e.Clock.Now()},
	}
}

// loop looks whenever somebody asks, notifications have calmed down, or time is up.
func (w *worker) loop(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	poll, polls := time.NewTicker(calm/4), true
	defer poll.Stop()
	w.note() // at the start everything is to be looked into
	for {
		look := false
		select {
		case <-ctx.Done():
			return nil
		case <-w.wake:
		case <-w.noted:
			if !polls { // else its turn would never come while there are many
				poll.Reset(calm / 4)
				polls = true
			}
			continue
		case <-poll.C:
			noted, calmed := w.calmed()
			if !noted { // a dozen workers would wake an idle node fifty times a second
				poll.Stop()
				polls = false
			}
			if !calmed {
				continue
			}
		case <-tick.C:
			look = true
		}
		w.once(ctx, look)
	}
}

func (w *worker) once(ctx context.Context, lookOnly bool) {
	asked := w.take()
	if len(asked) > 0 {
		lookOnly = false
	}
	came := w.round(ctx, lookOnly)
	for _, c := range asked {
		c <- came
	}
}

// note remembers a notification.
func (w *worker) note() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastAt = w.Clock.Now()
	if w.firstAt.IsZero() {
		w.firstAt = w.lastAt
	}
	select {
	case w.noted <- struct{}{}:
	default:
	}
}

// calmed reports whether there are notifications, and whether they are to be looked into now.
func (w *worker) calmed() (noted, calmed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.Clock.Now()
	noted = !w.firstAt.IsZero()
	return noted, noted && (now.Sub(w.lastAt) >= calm || now.Sub(w.firstAt) >= calmMax)
}

// take are those who wait for the round that begins now.
func (w *worker) take() []chan change.Applied {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.asked
	w.asked = nil
	return asked
}

// settleNotes is called before rendering: what the notifications were about is committed.
func (w *worker) settleNotes() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.firstAt = time.Time{}
}

// ask waits for a round that begins after the call.
func (w *worker) ask(ctx context.Context) change.Applied {
	answer := make(chan change.Applied, 1)
	w.mu.Lock()
	w.asked = append(w.asked, answer)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default: // it is awake, and takes us along at its next round
	}
	select {
	case came := <-answer:
		return came
	case <-ctx.Done():
		return change.Applied{State: intent.Pending, Why: fault.Said("the applier is still working")}
	}
}

// current is the state as others see it.
func (w *worker) current() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// show changes the state, and tells whoever watches.
func (w *worker) show(edit func(*State)) {
	w.mu.Lock()
	was := w.state.Stage
	edit(&w.state)
	if w.state.Stage != was {
		w.state.Since = w.Clock.Now()
	}
	s := w.state
	w.mu.Unlock()
	if s.Stage != was {
		w.publish(s)
	}
}

func (w *worker) stage(name string) { w.show(func(s *State) { s.Stage = name }) }
