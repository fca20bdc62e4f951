package backup

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"gateway/internal/restore"
)

func TestABackupIsVerifiedAfterItWasMade(t *testing.T) {
	r := newRig(t)
	b := r.make()
	if !slices.Equal(r.was(), []string{"verify " + b.ID}) || r.get(b.ID).VerifyStatus != running {
		t.Errorf("asked %v, it is %s", r.was(), r.get(b.ID).VerifyStatus)
	}
	r.Do("POST", "/backups/"+b.ID+"/verify", nil).Want(http.StatusConflict)
	r.Do("DELETE", "/backups/"+b.ID, nil).Want(http.StatusConflict)
	r.verified(b.ID, "")
	if got := r.get(b.ID); got.VerifyStatus != done || got.VerifiedAt == nil {
		t.Errorf("%+v, want it verified", got)
	}
	r.Do("POST", "/backups/"+b.ID+"/verify", nil).Want(http.StatusAccepted)
	r.exec(`update backup_settings set daily = false`)
	r.pass(verifyTime + time.Minute) // it was killed
	r.tick()
	if got := r.get(b.ID); got.VerifyStatus != running || got.VerifyError != nil {
		t.Errorf("%+v, want it tried again", got)
	}
	r.pass(verifyTime + time.Minute) // so was that
	r.tick()
	if got := r.get(b.ID); got.VerifyStatus != failed || got.VerifyError == nil || got.VerifiedAt == nil {
		t.Errorf("%+v, want its verification interrupted", got)
	}
}

// That nobody could begin says nothing about the archive.
func TestAVerificationThatCouldNotBeginIsTriedAgain(t *testing.T) {
	r := newRig(t)
	r.setPassphrase()
	r.exec(`update backup_settings set daily = false`)
	r.with(func() { r.refuses = errors.New("the applier is not running") })
	b := r.make()
	if got := r.get(b.ID); got.VerifyStatus != none || got.VerifyError != nil {
		t.Errorf("%+v, want it as if nobody had tried", got)
	}
	r.wantProblems("while the applier is away")
	r.with(func() { r.refuses, r.asked = nil, nil })
	r.tick()
	if got := r.get(b.ID); got.VerifyStatus != running || !slices.Equal(r.was(), []string{"verify " + b.ID}) {
		t.Errorf("%+v, asked %v, want it tried again", got, r.was())
	}
	r.verified(b.ID, "a table lacks rows")
	r.with(func() { r.refuses = errors.New("no such unit") })
	r.Do("POST", "/backups/"+b.ID+"/verify", nil).Want(http.StatusInternalServerError)
	if got := r.get(b.ID); got.VerifyStatus != failed || got.VerifyError == nil || got.VerifyError.Message != "a table lacks rows" {
		t.Errorf("%+v, want what was found before", got)
	}
}

// While a restore loads, a verification would wait for its turn, and give up: that says nothing about the archive either.
func TestNothingIsVerifiedDuringARestore(t *testing.T) {
	r := newRig(t)
	r.setPassphrase()
	r.exec(`update backup_settings set daily = false`)
	began := r.now()
	r.with(func() { r.restored = restore.State{Backup: "another", Started: &began} })
	b := r.make()
	r.Do("POST", "/backups/"+b.ID+"/verify", nil).Want(http.StatusConflict)
	r.tick()
	if got := r.get(b.ID); got.VerifyStatus != none || len(r.was()) > 0 {
		t.Errorf("%+v, asked %v, want it to wait", got, r.was())
	}
	r.with(func() { r.restored.Finished = &began })
	r.tick()
	if got := r.get(b.ID); got.VerifyStatus != running || !slices.Equal(r.was(), []string{"verify " + b.ID}) {
		t.Errorf("%+v, asked %v, want it verified", got, r.was())
	}
}
