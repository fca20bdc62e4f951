package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/backup/archive"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/restore"
)

func (s *service) restoreRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "verify-backup", Method: http.MethodPost, Path: "/backups/{id}/verify", Status: http.StatusAccepted,
		Summary:     "Verify a backup",
		Description: "Restores it into a scratch database, compares all sums and renders all configurations from it. Nothing of what runs is touched. The result is in verify_status of the backup. 409 while a backup is being verified or restored.",
	}, s.verify)
	api.Handle(r, api.Op{
		ID: "preview-restore", Method: http.MethodGet, Path: "/backups/{id}/preview", Access: api.Admin, AtOnce: 1, Timeout: 2 * time.Minute, Switched: true,
		Summary: "Preview a restore", Description: "What a restore of this backup would change. Nothing is changed. 409 if the backup is not complete, or its archive is damaged.",
	}, s.preview)
	api.Handle(r, api.Op{
		ID: "start-restore", Method: http.MethodPost, Path: "/backups/{id}/restore", Status: http.StatusAccepted, Timeout: waitAtMost + 10*time.Second,
		Summary: "Restore a backup",
		Description: "Replaces the database and the state files by those of the backup, and applies them. It runs in a process of its own, see GET /backups/restore; meanwhile the API does not respond for a while. " +
			"Requires your password: the users and their passwords are those of the backup afterwards. An API token needs none. All sessions end: sign in again, and confirm; otherwise it is undone.",
	}, s.startRestore)
	api.Handle(r, api.Op{
		ID: "get-restore", Method: http.MethodGet, Path: "/backups/restore", Access: api.Viewer, WithoutDatabase: true,
		Summary: "Get the state of the restore", Description: "The one that is running, otherwise the last one. Also available while the database is not.",
	}, s.restoreState)
	api.Handle(r, api.Op{
		ID: "confirm-restore", Method: http.MethodPost, Path: "/backups/restore/confirm", WithoutDatabase: true,
		Summary: "Confirm a restore", Description: "The restored state stays, and the one from before is deleted. 409 if no restore waits for it.",
	}, s.confirmRestore)
	api.Handle(r, api.Op{
		ID: "undo-restore", Method: http.MethodPost, Path: "/backups/restore/undo", WithoutDatabase: true,
		Summary: "Undo a restore", Description: "The state from before the restore comes back. 409 if no restore waits for a confirmation.",
	}, s.undoRestore)
}

func notYet() error {
	return fault.New(fault.Unavailable, "this is not available in this version").WithCode("not_available")
}

// act does what concerns a backup, with its entry in the audit log.
func (s *service) act(ctx context.Context, action string, b Backup, fn func(ctx context.Context) error) error {
	c := change.Change{Component: name, Action: action, Subject: b.label()}
	return s.Run.Act(ctx, c, func(ctx context.Context) error {
		if s.Restores == nil {
			return notYet()
		}
		return fn(ctx)
	})
}

// label is how the audit log calls a backup.
func (b Backup) label() string { return b.StartedAt.UTC().Format("2006-01-02 15:04:05 UTC") }

// complete refuses what has no archive that could be used.
func (b Backup) complete() error {
	if b.Status != done {
		return fault.New(fault.Conflict, "this backup is not complete").WithCode("backup_incomplete")
	}
	if !b.Available {
		return fault.With(fault.Conflict, archiveMissing()).WithCode("archive_missing")
	}
	return nil
}

