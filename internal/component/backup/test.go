package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// testTime is what a target has for a test.
const testTime = time.Minute

// TestResult is what came of a test.
type TestResult struct {
	OK      bool            `json:"ok" doc:"Whether a file of 1 KB could be uploaded and deleted again"`
	Error   *fault.Sentence `json:"error,omitempty" doc:"Why not; missing otherwise"`
	HostKey string          `json:"host_key" doc:"For sftp: fingerprint of the host key that the server has; empty: it was not reached"`
}

func (s *service) testRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "test-backup-target", Method: http.MethodPost, Path: targetsPath + "/{id}/test", AtOnce: 2, Timeout: testTime + 15*time.Second,
		Summary:     "Test an off-site target",
		Description: "Uploads a file of 1 KB and deletes it again, within a minute, also while the target is not active. For sftp the host key of the first connection is pinned.",
	}, s.test)
}

type question struct {
	ID string `json:"id"`
}

func (s *service) test(ctx context.Context, in *struct {
	ID string `path:"id" maxLength:"64" doc:"Id of the target"`
},
) (*api.Body[TestResult], error) {
	t, err := s.findTarget(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var out TestResult
	err = s.Run.Act(ctx, change.Change{Component: name, Action: "backup.target.test", Subject: t.Name}, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, testTime+5*time.Second)
		defer cancel()
		err := s.Questions.Ask(ctx, testChannel, question{t.ID}, &out)
		if errors.Is(err, db.ErrUnanswered) {
			return errors.Join(fault.New(fault.Unavailable, "gateway-scheduler, which makes backups, does not answer").WithCode("timeout"), err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.OK(out), nil
}

func (s *service) findTarget(ctx context.Context, id string) (stored, error) {
	if !db.ValidID(id) {
		return stored{}, db.Fault(pgx.ErrNoRows, "target", nil)
	}
	all, err := db.List[stored](ctx, s.DB, selectTargets+` where t.id = $1`, id)
	if err != nil {
		return stored{}, fmt.Errorf("read target %s: %w", id, err)
	}
	if len(all) == 0 {
		return stored{}, db.Fault(pgx.ErrNoRows, "target", nil)
	}
	return all[0], nil
}

// answerTest runs in gateway-scheduler.
func (s *service) answerTest(ctx context.Context, text json.RawMessage) (any, error) {
	var q question
	if err := json.Unmarshal(text, &q); err != nil {
		return nil, fmt.Errorf("decode question: %w", err)
	}
	t, err := s.findTarget(ctx, q.ID)
	if err != nil {
		return nil, err
	}
	to, err := s.target(t)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	seen, err := to.Test(bounded, s.outside())
	out := TestResult{OK: err == nil, HostKey: seen.Fingerprint}
	if err == nil {
		return out, s.pin(ctx, t, seen)
	}
	s.Log.Warn("backup", "target", t.ID, "step", "test", "err", err)
	said := reason(err)
	out.Error = &said
	return out, nil
}
