package backup

import (
	"net/http"
	"os"
	"testing"
	"time"

	"gateway/internal/restore"
)

func TestOneBackupIsVerifiedAtATime(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false`)
	first, second := r.make(), r.make()
	path := "/backups/" + second.ID + "/verify"
	r.Do("POST", "/backups/"+first.ID+"/verify", nil).Want(http.StatusAccepted)
	if a := r.Do("POST", path, nil).Want(http.StatusConflict); a.Error.Code != "backup_running" {
		t.Errorf("code = %s", a.Error.Code)
	}
	if got := r.get(second.ID).VerifyStatus; got != none {
		t.Errorf("the second is %s", got)
	}
	r.verified(first.ID, "")
	r.Do("POST", path, nil).Want(http.StatusAccepted)
	r.pass(-1000 * day) // the clock was wrong
	r.Do("POST", path, nil).Want(http.StatusAccepted)
}

func TestARestoreThatIsRefusedMakesNoSnapshot(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false`)
	b := r.make()
	path := "/backups/" + b.ID + "/restore"
	if a := r.Do("POST", path, body{"links": body{"eth0": "a card"}, "password": own}).Want(http.StatusBadRequest); a.Complaint("links") == "" {
		t.Errorf("complaints = %+v", a.Error.Fields)
	}
	began := r.now()
	r.with(func() { r.restored = restore.State{Backup: "another", Started: &began, Steps: []restore.Step{}} })
	if a := r.Do("POST", path, body{"password": own}).Want(http.StatusConflict); a.Error.Code != "restore_running" {
		t.Errorf("code = %s", a.Error.Code)
	}
	r.with(func() { ended := began.Add(time.Minute); r.restored.Finished = &ended })
	if err := os.Remove(r.s.path(b.ID)); err != nil {
		t.Fatal(err)
	}
	if a := r.Do("POST", path, body{"password": own}).Want(http.StatusConflict); a.Error.Code != "archive_missing" {
		t.Errorf("code = %s", a.Error.Code)
	}
	if n := r.count(`select count(*) from backups where kind = 'before-restore'`); n != 0 || len(r.was()) != 0 {
		t.Errorf("%d snapshots were made, and package restore was asked %v", n, r.was())
	}
}
