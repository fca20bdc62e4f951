// Package backup makes backups, keeps as many as wanted, copies them to other places and says how well the
// node is prepared for a loss. gateway-scheduler makes them; what an archive is made of is left to package
// backup/archive, reading the database to backup/dump, reaching other places to backup/offsite, and putting
// one back to package restore.
package backup

import (
	"context"
	"embed"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"gateway/internal/api"
	"gateway/internal/auth"
	"gateway/internal/backup/offsite"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/db"
	"gateway/internal/restore"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	name        = "backup"
	jobName     = "backup.daily"
	targetsPath = "/backup-targets"
)

// Options are what the component needs.
type Options struct {
	DB        db.Pool
	Run       *change.Runner
	Box       *secret.Box
	Setup     *setupstate.Store
	Questions questions // db.Questions, the way to gateway-scheduler
	Host      host      // *sys.Host
	Restores  restores
	Users     users        // *user.Users
	Outside   offsite.Deps // how targets are reached; zero but in tests
	// Schemas are those of all components, once there are all.
	Schemas func() []db.Schema
	Dir     string // folder of the state files
	Version string
	Now     func() time.Time
	Log     *slog.Logger
}

type questions interface {
	Ask(ctx context.Context, channel string, in, out any) error
}

type host interface {
	Interfaces() ([]sys.Interface, error)
	Health() (sys.Health, error)
	Disks(folders ...string) ([]sys.Mounted, error)
}

// restores are what package restore does. Without them, restoring is not available.
type restores interface {
	Preview(ctx context.Context, backup string) (restore.Preview, error)
	Start(ctx context.Context, backup string, o restore.Options) (restore.State, error)
	State(ctx context.Context) (restore.State, error)
	Confirm(ctx context.Context) (restore.State, error)
	Undo(ctx context.Context) (restore.State, error)
	// Verify begins to verify a backup; the result is in its row.
	Verify(ctx context.Context, backup string) error
}

// users ask whoever is signed in for their password once more.
type users interface {
	AskAgain(ctx context.Context, password secret.Text) error
}

type service struct {
	Options
	tickets  *auth.Tickets // for downloads
	foreign  sync.Map      // of known, by id: files beside the archives
	uploader *uploader
	wake     chan struct{} // for work: there may be something to upload
	begun    chan *run     // for work; who sends has the lock, so there is one
	working  sync.Mutex    // held while work ends a backup, beyond the lock
	first    time.Duration // how often it is tried to tidy up after a start
	heeds    time.Duration // how often it is looked whether a target still wants what is on its way
	wait     time.Duration // how long whoever asks for a backup waits for it
}

// New returns the component.
func New(o Options) component.Component { return newService(o).component() }

func newService(o Options) *service {
	return &service{Options: o, tickets: auth.NewTickets(), uploader: newUploader(), wake: make(chan struct{}, 1), begun: make(chan *run, 1), first: firstEvery, heeds: heedEvery, wait: waitAtMost}
}

func (s *service) component() component.Component {
	return component.Component{
		Name: name, Tables: tables(), Migrations: db.Files(migrations), Routes: s.routes, Problems: s.problems(), Background: s.work,
		Kept:    []component.Kept{s.kept()},
		Support: []component.Support{{File: "backups.json", Read: component.Answer("/backups")}, {File: "status.json", Read: component.Answer("/backups/status")}},
		Jobs:    []component.Job{{Name: jobName, Where: component.OnEveryNode, Every: tickEvery, Run: s.tick}},
		Answers: map[string]func(context.Context, json.RawMessage) (any, error){runChannel: s.answer, testChannel: s.answerTest},
		Objects: []component.Object{
			{Key: "settings", Path: "/backups/settings", Single: true},
			{
				Key: "targets", Path: targetsPath, Name: []string{"name"},
				Derived: []string{"target_url", "host_key", "last_upload_at", "last_error", "last_error_at", "foreign_archives"},
			},
		},
	}
}

// tables: which archives there are, here and at targets, is not the same after a restore, so their rows do not travel. The host keys of servers do. The verification runs as another process, which tells its result in the row.
func tables() []db.Table {
	kept := &db.Rights{Insert: true, Update: db.EveryColumn, Delete: true}
	return []db.Table{
		{Name: "backups", Scope: db.History, NoBackup: true, API: kept, Applier: &db.Rights{Update: []string{"verify_status", "verified_at", "verify_error"}}},
		{Name: "backup_uploads", Scope: db.History, NoBackup: true, API: &db.Rights{Insert: true, Delete: true}},
		{Name: "backup_settings", Scope: db.NodeLocal},
		{Name: "backup_targets", Scope: db.NodeLocal, Omit: []string{"secrets"}},
		{Name: "backup_target_status", Scope: db.History, BackupSince: 150, API: kept},
	}
}

func (s *service) routes(r api.Router) {
	s.backupRoutes(r)
	s.statusRoutes(r)
	s.settings().Register(r, s.DB, s.Run)
	s.targets().Register(r, s.DB, s.Run)
	s.testRoute(r)
	s.restoreRoutes(r)
}
