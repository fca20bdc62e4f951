package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"gateway/internal/api"
	"gateway/internal/auth"
	"gateway/internal/backup"
	"gateway/internal/change"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/resource"
	"gateway/internal/secret"
)

// Settings say when backups are made.
type Settings struct {
	resource.Meta
	Daily  bool `json:"daily" db:"daily"`
	Verify bool `json:"verify" db:"verify"`
}

// SettingsInput is what update takes of them.
type SettingsInput struct {
	Daily  bool `json:"daily" db:"daily" doc:"Make a backup every 24 hours"`
	Verify bool `json:"verify" db:"verify" doc:"Verify each backup after it was made: restore it into a scratch database and render all configurations from it"`
}

func (s *service) settings() resource.Single[Settings, SettingsInput] {
	return resource.Single[Settings, SettingsInput]{
		Component: name, Path: "/backups/settings", Table: "backup_settings", Access: api.Viewer, Summary: "backups",
	}
}

// Status is how well the node is prepared.
type Status struct {
	Passphrase    bool       `json:"passphrase" doc:"Whether a passphrase is set. Without one, backups can be restored on this node alone"`
	Running       string     `json:"running" doc:"Id of the backup that is being made; empty: none"`
	LastSuccessAt *time.Time `json:"last_success_at" doc:"When the latest successful manual or scheduled backup was made; null: none is kept"`
	NextAt        *time.Time `json:"next_at" doc:"When the next daily backup is due; null: daily backups are off"`
	UsedBytes     int64      `json:"used_bytes" doc:"Bytes that the archives on this node take"`
	FreeBytes     int64      `json:"free_bytes" doc:"Bytes that are free on their disk"`
	NeededBytes   int64      `json:"needed_bytes" doc:"Bytes that must be free for the next one, estimated"`
}

// PassphraseInput is a new passphrase.
type PassphraseInput struct {
	Passphrase secret.Text `json:"passphrase" minLength:"12" maxLength:"200" doc:"New passphrase, 12 to 200 characters. This node does not store it: keep it where you find it when this node is lost"`
	PasswordInput
}

func (s *service) statusRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "get-backup-status", Method: http.MethodGet, Path: "/backups/status", Access: api.Viewer,
		Summary:     "Get whether backups are made, can be restored elsewhere, and fit on the disk",
		Description: "The estimates come from the size of the database and from the latest archive.",
	}, s.status)
	api.Handle(r, api.Op{
		ID: "set-backup-passphrase", Method: http.MethodPut, Path: "/backups/passphrase", AtOnce: 1,
		Summary: "Set the passphrase of backups",
		Description: "From the next backup on, an archive can be restored on another node with this passphrase. Existing archives keep the passphrase they were made with. " +
			"It cannot be read or removed. Requires your password: whoever sets it can read the archives. An API token cannot set it.",
	}, s.setPassphrase)
}

func (s *service) status(ctx context.Context, _ *struct{}) (*api.Body[Status], error) {
	var out Status
	err := s.DB.QueryRow(ctx, `select coalesce((select id::text from backups where status = 'running' order by started_at desc limit 1), ''),
		(select max(started_at) from backups where status = 'done' and kind in ('manual', 'scheduled') and started_at <= $1),
		(select coalesce(sum(size), 0)::bigint from backups where status = 'done')`, s.horizon()).
		Scan(&out.Running, &out.LastSuccessAt, &out.UsedBytes)
	if err != nil {
		return nil, fmt.Errorf("read the status of the backups: %w", err)
	}
	if out.Passphrase, err = s.hasPassphrase(); err != nil {
		return nil, err
	}
	t, err := s.times(ctx)
	if err != nil {
		return nil, err
	}
	if t.Daily {
		next := t.next(s.Now())
		out.NextAt = &next
	}
	if out.FreeBytes, out.NeededBytes, err = s.space(ctx); err != nil {
		return nil, err
	}
	return api.OK(out), nil
}

// hasPassphrase makes no keys: a question changes nothing.
func (s *service) hasPassphrase() (bool, error) {
	if _, err := os.Stat(s.keyFile()); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	keys, err := backup.OpenKeys(s.keyFile())
	return err == nil && keys.HasPassphrase(), err
}

// setPassphrase has nothing about it in the audit log but that it was set.
func (s *service) setPassphrase(ctx context.Context, in *struct{ Body PassphraseInput }) (*api.Body[*api.None], error) {
	// It would read archives that it may download, long after it was revoked.
	if identity.From(ctx).TokenID != "" {
		return nil, fault.New(fault.Forbidden, "an API token cannot set the passphrase of backups: it could then read them itself. Sign in, or use gateway-ctl")
	}
	passphrase := in.Body.Passphrase.Reveal()
	var p fault.Problems
	if err := p.Check("passphrase", auth.CheckStrength(passphrase, "")); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	err := s.Run.Act(ctx, change.Change{Component: name, Action: "backup.passphrase.set", Subject: "backups"}, func(ctx context.Context) error {
		if err := s.Users.AskAgain(ctx, in.Body.Password); err != nil {
			return err
		}
		keys, err := backup.OpenKeys(s.keyFile())
		if err != nil {
			return err
		}
		return keys.SetPassphrase(s.keyFile(), passphrase)
	})
	if err != nil {
		return nil, err
	}
	return api.Done(), nil
}
