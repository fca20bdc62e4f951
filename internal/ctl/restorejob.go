package ctl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/applier"
	"gateway/internal/apply"
	"gateway/internal/audit"
	archives "gateway/internal/backup"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/process"
	"gateway/internal/restore"
	"gateway/internal/secret/privatefile"
	"gateway/internal/sys"
)

// These are what the units of a restore run; an operator uses "restore".

func restoreRun(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "restore-run ID", Short: "Restore a backup, as gateway-restore@.service does", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := asJob(cmd.Context(), cfg, false, func(ctx context.Context, j *restore.Job, h *restore.Helpers) error {
				if under, err := j.Journal.Read(); err != nil || under != nil {
					return errors.Join(err, j.Resume(ctx))
				}
				plan, err := readPlan(h.State, args[0])
				if err != nil { // trying again would not help
					j.Log.Error("the restore was refused", "id", args[0], "err", err)
					return restore.RemoteFiles{Helpers: h}.Tell(ctx, restore.NotBegun(args[0], time.Now(), err))
				}
				return j.Run(ctx, plan)
			})
			if errors.Is(err, privatefile.ErrLocked) { // the unit must not try again: it would begin once the other one is over
				process.NewLog(process.EnvLevel()).Error("the restore was refused", "id", args[0], "err", errRestoring())
				return nil
			}
			return err
		},
	}
}

func restoreResume(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "restore-resume", Short: "End a restore that a restart of the node interrupted", Args: cobra.NoArgs, Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return asJob(cmd.Context(), cfg, true, func(ctx context.Context, j *restore.Job, _ *restore.Helpers) error {
				j.Settled = func() { ready(j.Log) }
				err := j.Resume(ctx)
				if err == nil { // also when there was nothing to settle
					ready(j.Log)
				}
				return err
			})
		},
	}
}

// ready tells systemd that whoever waits for the resume may start.
func ready(log *slog.Logger) {
	if _, err := systemd.SdNotify(false, systemd.SdNotifyReady); err != nil {
		log.Error("tell systemd", "err", err) // it waits until its limit then
	}
}

func restoreVerify(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "restore-verify ID", Short: "Verify a backup, as gateway-verify@.service does", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !backupID.MatchString(args[0]) {
				return usage(cmd, fmt.Errorf("%q is not the id of a backup", args[0]))
			}
			h, err := newHelpers(cfg)
			if err != nil {
				return err
			}
			defer h.Close()
			found := verifyAlone(cmd.Context(), h, args[0])
			if found != nil {
				process.NewLog(process.EnvLevel()).Error("verify the backup", "id", args[0], "err", found)
			}
			conn, err := pgx.Connect(cmd.Context(), applier.Defaults().Database)
			if err != nil {
				return err
			}
			defer conn.Close(context.WithoutCancel(cmd.Context()))
			return restore.Record(cmd.Context(), conn, args[0], time.Now(), found)
		},
	}
}

// verifyWait is how long a verification waits for another one.
const verifyWait = 10 * time.Minute

// noVerification waits until nobody verifies, and keeps others from it.
func noVerification(ctx context.Context) (release func(), err error) {
	return alone(ctx, filepath.Join(applier.Defaults().StateDir, "restore", "verify"), verifyWait)
}

