package backup

import (
	"slices"
	"testing"
	"time"

	"gateway/internal/problem"
	"gateway/internal/restore"
	"gateway/internal/setupstate"
)

// found are the codes of what is wrong.
func (r *rig) found() (codes []string) {
	r.T.Helper()
	report, err := r.s.findProblems(r.T.Context())
	if err != nil {
		r.T.Fatal(err)
	}
	for _, p := range report.Problems {
		codes = append(codes, p.Code)
	}
	return codes
}

func (r *rig) wantProblems(when string, want ...string) {
	r.T.Helper()
	if got := r.found(); !slices.Equal(got, want) {
		r.T.Errorf("%s the problems are %v, want %v", when, got, want)
	}
}

// shows ALERT-20
func TestAScheduledBackupThatFailsIsAnAlert(t *testing.T) {
	r := newRig(t)
	r.with(func() { r.free = 0 })
	r.tick()
	report, err := r.s.findProblems(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(report.Problems, func(p problem.Problem) bool { return p.Alert == "backup.failed" && p.Severity == problem.Error }) {
		t.Errorf("problems = %+v", report.Problems)
	}
}

func TestWhatIsWrongWithBackupsIsTold(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false`)
	r.wantProblems("on a fresh node")
	r.pass(day + time.Hour)
	r.wantProblems("after a day without one", "backup.never")
	b := r.make()
	r.wantProblems("after a backup that can be restored here alone", "backup.no_passphrase")
	if err := r.keys().SetPassphrase(r.s.keyFile(), "correct horse battery"); err != nil {
		t.Fatal(err)
	}
	r.exec(`delete from backups`)
	b = r.make()
	r.wantProblems("after one that can be restored elsewhere")
	r.verified(b.ID, "a table lacks rows")
	r.wantProblems("after a verification that failed", "backup.unverified")
	r.verified(b.ID, "")
	r.with(func() { r.free = 1 << 20 })
	r.wantProblems("on a full disk", "backup.disk_full")
	r.pass(time.Minute)
	r.make()
	r.wantProblems("after one that failed", "backup.failed", "backup.disk_full")
	r.with(func() { r.free = 100 << 30 })
	r.pass(time.Minute)
	r.make()
	r.wantProblems("after one that worked")
	r.pass(oldAfter + time.Hour)
	r.wantProblems("days later", "backup.old")
	r.exec(`update backup_settings set daily = false`)
	r.wantProblems("with daily ones off")
	until := r.now().Add(time.Minute)
	r.with(func() { r.restored = restore.State{Backup: b.ID, ConfirmUntil: &until} })
	r.wantProblems("while a restore waits", "backup.restore_waiting")
	r.with(func() { r.restored.Result = restore.Undone })
	r.wantProblems("after it was undone")
	r.with(func() { r.restored = restore.State{Backup: b.ID, Blocked: true} })
	r.wantProblems("while what it made stays", "backup.restore_blocked")
	r.with(func() { r.restored.Result = restore.Undone })
	r.wantProblems("after that went")
	if _, err := r.setup.Update(func(s *setupstate.State) error { s.Complete = false; return nil }); err != nil {
		t.Fatal(err)
	}
	r.exec(`update backup_settings set daily = true`)
	r.wantProblems("before setup")
}

func (r *rig) setPassphrase() {
	r.T.Helper()
	if err := r.keys().SetPassphrase(r.s.keyFile(), "correct horse battery"); err != nil {
		r.T.Fatal(err)
	}
}

func TestASnapshotBeforeARestoreResolvesNothing(t *testing.T) {
	r := newRig(t)
	r.setPassphrase()
	r.exec(`update backup_settings set verify = false`)
	r.verified(r.make().ID, "a table lacks rows")
	r.pass(time.Minute)
	r.snapshot()
	r.exec(`update backups set verify_status = 'done' where kind = 'before-restore'`)
	r.wantProblems("after a snapshot", "backup.unverified")
	r.pass(oldAfter + time.Hour)
	r.snapshot()
	r.wantProblems("after another one days later", "backup.old", "backup.unverified")
	r.with(func() { r.free = 0 })
	r.make()
	r.with(func() { r.free = 100 << 30 })
	r.pass(time.Minute)
	r.snapshot()
	r.wantProblems("after one that failed and another snapshot", "backup.failed", "backup.old", "backup.unverified")
}

func TestAVerificationThatDidNotEndResolvesNoFailure(t *testing.T) {
	r := newRig(t)
	r.setPassphrase()
	r.exec(`update backup_settings set verify = false`)
	first := r.make()
	r.verified(first.ID, "a table lacks rows")
	r.pass(time.Minute)
	second := r.make()
	r.wantProblems("after one that nobody verified", "backup.unverified")
	r.exec(`update backups set verify_status = 'running' where id = $1`, second.ID)
	r.wantProblems("while it is verified", "backup.unverified")
	r.verified(second.ID, "")
	r.wantProblems("after it was")
}
