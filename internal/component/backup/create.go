package backup

import (
	"context"
	"errors"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// lookEvery is how often it is looked whether a backup is complete.
const lookEvery = 250 * time.Millisecond

// askTime is for gateway-scheduler to begin.
const askTime = 15 * time.Second

func (s *service) create(ctx context.Context, _ *struct{}) (*api.Made[Backup], error) {
	var b Backup
	c := change.Change{Component: name, Action: "backup.create", Subject: manual}
	err := s.Run.Act(ctx, c, func(ctx context.Context) (err error) {
		b, err = s.order(ctx, manual)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &api.Made[Backup]{Location: api.Prefix + "/backups/" + b.ID, Body: api.Envelope[Backup]{Data: b}}, nil
}

// order has gateway-scheduler make a backup, and waits for it. It is the row that tells the end, so it does not matter
// whether gateway-scheduler is started anew meanwhile.
func (s *service) order(ctx context.Context, kind string) (Backup, error) {
	var out begun
	bounded, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	err := s.Questions.Ask(bounded, runChannel, asked{kind}, &out)
	if errors.Is(err, db.ErrUnanswered) {
		return Backup{}, errors.Join(fault.New(fault.Unavailable, "gateway-scheduler, which makes backups, does not answer").WithCode("timeout"), err)
	}
	if err != nil {
		return Backup{}, err
	}
	if out.Error != nil {
		return Backup{}, fault.With(fault.Unavailable, *out.Error).WithCode("backup_failed")
	}
	if out.Busy {
		return Backup{}, fault.New(fault.Conflict, "another backup is being made; wait until it is complete").WithCode(codeRunning)
	}
	return s.await(ctx, out.ID)
}

// await waits until a backup and its uploads are over, or for long enough.
func (s *service) await(ctx context.Context, id string) (Backup, error) {
	late := time.NewTimer(s.wait)
	defer late.Stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		b, err := s.find(ctx, id)
		if err != nil || b.over() {
			return b, err
		}
		select {
		case <-ctx.Done():
			return b, ctx.Err()
		case <-late.C:
			return b, nil
		case <-tick.C:
		}
	}
}

// over says whether the archive and its uploads are.
func (b Backup) over() bool {
	return b.Status != running && !b.awaits()
}

func (s *service) delete(ctx context.Context, in *byID) (*api.Body[*api.None], error) {
	b, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.unused(ctx, b); err != nil {
		return nil, err
	}
	remove := s.discard
	if b.Status == done && !b.Available { // a file of that name here is not the one of the row
		remove = s.forget
	}
	c := change.Change{Component: name, Action: "backup.delete", Subject: b.label()}
	if err := s.Run.Act(ctx, c, func(ctx context.Context) error { return remove(ctx, b.ID) }); err != nil {
		return nil, err
	}
	return api.Done(), nil
}

// unused refuses while somebody works with it.
func (s *service) unused(ctx context.Context, b Backup) error {
	// Of a folder that is away nothing is uploaded before it is back, and it may never be.
	if b.Status == running || b.Available && b.awaits() || b.VerifyStatus == running {
		return fault.New(fault.Conflict, "this backup is being made, uploaded or verified; wait until that is complete").WithCode("backup_running")
	}
	if s.Restores == nil {
		return nil
	}
	state, err := s.Restores.State(ctx)
	if err != nil {
		return err
	}
	if state.Backup == b.ID && state.Result == "" {
		return fault.New(fault.Conflict, "this backup is being restored; wait until that is complete").WithCode("backup_running")
	}
	return nil
}
