package backup

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gateway/internal/restore"
)

func TestAVerificationThatDidNotBeginIsTakenUp(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false, daily = false`)
	r.make()
	r.pass(time.Minute)
	newest := r.make()
	r.pass(time.Minute)
	under := restore.State{Started: new(time.Time)}
	r.tick()
	r.exec(`update backup_settings set verify = true`)
	r.with(func() { r.restored = under })
	r.tick()
	if got := r.was(); len(got) != 0 {
		t.Errorf("asked %v while it is off, or a restore is under way", got)
	}
	r.with(func() { r.restored = restore.State{} })
	r.tick()
	r.tick()
	if want := []string{"verify " + newest.ID}; !slices.Equal(r.was(), want) {
		t.Errorf("asked %v, want %v", r.was(), want)
	}
}

// A clock that was ahead leaves a verification that seems to begin in the future.
func TestAVerificationInTheFutureIsEnded(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set daily = false`)
	r.pass(1000 * day)
	b := r.make()
	r.pass(-1000 * day)
	r.tick()
	if got := r.get(b.ID); got.VerifyStatus != failed {
		t.Errorf("%+v, want its verification interrupted", got)
	}
}

func TestABackupWithoutItsArchiveIsNotComplete(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false, daily = false`)
	whole, gone := r.make(), r.make()
	if err := os.Remove(r.s.path(gone.ID)); err != nil {
		t.Fatal(err)
	}
	r.tick()
	if b := r.get(gone.ID); b.Status != failed || b.Error == nil || b.Error.Message != "the archive of this backup is missing" {
		t.Errorf("%+v, want it to say that its archive is missing", b)
	}
	if b := r.get(whole.ID); b.Status != done {
		t.Errorf("%+v, want it as it was", b)
	}
}

func TestWhatARestoreThatNeverBeganLeavesIsRemoved(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false, daily = false`)
	b := r.make()
	left := []string{filepath.Join(r.s.Dir, restore.KeysPath(b.ID)), filepath.Join(r.s.Dir, restore.RequestPath(b.ID))}
	for _, path := range left {
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, there bool) {
		t.Helper()
		r.tick()
		for _, path := range left {
			if _, err := os.Stat(path); (err == nil) != there {
				t.Errorf("%s %s: %v", when, filepath.Base(path), err)
			}
		}
	}
	want("at once", true)
	r.pass(requestTime + time.Minute)
	began := r.now()
	r.with(func() { r.restored = restore.State{Backup: b.ID, Started: &began} })
	want("while a restore is under way", true)
	r.with(func() { r.restored.Finished = &began })
	want("afterwards", false)
	if got := r.files(); !slices.Equal(got, []string{b.File}) {
		t.Errorf("the files are %v, want the archive as it was", got)
	}
}
