package restore_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/restore"
)

// hooks are what single tests look at, or have go wrong.
type hooks struct {
	away    int  // how often PostgreSQL does not answer
	starts  int  // of the services
	broken  bool // they do not come up with the restored state
	settled bool // it was told that the services may start, and they were
	early   bool // something was dropped before that
	drops   int  // how often a database cannot be dropped
	blocked int  // how often that was told
	mute    int  // how often it cannot be
	heard   int  // how often it was told, and could be
	untold  int  // how often its end cannot be told

	full   bool   // the disk of the journal
	fullAt string // the point from which on it is
	unkept int    // how often it does not take that the restore is kept, before it has room
}

func (d databases) Names(ctx context.Context) (restore.Names, error) {
	if d.r.away--; d.r.away >= 0 {
		return restore.Names{}, errors.New("the database system is starting up")
	}
	return d.Cluster.Names(ctx)
}

func (d databases) Drop(ctx context.Context, name string) error {
	d.r.early = d.r.early || !d.r.settled
	if d.r.drops--; d.r.drops >= 0 {
		return errors.New("the server does not end")
	}
	return d.Cluster.Drop(ctx, name)
}

// Tell keeps what was told, unless the end cannot be, or that it is blocked.
func (c console) Tell(_ context.Context, s restore.State) error {
	if s.Blocked {
		if c.r.mute--; c.r.mute >= 0 {
			return errors.New("no space left on device")
		}
		c.r.heard++
	}
	if s.Finished != nil {
		if c.r.untold--; c.r.untold >= 0 {
			return errors.New("no space left on device")
		}
	}
	c.r.state = s
	return nil
}

// sync has components applied, as those of a node do it: until it is over, or for as long as they may.
func (r *rig) sync(ctx context.Context) error {
	if r.fails != "apply" {
		return nil
	}
	select {
	case <-ctx.Done():
	case <-time.After(20 * time.Second):
		r.t.Error("a component that hangs holds the restore for ever")
	}
	return nil
}

// deadlineKept looks into the journal, as it is on the disk, before the databases are exchanged.
func (r *rig) deadlineKept() error {
	e, err := r.journal.Read()
	if err != nil || e.Until <= r.uptime+time.Duration(e.Plan.Within)*time.Second {
		return errors.Join(err, errors.New("the journal does not say when all of it is undone"))
	}
	return nil
}

// dies runs a restore up to a point, and resumes it after some time without a boot.
func (r *rig) dies(point string, later time.Duration) {
	r.t.Helper()
	at := slices.Index(r.points, point)
	if at < 0 {
		r.t.Fatalf("there is no point %q: %v", point, r.points)
	}
	fails := r.fails
	r.fresh()
	r.answer, r.dieAt = restore.Confirm, at
	if !r.run(begin) {
		r.t.Fatal("it was not killed")
	}
	r.uptime += later
	r.points, r.dieAt, r.fails = nil, -1, fails
	r.run(resume)
}

// Nobody could confirm a restore that died behind the swap, so its time is over whether it came that far or not.
func TestTheTimeToConfirmBeginsBeforeTheSwap(t *testing.T) {
	r := newRig(t)
	for _, tc := range []struct {
		name, point string
		later       time.Duration
		side        string
	}{
		{"it goes on in time", "swapped", time.Minute, "new"},
		{"it is away for too long behind the swap", "swapped", time.Hour, "old"},
		{"it is away for too long while services start", "start", time.Hour, "old"},
		{"it is away for too long while all is applied", "apply", time.Hour, "old"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r.t = t
			r.fresh()
			r.answer = restore.Confirm
			r.run(begin)
			r.dies(tc.point, tc.later)
			if side := r.check(tc.name); side != tc.side {
				t.Errorf("the state is %s, want %s", side, tc.side)
			}
			if tc.side == "old" && (r.state.Result != restore.Undone || r.state.Error == nil || !strings.Contains(r.state.Error.Message, "apply it, in time")) {
				t.Errorf("the result is %q, %v", r.state.Result, r.state.Error)
			}
		})
	}
}

