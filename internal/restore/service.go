package restore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gateway/internal/apply"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
)

// Service is what the API does about restores. It has no more rights than the API: the rest is done by
// units that gateway-apply starts by the id of the archive.
type Service struct {
	Dir     string // the state folder
	DB      db.Pool
	Applier starter
	Schemas func() []db.Schema
	Links   func() ([]string, error) // network interfaces of this node
	Node    string                   // machine id
	Now     func() time.Time

	mu    sync.Mutex
	begun time.Time // when the last restore was asked for
}

// tellsWithin is how long a restore that was asked for may take to tell that it began. If it never does, another one may begin.
const tellsWithin = time.Minute

type starter interface {
	StartJob(ctx context.Context, job, id string) error
}

// Start begins a restore. The answer is that of one that has not done anything yet.
func (s *Service) Start(ctx context.Context, id string, o Options) (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := ReadState(s.Dir)
	if err != nil {
		return before, err
	}
	if before.Started != nil && before.Finished == nil || s.beginning(before) {
		return before, fault.New(fault.Conflict, "another restore is running").WithCode("restore_running")
	}
	if _, err := os.Stat(filepath.Join(s.Dir, ArchivePath(id))); errors.Is(err, fs.ErrNotExist) {
		return before, errNoArchive()
	}
	if err := WriteRequest(s.Dir, id, identity.From(ctx).Actor(), o); err != nil {
		return before, err
	}
	now := s.Now() // it tells a later time, also where it is faster than the answer to us
	if err := apply.InWords(s.Applier.StartJob(ctx, apply.JobRestore, id), nil); err != nil {
		return before, err
	}
	s.begun = now
	return Begun(id, now), nil
}

// beginning reports whether a restore was asked for that has told nothing yet.
func (s *Service) beginning(told State) bool {
	since := s.Now().Sub(s.begun)
	return since >= 0 && since < tellsWithin && (told.Started == nil || told.Started.Before(s.begun))
}

func errNoArchive() error {
	return fault.New(fault.Conflict, "the archive of this backup is missing").WithCode("archive_missing")
}

// State is the restore under way, or the last one.
func (s *Service) State(context.Context) (State, error) { return ReadState(s.Dir) }

// Confirm keeps the restored state.
func (s *Service) Confirm(context.Context) (State, error) { return WriteAnswer(s.Dir, Confirm) }

// Undo brings the state from before back.
func (s *Service) Undo(context.Context) (State, error) { return WriteAnswer(s.Dir, Undo) }

// Verify begins to verify a backup. The result comes into its row, which says by now that it is being verified.
func (s *Service) Verify(ctx context.Context, id string) error {
	if _, err := os.Stat(filepath.Join(s.Dir, ArchivePath(id))); errors.Is(err, fs.ErrNotExist) {
		return errNoArchive()
	}
	return apply.InWords(s.Applier.StartJob(ctx, apply.JobVerify, id), nil)
}