func (s *service) verify(ctx context.Context, in *byID) (*api.Body[Backup], error) {
	b, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := b.complete(); err != nil {
		return nil, err
	}
	err = s.act(ctx, "backup.verify", b, func(ctx context.Context) error {
		under, err := s.restoring(ctx)
		if under { // which may load for longer than a verification waits for its turn
			return fault.New(fault.Conflict, "a restore is running; wait until that is complete").WithCode("restore_running")
		}
		if err == nil {
			err = s.beginVerify(ctx, b.ID)
		}
		if errors.Is(err, errVerifying) {
			return fault.New(fault.Conflict, "a backup is being verified; wait until that is complete").WithCode("backup_running")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.get(ctx, in)
}

// errVerifying means that a backup is being verified: there is one scratch database.
var errVerifying = errors.New("a backup is being verified")

// noteVerify has the row of a backup tell that it is being verified, and answers what it told before. One that was killed
// hinders nobody.
func (s *service) noteVerify(ctx context.Context, id string) (was verdict, err error) {
	now := s.Now()
	err = pgx.BeginFunc(ctx, s.DB, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('gateway/backup/verify', 0))`); err != nil {
			return err
		}
		before, err := db.List[verdict](ctx, tx, `select case verify_status when 'running' then 'none' else verify_status end, verify_error from backups where id = $1`, id)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `update backups set verify_status = 'running', verify_started_at = $2, verify_error = null where id = $1
			and not exists (select from backups where verify_status = 'running' and verify_started_at between $3 and $4)`, id, now, now.Add(-verifyTime), s.horizon())
		if err == nil && (tag.RowsAffected() == 0 || len(before) == 0) {
			err = errVerifying
		}
		if err == nil {
			was = before[0]
		}
		return err
	})
	return was, err
}

// beginVerify has a backup verified. Its row tells that, and the verification tells the end there.
func (s *service) beginVerify(ctx context.Context, id string) error {
	was, err := s.noteVerify(ctx, id)
	if err != nil {
		return fmt.Errorf("begin to verify backup %s: %w", id, err)
	}
	err = s.Restores.Verify(ctx, id)
	if err == nil {
		return nil
	}
	return errors.Join(err, s.notBegun(context.WithoutCancel(ctx), id, was))
}

// notBegun has a row tell what it told before. That nobody could begin says nothing about the archive; tidy tries again.
func (s *service) notBegun(ctx context.Context, id string, was verdict) error {
	_, err := s.DB.Exec(ctx, `update backups set verify_status = $2, verify_error = $3 where id = $1`, id, was.Status, was.Error)
	return err
}

// verdict is what came of the last verification of a backup.
type verdict struct {
	Status string
	Error  *fault.Sentence
}

// verifyLater verifies what was just made, if that is wanted, and no restore is under way: tidy does it, once that is over.
func (s *service) verifyLater(ctx context.Context, id string) error {
	if under, err := s.restoring(ctx); err != nil || under {
		return err
	}
	var wanted bool
	if err := s.DB.QueryRow(ctx, `select verify from backup_settings`).Scan(&wanted); err != nil {
		return fmt.Errorf("read the settings of the backups: %w", err)
	}
	if !wanted || s.Restores == nil {
		return nil
	}
	if err := s.beginVerify(ctx, id); !errors.Is(err, errVerifying) {
		return err
	}
	return nil // tidy does it, once that is over
}

func (s *service) preview(ctx context.Context, in *byID) (*api.Body[restore.Preview], error) {
	b, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := b.complete(); err != nil {
		return nil, err
	}
	if s.Restores == nil {
		return nil, notYet()
	}
	p, err := s.Restores.Preview(ctx, b.ID)
	if err != nil {
		return nil, unreadable(err)
	}
	return api.OK(p), nil
}

// unreadable says in words that an archive is not as it was written.
func unreadable(err error) error {
	for _, one := range []error{archive.ErrForeign, archive.ErrDamaged, archive.ErrKey, archive.ErrNewer} {
		if errors.Is(err, one) {
			return errors.Join(fault.With(fault.Conflict, damagedArchive()).WithCode("archive_damaged"), err)
		}
	}
	return err
}

// RestoreInput is what a restore is started with.
type RestoreInput struct {
	restore.Options
	PasswordInput
}

func (s *service) startRestore(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"64" doc:"Id of the backup"`
	Body RestoreInput
},
) (*api.Body[restore.State], error) {
	b, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := b.complete(); err != nil {
		return nil, err
	}
	var state restore.State
	err = s.act(ctx, "backup.restore.start", b, func(ctx context.Context) (err error) {
		if err := s.Users.AskAgain(ctx, in.Body.Password); err != nil {
			return err
		}
		if err := s.startable(ctx, b.ID, in.Body.Options); err != nil {
			return err
		}
		if err := s.snapshot(ctx); err != nil {
			return err
		}
		state, err = s.Restores.Start(ctx, b.ID, in.Body.Options)
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.OK(state), nil
}

// startable refuses what package restore would refuse, before a snapshot is made for it.
func (s *service) startable(ctx context.Context, id string, o restore.Options) error {
	under, err := s.restoring(ctx)
	if err != nil {
		return err
	}
	if under {
		return fault.New(fault.Conflict, "another restore is running").WithCode("restore_running")
	}
	if _, err := os.Stat(s.path(id)); errors.Is(err, fs.ErrNotExist) {
		return fault.With(fault.Conflict, archiveMissing()).WithCode("archive_missing")
	}
	o.ConfirmWithin = cmp.Or(o.ConfirmWithin, int(waitToConfirm.Seconds()))
	_, err = restore.ParseRequest(id, []byte(asJSON(o)))
	return err
}

// waitToConfirm is how long a restore waits when nobody says how long.
const waitToConfirm = 10 * time.Minute

func archiveMissing() fault.Sentence { return fault.Said("the archive of this backup is missing") }

// restoring says whether a restore is under way.
func (s *service) restoring(ctx context.Context) (bool, error) {
	if s.Restores == nil {
		return false, nil
	}
	state, err := s.Restores.State(ctx)
	return state.Started != nil && state.Finished == nil, err
}

// snapshot backs up what there is now, which the restore replaces.
func (s *service) snapshot(ctx context.Context) error {
	b, err := s.order(ctx, beforeRestore)
	if err != nil {
		return err
	}
	if b.Status == failed && b.Error != nil {
		return fault.New(fault.Conflict, "the backup of the current state failed: %s", *b.Error).WithCode("backup_failed")
	}
	if b.Status != done {
		return fault.New(fault.Conflict, "the backup of the current state is not complete yet; wait for it, then restore").WithCode(codeRunning)
	}
	return nil
}

func (s *service) restoreState(ctx context.Context, _ *struct{}) (*api.Body[restore.State], error) {
	if s.Restores == nil {
		return api.OK(restore.State{Steps: []restore.Step{}}), nil
	}
	state, err := s.Restores.State(ctx)
	if err != nil {
		return nil, err
	}
	state.Error = worded(state.Error, unrestoredUnknown())
	// It is read from a file, which does not know when it is read.
	if state.ConfirmUntil != nil && state.Result == "" {
		state.SecondsLeft = max(0, int(state.ConfirmUntil.Sub(s.Now()).Seconds()))
	}
	return api.OK(state), nil
}

func (s *service) confirmRestore(ctx context.Context, _ *struct{}) (*api.Body[restore.State], error) {
	return s.end(ctx, "backup.restore.confirm", restores.Confirm)
}

func (s *service) undoRestore(ctx context.Context, _ *struct{}) (*api.Body[restore.State], error) {
	return s.end(ctx, "backup.restore.undo", restores.Undo)
}

// end confirms or undoes. Whether one waits for it is known only to package restore.
func (s *service) end(ctx context.Context, action string, how func(restores, context.Context) (restore.State, error)) (*api.Body[restore.State], error) {
	var state restore.State
	err := s.Run.Act(ctx, change.Change{Component: name, Action: action, Subject: "restore"}, func(ctx context.Context) (err error) {
		if s.Restores == nil {
			return fault.New(fault.Conflict, "no restore waits for a confirmation").WithCode("no_restore")
		}
		state, err = how(s.Restores, ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.OK(state), nil
}
