package backup

import (
	"slices"
	"testing"
	"time"

	"gateway/internal/setupstate"
)

// keeps has that many backups kept, and none verified.
func (r *rig) keeps(n int) {
	r.T.Helper()
	r.exec(`update backup_settings set verify = false`)
	if _, err := r.setup.Update(func(s *setupstate.State) error { s.Retention.Backups = n; return nil }); err != nil {
		r.T.Fatal(err)
	}
}

// snapshot is one from before a restore, as it is in the list after that.
func (r *rig) snapshot() {
	r.T.Helper()
	r.exec(`insert into backups (id, file, kind, status, host, version, portable, started_at) values (gen_random_uuid(), '', 'before-restore', 'done', '', '', true, $1)`, r.now())
}

func TestTheOneThatWasJustMadeIsKeptWhateverTheClockSays(t *testing.T) {
	r := newRig(t)
	r.keeps(1)
	r.pass(1000 * day)
	r.make()
	r.pass(-1000 * day)
	b := r.make()
	if got := r.files(); !slices.Contains(got, b.File) {
		t.Errorf("the files are %v, want %s among them", got, b.File)
	}
}

func TestASnapshotBeforeARestorePushesOutNoOther(t *testing.T) {
	r := newRig(t)
	r.keeps(2)
	first := r.make()
	for range keepSnapshots + 2 {
		r.pass(time.Minute)
		r.snapshot()
	}
	r.pass(time.Minute)
	second := r.make()
	want := []string{first.File, second.File}
	slices.Sort(want)
	if got := r.files(); !slices.Equal(got, want) {
		t.Errorf("the files are %v, want both that were asked for", got)
	}
	if n := r.count(`select count(*) from backups where kind = 'before-restore'`); n != keepSnapshots {
		t.Errorf("%d from before a restore are kept, want %d", n, keepSnapshots)
	}
}

func TestABackupInTheFutureIsNotTheLatest(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false`)
	r.make()
	r.pass(1000 * day)
	r.make()
	r.pass(-1000*day + oldAfter + time.Hour)
	r.wantProblems("after a clock that was wrong", "backup.old", "backup.no_passphrase")
}
