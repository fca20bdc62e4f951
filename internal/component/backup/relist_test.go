package backup

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gateway/internal/backup"
	"gateway/internal/restore"
)

// quiet has no backup made or verified but by the test.
func (r *rig) quiet() {
	r.T.Helper()
	r.exec(`update backup_settings set verify = false, daily = false`)
}

func (r *rig) rename(from, to string) {
	r.T.Helper()
	if err := os.Rename(from, to); err != nil {
		r.T.Fatal(err)
	}
}

func TestArchivesThatTheDatabaseDoesNotKnowAreListedAgain(t *testing.T) {
	r := newRig(t)
	r.setPassphrase()
	r.quiet()
	b := r.make()
	r.exec(`delete from backups`) // the database was lost
	began := r.now()
	r.with(func() { r.restored = restore.State{Backup: b.ID, Started: &began} })
	r.tick()
	if all := r.list(); len(all) != 0 {
		t.Errorf("while a restore is under way there are %+v", all)
	}
	r.with(func() { r.restored = restore.State{} })
	r.tick()
	all := r.list()
	if len(all) != 1 {
		t.Fatalf("listed %+v, want the one that is there", all)
	}
	got := all[0]
	if got.ID != b.ID || got.Kind != found || got.Status != done || got.Size != b.Size || got.SHA256 != b.SHA256 || got.Host != "gw1" || got.Version != "1.2.3" || !got.Portable || !got.StartedAt.Equal(b.StartedAt.Truncate(time.Second)) {
		t.Errorf("listed %+v, want what its header says of %+v", got, b)
	}
	if s := r.status(); s.LastSuccessAt != nil || s.UsedBytes != b.Size {
		t.Errorf("the status is %+v", s)
	}
	r.Do("POST", "/backups/"+b.ID+"/restore", body{"password": own}).Want(http.StatusAccepted)
	r.idle()
	r.keeps(1)
	r.pass(time.Minute)
	r.make()
	r.Do("GET", "/backups/"+b.ID, nil).Want(http.StatusNotFound) // it counts among those that are kept
}

// Whoever may write into the folder has nothing listed that this node did not make.
func TestWhatIsNotProvenIsNotListed(t *testing.T) {
	r := newRig(t)
	r.quiet()
	b := r.make()
	content, err := os.ReadFile(r.s.path(b.ID))
	if err != nil {
		t.Fatal(err)
	}
	r.exec(`delete from backups`)
	flipped := append([]byte{}, content...)
	flipped[len(flipped)/2] ^= 1
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(r.s.folder(), name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(b.File, flipped)
	write("019a0000-0000-7000-8000-000000000001.gwb", content) // another name
	write("019a0000-0000-7000-8000-000000000002.gwb", content[:len(content)-1])
	write("019a0000-0000-7000-8000-000000000003.gwb", []byte("no archive"))
	write("an archive.gwb", content)
	if err := os.Symlink(r.s.keyFile(), r.s.path("019a0000-0000-7000-8000-000000000004")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(r.s.path("019a0000-0000-7000-8000-000000000005"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.tick()
	if all := r.list(); len(all) != 0 {
		t.Errorf("listed %+v", all)
	}
	write(b.File, content)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(r.s.path(b.ID), later, later); err != nil {
		t.Fatal(err)
	}
	r.tick()
	if all := r.list(); len(all) != 1 || all[0].ID != b.ID {
		t.Errorf("with its content again, listed %+v", all)
	}
	r.exec(`delete from backups`)
	if err := os.Remove(r.s.keyFile()); err != nil { // of another node
		t.Fatal(err)
	}
	if _, err := backup.OpenKeys(r.s.keyFile()); err != nil {
		t.Fatal(err)
	}
	r.tick()
	if all := r.list(); len(all) != 0 {
		t.Errorf("of another key, listed %+v", all)
	}
}

func TestAFolderThatIsAwayIsOneProblem(t *testing.T) {
	r := newRig(t)
	r.setPassphrase()
	r.quiet()
	r.keeps(1)
	first := r.make()
	away := r.s.folder() + ".away"
	r.rename(r.s.folder(), away)
	r.wantProblems("without the folder", "backup.folder_away")
	r.tick()
	r.wantProblems("with an empty one in its place", "backup.folder_away")
	if got := r.get(first.ID); got.Status != done || got.Error != nil {
		t.Errorf("%+v, want it as it was", got)
	}
	r.pass(time.Minute)
	second := r.make()
	r.tick()
	if got := r.get(first.ID); second.Status != done || got.Status != done {
		t.Errorf("made %+v, and it is %+v, want both complete", second, got)
	}
	if err := os.RemoveAll(r.s.folder()); err != nil {
		t.Fatal(err)
	}
	r.rename(away, r.s.folder())
	r.tick()
	if got := r.get(first.ID); got.Status != done {
		t.Errorf("mounted again, it is %+v", got)
	}
	r.wantProblems("mounted again", "backup.folder_away") // the other one is away now
	r.Do("DELETE", "/backups/"+second.ID, nil).Want(http.StatusOK)
	r.wantProblems("with that deleted")
}
