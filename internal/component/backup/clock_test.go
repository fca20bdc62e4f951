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

// A dozen made by hand push out no daily one of the days before.
func TestOneOfEachDayIsKept(t *testing.T) {
	r := newRig(t)
	r.keeps(3)
	r.pass(-4 * day)
	var daily []string
	for range 4 {
		r.tick()
		daily = append(daily, r.list()[0].File)
		r.pass(day)
	}
	for range 5 {
		daily = append(daily, r.make().File)
		r.pass(time.Second)
	}
	want := []string{daily[2], daily[3], daily[6], daily[7], daily[8]}
	slices.Sort(want)
	if got := r.files(); !slices.Equal(got, want) {
		t.Errorf("the files are %v of %v, want those of the last two days and the latest three", got, daily)
	}
}

func TestTheStatusTellsOfBackupsThatOneReliesOn(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false`)
	r.snapshot()
	if s := r.status(); s.LastSuccessAt != nil {
		t.Errorf("after a snapshot the last backup is of %v", s.LastSuccessAt)
	}
	b := r.make()
	r.pass(1000 * day)
	r.make()
	r.pass(time.Minute - 1000*day)
	r.snapshot()
	if s := r.status(); s.LastSuccessAt == nil || !s.LastSuccessAt.Equal(b.StartedAt) {
		t.Errorf("the last backup is of %v, want %v", s.LastSuccessAt, b.StartedAt)
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
