package backup

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"time"

	"gateway/internal/api"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/secret"
)

// downloadTime is for an archive over a slow line.
const downloadTime = time.Hour

func (s *service) downloadRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "allow-backup-download", Method: http.MethodPost, Path: "/backups/{id}/download-ticket",
		Summary: "Get a ticket for downloading the archive of a backup",
		Description: "Requires your password, so that a stolen session cannot take the keys of this node away. " +
			"The ticket is good for one download of this backup by this session, within a minute. An API token needs neither password nor ticket.",
	}, s.allowDownload)
	api.Raw(r, api.Op{
		ID: "download-backup", Method: http.MethodGet, Path: "/backups/{id}/download", Timeout: downloadTime, Switched: true,
		Query:   map[string]string{"ticket": "From POST /backups/{id}/download-ticket; needed by a session, not by an API token"},
		Summary: "Download the archive of a backup",
		Description: "The archive is encrypted: it can be read on this node, and elsewhere with the passphrase that was set when it was made. " +
			"Every download is in the audit log.",
	}, "application/octet-stream", s.download)
}

// DownloadTicket lets a session download an archive once.
type DownloadTicket struct {
	Ticket    string    `json:"ticket" doc:"Send it as ticket in the query of GET /backups/{id}/download"`
	ExpiresAt time.Time `json:"expires_at" doc:"When it stops working, used or not"`
}

// PasswordInput is one's own password, once more.
type PasswordInput struct {
	Password secret.Text `json:"password,omitempty" maxLength:"1024" doc:"Your password, once more. An API token and gateway-ctl need none"`
}

func (s *service) allowDownload(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"64" doc:"Id of the backup"`
	Body PasswordInput
},
) (*api.Body[DownloadTicket], error) {
	b, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := b.complete(); err != nil {
		return nil, err
	}
	c := change.Change{Component: name, Action: "backup.ticket.issue", Subject: b.label()}
	if err := s.Run.Act(ctx, c, func(ctx context.Context) error { return s.Users.AskAgain(ctx, in.Body.Password) }); err != nil {
		return nil, err
	}
	now := s.Now()
	ticket := s.tickets.Issue(now, identity.From(ctx).SessionID, b.ID)
	return api.OK(DownloadTicket{Ticket: ticket.Reveal(), ExpiresAt: now.Add(auth.TicketTime)}), nil
}

// mayDownload asks a session for its ticket. An API token stands for a program that fetches archives: it cannot set the
// passphrase that opens them.
func (s *service) mayDownload(ctx context.Context, id, ticket string) error {
	me := identity.From(ctx)
	if me.Local || me.TokenID != "" || s.tickets.Redeem(s.Now(), ticket, me.SessionID, id) {
		return nil
	}
	return fault.New(fault.Forbidden, "a download needs a ticket, which POST /backups/{id}/download-ticket gives for your password; this one is missing or used").WithCode("ticket_required")
}

// download streams the archive. The audit log has it before the first byte.
func (s *service) download(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	b, err := s.find(ctx, r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := b.complete(); err != nil {
		return err
	}
	if err := s.mayDownload(ctx, b.ID, r.URL.Query().Get("ticket")); err != nil {
		return err
	}
	var f *os.File
	c := change.Change{Component: name, Action: "backup.download", Subject: b.label()}
	err = s.Run.Act(ctx, c, func(context.Context) (err error) {
		f, err = os.Open(s.path(b.ID))
		if errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.NotFound, "the archive of this backup is not on this node any more").WithCode("archive_missing")
		}
		return err
	})
	if err != nil {
		return err
	}
	defer f.Close()
	// The server's limit is for answers that fit into memory. Who answers gateway-ctl has none.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTime))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", `attachment; filename="gateway-`+b.StartedAt.UTC().Format("20060102T150405Z")+"-"+b.File+`"`)
	http.ServeContent(w, r, "", b.StartedAt, f)
	return nil
}
