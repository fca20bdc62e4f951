package backup

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/backup/archive"
	"gateway/internal/fault"
	"gateway/internal/restore"
)

// Whoever may look only reads no path, no statement and no address of this node.
func TestAViewerReadsNoRawErrors(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false`)
	b := r.make()
	own := fault.Said("not everything in the archive can be used: %s", "ntp")
	for want, err := range map[string]error{
		"the verification failed for a reason":           errors.New("open /var/lib/gateway/restore/x: permission denied"),
		"the archive is damaged, or from another node":   fmt.Errorf("read /var/lib/gateway/x.gwb: %w", archive.ErrDamaged),
		"the backup was made by a newer version":         fmt.Errorf("x.gwb: %w", archive.ErrNewer),
		"not everything in the archive can be used: ntp": &own,
	} {
		if err := restore.Record(t.Context(), r.Pool, b.ID, r.now(), err); err != nil {
			t.Fatal(err)
		}
		var one Backup
		r.As("viewer", "GET", "/backups/"+b.ID, nil).Want(http.StatusOK).Into(&one)
		listed := apitest.Data[[]Backup](r.As("viewer", "GET", "/backups", nil).Want(http.StatusOK))[0]
		report, found := r.s.findProblems(t.Context())
		if found != nil {
			t.Fatal(found)
		}
		for _, got := range []string{one.VerifyError.Message, listed.VerifyError.Message, fmt.Sprint(report.Problems)} {
			if strings.Contains(got, "/var/lib") || !strings.Contains(got, want) {
				t.Errorf("of %v a viewer reads %q, want %q", err, got, want)
			}
		}
	}
	raw := fault.SentenceOf(errors.New("drop database gateway_old: SQLSTATE 55006"))
	r.with(func() {
		r.restored = restore.State{Backup: b.ID, Steps: []restore.Step{}, Error: &raw, Result: restore.Undone}
	})
	var state restore.State
	r.As("viewer", "GET", "/backups/restore", nil).Want(http.StatusOK).Into(&state)
	if state.Error == nil || !strings.HasPrefix(state.Error.Message, "the restore failed for a reason") {
		t.Errorf("of a restore a viewer reads %+v", state.Error)
	}
}
