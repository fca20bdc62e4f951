package backup

import (
	"net/http"
	"testing"

	"gateway/internal/auth"
)

// A stolen session has no password: it gets no archive, sets no passphrase, and puts nothing back.
func TestASessionIsAskedForItsPasswordOnceMore(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false`)
	b := r.make()
	path := "/backups/" + b.ID
	for op, fields := range map[[2]string]body{
		{"PUT", "/backups/passphrase"}:      {"passphrase": "correct horse battery"},
		{"POST", path + "/restore"}:         {},
		{"POST", path + "/download-ticket"}: {},
	} {
		for _, password := range []string{"", "a guess"} {
			fields["password"] = password
			if a := r.Do(op[0], op[1], fields).Want(http.StatusUnauthorized); a.Error.Code != "wrong_password" {
				t.Errorf("%v with %q: %+v", op, password, a.Error)
			}
		}
	}
	if len(r.was()) != 0 || r.status().Passphrase || len(r.list()) != 1 {
		t.Errorf("it came to something: %v, %+v", r.was(), r.list())
	}
	if n := r.count(`select count(*) from audit_entries where action in ('backup.passphrase.set.failed', 'backup.restore.start.failed', 'backup.ticket.issue.failed')`); n != 6 {
		t.Errorf("the audit log has %d of 6 attempts", n)
	}
}

func TestATicketIsForOneDownload(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false`)
	b, other := r.make(), r.make()
	get := func(id, ticket string) int {
		t.Helper()
		return r.Do("GET", "/backups/"+id+"/download?ticket="+ticket, nil).Status
	}
	if got := get(b.ID, ""); got != http.StatusForbidden {
		t.Errorf("without a ticket it is answered %d", got)
	}
	ticket := r.ticket(b.ID)
	if first, again := get(b.ID, ticket), get(b.ID, ticket); first != http.StatusOK || again != http.StatusForbidden {
		t.Errorf("the first download is answered %d, the second %d", first, again)
	}
	if got := get(other.ID, r.ticket(b.ID)); got != http.StatusForbidden {
		t.Errorf("for another backup it is answered %d", got)
	}
	late := r.ticket(b.ID)
	r.pass(auth.TicketTime)
	if got := get(b.ID, late); got != http.StatusForbidden {
		t.Errorf("too late it is answered %d", got)
	}
	if n := r.count(`select count(*) from audit_entries where strpos(row_to_json(audit_entries)::text, $1) > 0`, ticket); n != 0 {
		t.Error("the audit log has the ticket")
	}
}
