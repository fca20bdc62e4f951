package backup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

const page = "/backups"

var (
	runFailed = problem.Kind{
		Code: "backup.failed", Severity: problem.Error, Alert: "backup.failed",
		Message: "The last backup failed: {reason}",
		Remedy:  "Remove the cause, and make a backup under Backups. A daily one is tried again after an hour.",
	}
	never = problem.Kind{
		Code: "backup.never", Severity: problem.Warning, Alert: "backup.old",
		Message: "No backup has been made yet",
		Remedy:  "Make one under Backups. If daily ones are on, check gateway-scheduler (systemctl status gateway-scheduler).",
	}
	old = problem.Kind{
		Code: "backup.old", Severity: problem.Warning, Alert: "backup.old",
		Message: "The last successful backup is of {at}",
		Remedy:  "Make one under Backups. Daily ones are made by gateway-scheduler (systemctl status gateway-scheduler).",
	}
	unverified = problem.Kind{
		Code: "backup.unverified", Severity: problem.Error, Alert: "backup.unverified",
		Message: "The backup of {at} could not be verified: {reason}",
		Remedy:  "It may not be restorable. Make another one under Backups and verify it; if that fails too, the log says why (journalctl -u 'gateway-verify@*').",
	}
	noPassphrase = problem.Kind{
		Code: "backup.no_passphrase", Severity: problem.Warning,
		Message: "Backups can be restored on this node alone, because no passphrase is set",
		Remedy:  "Set a passphrase under Backups and keep it elsewhere: with it and an archive, another node can take over.",
	}
	targetFails = problem.Kind{
		Code: "backup.target_fails", Severity: problem.Warning,
		Message: "Backups do not arrive at {target}: {reason}",
		Remedy:  "Check the target under Backups, Off-site targets, and test it. The next backup is uploaded again.",
	}
	diskFull = problem.Kind{
		Code: "backup.disk_full", Severity: problem.Warning,
		Message: "The next backup does not fit on the disk: {free} MB are free, about {needed} MB are needed",
		Remedy:  "Delete old backups under Backups, keep fewer of them, or free some space.",
	}
	folderAway = problem.Kind{
		Code: "backup.folder_away", Severity: problem.Error, Alert: "backup.folder_away",
		Message: "Backups are not available ({count}): another file system is at {folder}",
		Remedy:  "Mount the file system of the backups again (findmnt shows what is mounted). If it is lost, delete these backups from the list.",
	}
	restoreWaiting = problem.Kind{
		Code: "backup.restore_waiting", Severity: problem.Warning,
		Message: "A restore waits for its confirmation until {until}; otherwise it is undone",
		Remedy:  "Check that the gateway works, then confirm it under Backups.",
	}
	restoreBlocked = problem.Kind{
		Code: "backup.restore_blocked", Severity: problem.Warning,
		Message: "A restore was undone, but what it made cannot be removed; until then no backup is uploaded, verified or restored",
		Remedy:  "Free some space on the disk. It is tried again every minute; the log says why it fails (journalctl -u 'gateway-restore*').",
	}
)

// oldAfter is after how long daily backups are overdue: one may be missed.
const oldAfter = 2*day + time.Hour

func (s *service) problems() problem.Source {
	return problem.Source{
		Kinds:   []problem.Kind{runFailed, never, old, unverified, noPassphrase, targetFails, diskFull, folderAway, restoreWaiting, restoreBlocked},
		Objects: []string{"backup_target"},
		Find:    s.findProblems,
	}
}

func subject(id string) problem.Subject {
	return problem.Subject{Kind: "component", ID: id, Name: "Backups"}
}

// findProblems finds what waits for a confirmation also without a database.
func (s *service) findProblems(ctx context.Context) (problem.Report, error) {
	r := problem.Report{States: map[string]problem.States{"backup_target": {}}}
	err := s.findRestore(ctx, &r)
	state, setup := s.Setup.Load()
	if setup != nil || !state.Complete {
		return r, errors.Join(err, setup)
	}
	return r, errors.Join(err, s.findLate(ctx, &r, state.CompletedAt), s.findTargets(ctx, &r), s.findSpace(ctx, &r), s.findFolder(ctx, &r))
}

func (s *service) findRestore(ctx context.Context, r *problem.Report) error {
	if s.Restores == nil {
		return nil
	}
	state, err := s.Restores.State(ctx)
	if err == nil && state.ConfirmUntil != nil && state.Result == "" {
		r.Add(restoreWaiting.On(subject("restore"), page, problem.Params{"until": *state.ConfirmUntil}))
	}
	if err == nil && state.Blocked && state.Result == "" {
		r.Add(restoreBlocked.On(subject("restore"), page, nil))
	}
	return err
}