// verifyAlone verifies while no other process does: all of them use the same database and folder.
func verifyAlone(ctx context.Context, h *restore.Helpers, id string) error {
	unlock, err := noVerification(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return restore.Verification{Databases: restore.RemoteDatabases{Helpers: h}, Files: restore.RemoteFiles{Helpers: h}}.Run(ctx, id)
}

// alone waits for the lock of path, but not for ever.
func alone(ctx context.Context, path string, wait time.Duration) (unlock func(), err error) {
	type lock struct {
		release func()
		err     error
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	got := make(chan lock)
	go func() {
		release, err := privatefile.Lock(path)
		select {
		case got <- lock{release, err}:
		case <-ctx.Done(): // nobody waits any more
			if err == nil {
				release()
			}
		}
	}()
	select {
	case l := <-got:
		return l.release, l.err
	case <-ctx.Done():
		return nil, restore.Occupied(wait)
	}
}

// restoreHelper is one step, as another user than root.
func restoreHelper(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: restore.HelperCommand + " STEP", Short: "One step of a restore", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := newWorker(cfg, args[0])
			if err != nil {
				return err
			}
			return w.Act(cmd.Context(), args[0], cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

// handedOver is the descriptor that a helper finds the archive at.
const handedOver = 3

func newWorker(cfg *app.Config, step string) (w restore.Worker, err error) {
	blueprint, err := app.Blueprint()
	if err != nil {
		return w, err
	}
	health, err := sys.NewHost(time.Now).Health()
	if err != nil {
		return w, fmt.Errorf("read machine: %w", err)
	}
	w = restore.Worker{
		Cluster: restore.Cluster{
			Address: func(name string) string { return "host=/run/postgresql user=postgres dbname=" + name }, Node: health.MachineID, Now: time.Now,
		},
		Folder:  restore.Folder{Dir: cfg.StateDir, Names: archives.StateFiles},
		Schemas: blueprint.Schemas(),
		Render: func(ctx context.Context, database, key string) ([]string, error) {
			return app.Judge(ctx, "host=/run/postgresql user=gateway dbname="+database, key)
		},
		Snapshot: func(ctx context.Context) error { return app.Snapshot(ctx, cfg.Database) },
		Preview: func(ctx context.Context, id string) (restore.Preview, error) {
			pool, err := db.Open(cfg.Database)
			if err != nil {
				return restore.Preview{}, err
			}
			defer pool.Close()
			s := restore.Service{
				Dir: cfg.StateDir, DB: pool, Schemas: blueprint.Schemas, Links: func() ([]string, error) { return nil, nil }, Node: health.MachineID, Now: time.Now,
			}
			return s.Preview(ctx, id)
		},
	}
	if restore.ReadsArchive(step) {
		w.Archive = os.NewFile(handedOver, "archive")
	}
	return w, nil
}

func newHelpers(cfg *app.Config) (*restore.Helpers, error) {
	state, err := os.OpenRoot(cfg.StateDir)
	if err != nil {
		return nil, err
	}
	return &restore.Helpers{Run: sys.Run, Program: program, State: state, Anchors: filepath.Join(applier.Defaults().StateDir, audit.AnchorFile)}, nil
}

// program is what helpers are started from.
const program = "/usr/sbin/gateway-ctl"

// restoreJournal is the journal of restores, which root alone reads and writes.
func restoreJournal() *restore.Journal {
	return &restore.Journal{Path: filepath.Join(applier.Defaults().StateDir, "restore", "journal.json")}
}

func errRestoring() error {
	return fault.New(fault.Conflict, "another restore is running").WithCode("restore_running")
}

// noneElse refuses while a restore of another archive than this is under way. It looks into root's own journal: what the
// API's folder says of it, whoever captured the API says too.
func noneElse(journal *restore.Journal, id string) error {
	found, err := journal.Read()
	if err == nil && found != nil && found.Plan.ID != id {
		err = errRestoring()
	}
	return err
}

// lockJob has one job at a time: at boot the resume waits for another one, and a restore that is asked for is refused at once.
// Queued, it would begin hours later, when nobody thinks of it.
func lockJob(journal *restore.Journal, boot bool) (unlock func(), err error) {
	if boot {
		return privatefile.Lock(journal.Path)
	}
	return privatefile.TryLock(journal.Path)
}

// asJob runs fn with the job of this node; privatefile.ErrLocked while there is another one.
func asJob(ctx context.Context, cfg *app.Config, boot bool, fn func(context.Context, *restore.Job, *restore.Helpers) error) error {
	root := applier.Defaults()
	journal := restoreJournal()
	if err := os.MkdirAll(filepath.Dir(journal.Path), 0o700); err != nil {
		return err
	}
	unlock, err := lockJob(journal, boot)
	if err != nil {
		return err
	}
	defer unlock()
	h, err := newHelpers(cfg)
	if err != nil {
		return err
	}
	defer h.Close()
	clock, err := apply.SystemClock(root.RunDir)
	if err != nil {
		return err
	}
	units := sys.NewUnits()
	defer units.Close()
	log := process.NewLog(process.EnvLevel())
	files := restore.RemoteFiles{Helpers: h}
	job := &restore.Job{
		Journal: journal, Databases: restore.RemoteDatabases{Helpers: h}, Files: files, Console: files,
		Services: restore.NodeServices{
			Units: units, Applier: apply.Client{Socket: cfg.ApplySocket}, Health: "http://" + cfg.Listen + "/api/v1/system/health", Boot: boot, Log: log,
		},
		Render: func(ctx context.Context) error { return renderAll(ctx, files, log) }, Alone: func(ctx context.Context) (func(), error) { return urgent(ctx, h, units, log) },
		Clock: restore.Clock{Now: clock.Now, Uptime: clock.Uptime, Boot: clock.Boot}, Log: log, At: failpoint(root.RunDir),
	}
	return fn(ctx, job, h)
}

// renderAll notes what cannot be used; it does not keep a node from being restored as it was.
func renderAll(ctx context.Context, files restore.RemoteFiles, log *slog.Logger) error {
	unusable, err := files.Render(ctx, restore.Restored)
	for _, u := range unusable {
		log.Warn("this part of the backup cannot be used", "what", u)
	}
	return err
}

// readPlan validates the request; root trusts nothing in the folder of the API.
func readPlan(state *os.Root, id string) (restore.Plan, error) {
	if !backupID.MatchString(id) {
		return restore.Plan{}, fmt.Errorf("%q is not the id of a backup", id)
	}
	data, err := restore.ReadNote(state, restore.RequestPath(id))
	if err != nil {
		return restore.Plan{}, fmt.Errorf("read the request: %w", err)
	}
	return restore.ParseRequest(id, data)
}
