package backup

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// The kinds of backups.
const (
	manual        = "manual"
	scheduled     = "scheduled"
	beforeRestore = "before-restore"
	found         = "found"
)

// How far a backup, a verification or an upload is.
const (
	none    = "none"
	pending = "pending"
	running = "running"
	done    = "done"
	failed  = "failed"
)

// Backup is one backup.
type Backup struct {
	ID            string          `json:"id" doc:"Opaque"`
	File          string          `json:"file" doc:"Name of the archive on this node. At off-site targets, the name also has the host and the time" example:"019a9b3c-0000-7000-8000-000000000000.gwb"`
	Size          int64           `json:"size" doc:"Size of the archive in bytes"`
	SHA256        string          `json:"sha256" doc:"SHA-256 of the archive in hexadecimal; empty until it is complete"`
	DBBytes       int64           `json:"db_bytes" doc:"Bytes of the database in it, before compression"`
	FilesBytes    int64           `json:"files_bytes" doc:"Bytes of the state files in it, before compression"`
	Kind          string          `json:"kind" enum:"manual,scheduled,before-restore,found" doc:"Why it was made: on request, by the daily schedule, or before a restore; or that it was found beside the others, after the database was lost"`
	Status        string          `json:"status" enum:"running,done,failed" doc:"done: the archive is complete. Uploads may still be running, see remote_uploads"`
	Error         *fault.Sentence `json:"error,omitempty" doc:"Why it failed; missing otherwise"`
	Host          string          `json:"host" doc:"Name of the node that it was made on"`
	Version       string          `json:"version" doc:"Version of the product that made it"`
	Portable      bool            `json:"portable" doc:"Whether it can be restored on another node with the passphrase. false: no passphrase was set, so it can be restored on this node alone"`
	StartedAt     time.Time       `json:"started_at" doc:"When it began"`
	FinishedAt    *time.Time      `json:"finished_at" doc:"When the archive was complete, or failed; null while it is running"`
	Progress      *Progress       `json:"progress,omitempty" doc:"What is being done; missing when nothing is"`
	RemoteUploads []Upload        `json:"remote_uploads" nullable:"false" doc:"The result for each off-site target that was active"`
	VerifyStatus  string          `json:"verify_status" enum:"none,running,done,failed" doc:"How its verification went: it is restored into a scratch database and all configurations are rendered from it"`
	VerifiedAt    *time.Time      `json:"verified_at" doc:"When it was last verified; null: never successfully"`
	VerifyError   *fault.Sentence `json:"verify_error,omitempty" doc:"Why the last verification failed; missing otherwise"`
	Available     bool            `json:"available" doc:"Whether its archive is on this node now. false: it is not complete, or in a file system that is not mounted"`
}

// Progress is how far a backup is.
type Progress struct {
	Step  string `json:"step" enum:"database,upload" doc:"What is being done"`
	Done  int64  `json:"done" doc:"Bytes done in this step"`
	Total int64  `json:"total" doc:"Bytes in this step, estimated; 0: not known"`
}

// Upload is the result for one target.
type Upload struct {
	TargetID string          `json:"target_id" doc:"Id of the target"`
	Name     string          `json:"name" doc:"Name of the target at that time"`
	State    string          `json:"state" enum:"pending,done,failed" doc:"How far it is"`
	At       *time.Time      `json:"at" doc:"When it ended; null: not yet"`
	Error    *fault.Sentence `json:"error,omitempty" doc:"Why it failed; missing otherwise"`
}

// codeRunning tells that a backup is being made.
const codeRunning = "backup_running"

// waitAtMost is how long POST /backups waits; the server ends every answer after three minutes.
const waitAtMost = 110 * time.Second

func (s *service) backupRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-backups", Method: http.MethodGet, Path: "/backups", Access: api.Viewer,
		Summary: "List backups", Description: "The newest first. As many of the latest are kept as /system/retention says, and the latest of each day for as many days; besides the latest 3 from before a restore, and the latest 20 failed ones.",
	}, s.list)
	api.Handle(r, api.Op{
		ID: "create-backup", Method: http.MethodPost, Path: "/backups", Status: http.StatusCreated, Timeout: waitAtMost + 10*time.Second,
		Summary: "Make a backup now",
		Description: "Responds when the archive is complete and was uploaded to every active target. After 110 seconds it responds with what there is, and the backup goes on. " +
			"If the backup fails, its status and error say so. One backup runs at a time; otherwise the response is 409.",
	}, s.create)
	api.Handle(r, api.Op{
		ID: "get-backup", Method: http.MethodGet, Path: "/backups/{id}", Access: api.Viewer,
		Summary: "Get one backup", Description: "While it is running, its progress is part of it.",
	}, s.get)
	api.Handle(r, api.Op{
		ID: "delete-backup", Method: http.MethodDelete, Path: "/backups/{id}",
		Summary: "Delete a backup", Description: "Removes the archive and its entry. Copies at off-site targets stay.",
	}, s.delete)
	s.downloadRoutes(r)
}

type byID struct {
	ID string `path:"id" maxLength:"64" doc:"Id of the backup"`
}

// selectBackups reads them; $1 is the mark of the folder.
const selectBackups = `select id::text, file, size, sha256, db_bytes, files_bytes, kind, status, error, host, version, portable, started_at, finished_at, progress,
	remote_uploads, verify_status, verified_at, verify_error, status = 'done' and folder in ('', $1) from backups`

func (s *service) list(ctx context.Context, _ *struct{}) (*api.Body[[]Backup], error) {
	here, err := s.here()
	if err != nil {
		return nil, err
	}
	all, err := db.List[Backup](ctx, s.DB, selectBackups+` order by started_at desc, id desc limit 1000`, here)
	if err != nil {
		return nil, fmt.Errorf("list backups: %w", err)
	}
	for i := range all {
		all[i].VerifyError = worded(all[i].VerifyError, unverifiedUnknown())
	}
	return api.OK(all), nil
}

// find reads one.
func (s *service) find(ctx context.Context, id string) (Backup, error) {
	if !db.ValidID(id) {
		return Backup{}, db.Fault(pgx.ErrNoRows, "backup", nil)
	}
	here, err := s.here()
	if err != nil {
		return Backup{}, err
	}
	all, err := db.List[Backup](ctx, s.DB, selectBackups+` where id = $2`, here, id)
	if err != nil {
		return Backup{}, fmt.Errorf("read backup %s: %w", id, err)
	}
	if len(all) == 0 {
		return Backup{}, db.Fault(pgx.ErrNoRows, "backup", nil)
	}
	all[0].VerifyError = worded(all[0].VerifyError, unverifiedUnknown())
	return all[0], nil
}

func (s *service) get(ctx context.Context, in *byID) (*api.Body[Backup], error) {
	b, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return api.OK(b), nil
}