// latest are the newest of each kind that matters. Those from before a restore are none of them: nobody uploads or verifies
// them. Nor are those that were found.
type latest struct {
	Daily      bool
	Failed     *fault.Sentence // of the newest one, if it failed
	FailedAt   *time.Time
	Success    *time.Time
	Portable   *bool
	VerifiedOf *time.Time      // when the newest whose verification ended was made
	Unverified *fault.Sentence // why that failed
}

func (s *service) findLate(ctx context.Context, r *problem.Report, set time.Time) error {
	all, err := db.List[latest](ctx, s.DB, `with asked as (select id, status, error, started_at, finished_at, portable, verify_status, verify_error from backups where kind in ('manual', 'scheduled') and started_at <= $1)
		select b.daily, f.error, f.finished_at, d.started_at, d.portable, v.started_at, case when v.verify_status = 'failed' then v.verify_error end
		from backup_settings b
		left join lateral (select status, error, finished_at from asked where status <> 'running' order by started_at desc, id desc limit 1) f on f.status = 'failed'
		left join lateral (select started_at, portable from asked where status = 'done' order by started_at desc, id desc limit 1) d on true
		left join lateral (select started_at, verify_status, verify_error from asked where status = 'done' and verify_status in ('done', 'failed')
			order by started_at desc, id desc limit 1) v on true`, s.horizon())
	if err != nil || len(all) != 1 {
		return errors.Join(err, fmt.Errorf("read the latest backups: %d rows", len(all)))
	}
	l, now := all[0], s.Now()
	if l.Failed != nil {
		r.Add(runFailed.On(subject("run"), page, problem.Params{"reason": *l.Failed}).SinceAt(l.FailedAt))
	}
	switch {
	case l.Success == nil && l.Daily && now.Sub(set) > day:
		r.Add(never.On(subject("schedule"), page, nil))
	case l.Success != nil && l.Daily && now.Sub(*l.Success) > oldAfter:
		r.Add(old.On(subject("schedule"), page, problem.Params{"at": *l.Success}))
	}
	if l.Unverified != nil {
		r.Add(unverified.On(subject("verification"), page, problem.Params{"at": *l.VerifiedOf, "reason": *worded(l.Unverified, unverifiedUnknown())}))
	}
	if l.Portable != nil && !*l.Portable {
		r.Add(noPassphrase.On(subject("passphrase"), page+"?tab=settings", nil))
	}
	return nil
}

func (s *service) findTargets(ctx context.Context, r *problem.Report) error {
	all, err := db.List[struct {
		ID, Name string
		Active   bool
		Error    *fault.Sentence
		Since    *time.Time
	}](ctx, s.DB, `select t.id::text, t.name, t.active, s.last_error, s.last_error_at from backup_targets t
		left join backup_target_status s on s.target_id = t.id where not t.active or s.last_error is not null order by t.name`)
	if err != nil {
		return fmt.Errorf("list targets: %w", err)
	}
	for _, t := range all {
		if !t.Active {
			r.States["backup_target"][t.ID] = problem.Chosen("disabled")
			continue
		}
		params := problem.Params{"target": t.Name, "reason": *t.Error}
		r.Add(targetFails.On(problem.Subject{Kind: "backup_target", ID: t.ID, Name: t.Name}, page+"?tab=targets", params).SinceAt(t.Since))
		r.States["backup_target"][t.ID] = targetFails.Because("failed", params)
	}
	return nil
}

func (s *service) findSpace(ctx context.Context, r *problem.Report) error {
	free, needed, err := s.space(ctx)
	if err == nil && free < needed {
		r.Add(diskFull.On(subject("disk"), page, problem.Params{"free": free >> 20, "needed": needed >> 20}))
	}
	return err
}

// findFolder looks for backups whose folder is away: it is told once, and each of them is as good as it was.
func (s *service) findFolder(ctx context.Context, r *problem.Report) error {
	here, err := s.here()
	if err != nil {
		return err
	}
	var count int
	err = s.DB.QueryRow(ctx, `select count(id) from backups where status = 'done' and folder not in ('', $1)`, here).Scan(&count)
	if err != nil {
		return fmt.Errorf("count backups whose folder is away: %w", err)
	}
	if count > 0 {
		r.Add(folderAway.On(subject("folder"), page, problem.Params{"count": count, "folder": s.folder()}))
	}
	return nil
}
