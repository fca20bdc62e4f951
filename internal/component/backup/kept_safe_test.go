package backup

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gateway/internal/restore"
)

// A restore that waits for its confirmation brings another number to keep along. What it had removed would not come back by undoing it.
func TestNothingIsRemovedWhileARestoreMayBeUndone(t *testing.T) {
	r := newRig(t)
	r.quiet()
	var kept []Backup
	for range 3 {
		kept = append(kept, r.make())
		r.pass(time.Minute)
	}
	began := r.now()
	r.with(func() { r.restored = restore.State{Backup: kept[0].ID, Started: &began, Steps: []restore.Step{}} })
	r.keeps(1)
	r.make()
	for _, b := range kept {
		r.Do("GET", "/backups/"+b.ID, nil).Want(http.StatusOK)
	}
	r.with(func() { r.restored = restore.State{} })
	r.pass(time.Minute)
	r.make()
	for _, b := range kept {
		r.Do("GET", "/backups/"+b.ID, nil).Want(http.StatusNotFound)
	}
}

// A folder that lost its mark, as by copying the archives alone to another disk, has the same archives.
func TestArchivesAreKnownAgainByWhatTheyAre(t *testing.T) {
	r := newRig(t)
	r.quiet()
	b := r.make()
	mark := filepath.Join(r.s.folder(), lockFile)
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	if got := r.list()[0]; got.Available {
		t.Error("it is said to be there although the folder is another one")
	}
	r.Do("POST", "/backups/"+b.ID+"/verify", nil).Want(http.StatusConflict)
	r.tick()
	if got := r.list(); len(got) != 1 || !got[0].Available || got[0].Kind != b.Kind || got[0].Status != done {
		t.Errorf("there are %+v, want it as it was", got)
	}
	// Moved out, and back later.
	away := filepath.Join(t.TempDir(), "archive")
	r.rename(r.s.path(b.ID), away)
	r.tick()
	if got := r.list()[0]; got.Status != failed {
		t.Errorf("without its archive it is %s", got.Status)
	}
	r.rename(away, r.s.path(b.ID))
	r.tick()
	if got := r.list()[0]; got.Status != done || got.Error != nil || !got.Available {
		t.Errorf("with its archive it is %+v", got)
	}
}

// Taking a backup of a folder that is away off the list does not touch a file of the same name here.
func TestDeletingWhatIsAwayRemovesNoFile(t *testing.T) {
	r := newRig(t)
	r.quiet()
	b := r.make()
	r.exec(`update backups set folder = gen_random_uuid()::text, remote_uploads = '[{"target_id": "x", "name": "x", "state": "pending", "at": null}]'`)
	r.Do("DELETE", "/backups/"+b.ID, nil).Want(http.StatusOK)
	if _, err := os.Stat(r.s.path(b.ID)); err != nil {
		t.Errorf("the file: %v", err)
	}
}
