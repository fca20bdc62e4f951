package restore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// Verification is the first half of a restore, into a database that nobody uses.
type Verification struct {
	Databases RemoteDatabases
	Files     RemoteFiles
}

// Run reads the archive, loads it, and has every renderer run on it. It changes nothing that runs and leaves nothing
// behind. The error says what is wrong with the archive, or why that could not be found out.
func (v Verification) Run(ctx context.Context, id string) (err error) {
	if err := v.Clean(ctx); err != nil { // of one that was killed
		return err
	}
	defer func() { err = errors.Join(err, v.Clean(context.WithoutCancel(ctx))) }()
	p := Plan{ID: id}
	if err := v.Files.StageFor(ctx, p, Verified); err != nil {
		return err
	}
	if err := v.Databases.LoadInto(ctx, p, Verified); err != nil {
		return err
	}
	return v.render(ctx)
}

// Clean removes what one left that was killed. Whoever calls it keeps others from beginning.
func (v Verification) Clean(ctx context.Context) error {
	return errors.Join(v.Databases.Drop(ctx, Verified), v.Files.CleanFor(ctx, Verified))
}

// render refuses what cannot be rendered, unless it is so in the live database too: then the archive is
// as good as what it was made of.
func (v Verification) render(ctx context.Context) error {
	found, err := v.Files.Render(ctx, Verified)
	if err != nil || len(found) == 0 {
		return err
	}
	live, err := v.Files.Render(ctx, Live)
	if err != nil {
		live = nil // nothing to compare with
	}
	found = slices.DeleteFunc(found, func(f string) bool { return slices.Contains(live, f) })
	if len(found) == 0 {
		return nil
	}
	return fault.Say("not everything in the archive can be used: %s", strings.Join(found[:min(len(found), 3)], "; "))
}

// Record writes the result of a verification into the row of the backup. One that did not come to its turn says nothing about
// the archive: the row is as if nobody had tried, and the scheduler tries again.
func Record(ctx context.Context, q db.DB, id string, now time.Time, failure error) error {
	status, reason, at := "done", any(nil), any(now.UTC())
	switch _, occupied := errors.AsType[*occupiedError](failure); {
	case occupied:
		status, at = "none", nil
	case failure != nil:
		s := fault.SentenceOf(failure)
		status, reason, at = "failed", &s, nil
	}
	_, err := q.Exec(ctx, `update backups set verify_status = $2, verify_error = $3, verified_at = coalesce($4, verified_at) where id = $1`, id, status, reason, at)
	return err
}

// Unverified has the row of a backup tell that nobody verifies it, after its verification was ended for something more urgent. One
// that came to its end nevertheless stays as it was recorded.
func Unverified(ctx context.Context, q db.DB, id string) error {
	_, err := q.Exec(ctx, `update backups set verify_status = 'none', verify_error = null where id = $1 and verify_status = 'running'`, id)
	return err
}

// occupiedError is its sentence, and can be told from what is wrong with an archive.
type occupiedError struct{ error }

func (e *occupiedError) Unwrap() error { return e.error }

// Occupied is why a backup was not verified, or restored, while another one was verified or loaded.
func Occupied(wait time.Duration) error {
	return &occupiedError{fault.Say("a verification or a restore did not end within %d minutes", int(wait.Minutes()))}
}
