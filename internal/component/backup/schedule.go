package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gateway/internal/backup"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
)

const (
	// runChannel and testChannel are where gateway-scheduler hears what gateway-api asks of it.
	runChannel  = "backup_run"
	testChannel = "backup_test"
	// tickEvery is how often it is looked whether a backup is due, first that long after boot.
	tickEvery = 10 * time.Minute
	day       = 24 * time.Hour
	// firstEvery is how often that is tried after a start.
	firstEvery = 2 * time.Second
	// retryAfter is how long after a failed one the next is due.
	retryAfter = time.Hour
	// verifyTime is after how long a verification that tells nothing was killed.
	verifyTime = time.Hour
)

// asked is the question for a backup, and begun the answer: the id of one, or why there is none.
type (
	asked struct {
		Kind string `json:"kind"`
	}
	begun struct {
		ID    string          `json:"id"`
		Busy  bool            `json:"busy"`
		Error *fault.Sentence `json:"error"`
	}
)

// answer runs in gateway-scheduler: it begins a backup, and leaves the rest to work.
func (s *service) answer(ctx context.Context, question json.RawMessage) (any, error) {
	var q asked
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, fmt.Errorf("decode question: %w", err)
	}
	r, err := s.begin(ctx, q.Kind)
	if errors.Is(err, errBusy) {
		return begun{Busy: true}, nil
	}
	if err != nil { // whoever asked would wait for nothing
		s.Log.Error("backup", "err", err)
		said := why(err)
		return begun{Error: &said}, nil
	}
	s.begun <- r
	return begun{ID: r.id}, nil
}

// work makes the backups that began, until ctx ends. It begins with what the process before it did not end, as soon as
// the database answers.
func (s *service) work(ctx context.Context) error {
	first := time.NewTicker(s.first)
	defer first.Stop()
	defer s.uploader.group.Wait()
	s.uploader.group.Go(func() { s.heeding(ctx) })
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-first.C:
			if s.tidied(ctx) == nil {
				first.Stop()
			}
		case <-s.wake:
			s.upload(ctx)
		case r := <-s.begun:
			s.working.Lock()
			s.finish(ctx, r)
			s.working.Unlock()
		}
	}
}

// tidied is tidy by whoever gets the lock.
func (s *service) tidied(ctx context.Context) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return s.tidy(ctx)
}

// tick runs in gateway-scheduler: it ends what was killed, has uploads taken up that were, and begins a backup when one is due.
func (s *service) tick(ctx context.Context) error {
	err := s.tidied(ctx)
	if errors.Is(err, errBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	due, err := s.due(ctx)
	if err != nil || !due {
		return err
	}
	c := change.Change{Component: name, Action: "backup.create", Subject: scheduled, Actor: "scheduler"}
	return s.Run.Act(ctx, c, func(ctx context.Context) error {
		r, err := s.begin(ctx, scheduled)
		if errors.Is(err, errBusy) {
			return nil
		}
		if err != nil {
			return err
		}
		s.begun <- r
		return nil
	})
}

// due says whether a daily backup is.
func (s *service) due(ctx context.Context) (bool, error) {
	state, err := s.Setup.Load()
	if err != nil || !state.Complete {
		return false, err
	}
	t, err := s.times(ctx)
	if err != nil || !t.Daily {
		return false, err
	}
	now := s.Now()
	next := t.next(now)
	return !next.After(now.Add(tickEvery / 2)), nil // at this tick rather than at the one after: so it stays at its time of day
}

// times are when the last ones were, and whether there are daily ones.
type times struct {
	Daily   bool
	Success *time.Time // the last scheduled one
	Failure *time.Time // the last scheduled one since
}

func (s *service) times(ctx context.Context) (times, error) {
	all, err := db.List[times](ctx, s.DB, `select b.daily, ok.at, (select max(started_at) from backups where kind = 'scheduled' and status = 'failed'
			and started_at > coalesce(ok.at, '-infinity') and started_at <= $1)
		from backup_settings b, (select max(started_at) as at from backups where kind = 'scheduled' and status = 'done' and started_at <= $1) ok`, s.horizon())
	if err != nil || len(all) != 1 {
		return times{}, errors.Join(err, fmt.Errorf("read when backups were made: %d rows", len(all)))
	}
	return all[0], nil
}

// horizon is the latest time that counts. A backup beyond it is of a clock that was wrong, and says nothing about when the last one was.
func (s *service) horizon() time.Time { return s.Now().Add(backup.Skew) }

// next is when the next one is due.
func (t times) next(now time.Time) time.Time {
	next := now
	if t.Success != nil {
		next = t.Success.Add(day)
	}
	if t.Failure != nil && t.Failure.Add(retryAfter).After(next) {
		next = t.Failure.Add(retryAfter)
	}
	return next
}
