package backup

import (
	"testing"
	"time"
)

// gateway-ctl restores without the API, and what there is now is kept all the same.
func TestARestoreOnTheNodeBacksUpFirst(t *testing.T) {
	r := newRig(t)
	if err := BeforeRestore(t.Context(), r.s.DB, r.s.Questions); err != nil {
		t.Fatal(err)
	}
	r.idle()
	if all := r.list(); len(all) != 1 || all[0].Kind != beforeRestore || all[0].Status != done {
		t.Errorf("there are %+v", all)
	}
}

// Another backup that is being made is waited for: the restore would end it, and what there is now would be nowhere.
func TestARestoreOnTheNodeWaitsForABackupThatIsBeingMade(t *testing.T) {
	r := newRig(t)
	r.quiet()
	unlock, err := r.s.lock()
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(1500*time.Millisecond, unlock)
	if err := BeforeRestore(t.Context(), r.s.DB, r.s.Questions); err != nil {
		t.Fatal(err)
	}
	r.idle()
	if all := r.list(); len(all) != 1 || all[0].Kind != beforeRestore || all[0].Status != done {
		t.Errorf("there are %+v", all)
	}
}