// A component that hangs does not keep the operator from being asked.
func TestWhatHangsWhileAllIsAppliedEnds(t *testing.T) {
	r := newRig(t)
	r.answer = restore.Confirm
	r.run(begin)
	r.fails = "apply"
	r.dies("swapped", 5*time.Minute) // all of what it may take
	if side := r.check("hung"); side != "new" || !r.answered {
		t.Errorf("the state is %s, somebody was asked: %t", side, r.answered)
	}
}

// At boot the services wait for the resume: not for what is dropped, and not for a server that still reads its log.
func TestServicesDoNotWaitForWhatIsDropped(t *testing.T) {
	r := newRig(t)
	r.run(begin)
	waiting := slices.Index(r.points, "phase waiting")
	for _, answer := range []restore.Answer{restore.Confirm, restore.NoAnswer} {
		r.fresh()
		r.answer, r.dieAt = answer, waiting
		r.run(begin)
		r.boot, r.uptime, r.dieAt, r.points = "second", 0, -1, nil
		r.hooks = hooks{away: 1}
		r.run(resume)
		if r.check(string(answer)); r.early || !r.settled {
			t.Errorf("%q: told that services may start: %t, after what is dropped: %t", answer, r.settled, r.early)
		}
	}
}

// A database that cannot be dropped is tried again, and nobody is restarted for that. Operators are told as soon as they can be: the
// disk that it cannot be dropped for may be too full to tell them.
func TestADropThatFailsRestartsNobody(t *testing.T) {
	r := newRig(t)
	r.answer = restore.Undo
	r.run(begin)
	discarding := slices.Index(r.points, "phase discarding")
	r.fresh()
	r.answer, r.dieAt = restore.Undo, discarding
	if r.dieAt < 0 || !r.run(begin) {
		t.Fatal("it was not killed")
	}
	// Also on a full disk, where the journal goes on saying that they are stopped.
	for _, full := range []bool{true, false} {
		r.hooks, r.dieAt = hooks{drops: 20, full: full}, -1
		ctx, stop := context.WithCancel(t.Context())
		j := r.job()
		j.Console = watched{j.Console, func(s restore.State) {
			if s.Blocked && r.starts != 1 || s.Finished != nil {
				t.Errorf("full %v: told %+v, the services were started %d times", full, s, r.starts)
			}
			if s.Blocked {
				r.blocked++
				stop()
			}
		}}
		if err := j.Resume(ctx); err == nil || r.blocked != 1 {
			t.Errorf("full %v: what could not be dropped is taken for gone: %v, told %d times", full, err, r.blocked)
		}
		stop()
	}
	r.hooks = hooks{drops: 5, mute: 2}
	r.run(resume)
	if r.check("dropped"); r.starts != 0 || r.state.Blocked || r.heard != 1 {
		t.Errorf("the services were started %d times, told is %+v, and %d times that it was blocked", r.starts, r.state, r.heard)
	}
}

// watched looks at what is told.
type watched struct {
	restore.Console
	look func(restore.State)
}

func (w watched) Tell(ctx context.Context, s restore.State) error {
	w.look(s)
	return w.Console.Tell(ctx, s)
}

// systemd must not end a resume between the files and the databases: each step has its own limit, and all of them fit.
func TestSystemdWaitsForAResume(t *testing.T) {
	text, err := os.ReadFile("../../packaging/units/gateway-restore-resume.service")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "\nTimeoutStartSec=")
	limit, err := time.ParseDuration(strings.TrimSuffix(strings.SplitN(after, "\n", 2)[0], "in"))
	if err != nil || limit < restore.ResumeWithin() {
		t.Errorf("systemd waits for %s, %v; a resume may take %s", limit, err, restore.ResumeWithin())
	}
}
