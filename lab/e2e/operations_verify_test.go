package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

type verified struct {
	Status string  `json:"verify_status"`
	At     *string `json:"verified_at"`
	Error  *struct{ Message string }
	Why    *struct{ Message string } `json:"verify_error"`
}

// verify waits for the verification of a backup, and has it done if again says so.
func (r *restorer) verify(c *caller, id string, again bool) verified {
	r.t.Helper()
	var v verified
	over := func() bool {
		v = data[verified](c.get("/backups/" + id))
		return v.Status == "done" || v.Status == "failed"
	}
	r.eventually(2*time.Minute, "the backup is verified after it was made", over)
	if again {
		c.post("/backups/"+id+"/verify", nil).want(202)
		r.eventually(2*time.Minute, "the backup is verified again", over)
	}
	return v
}

// flip changes one bit in the middle of an archive.
func (r *restorer) flip(id string) {
	r.t.Helper()
	path, err := r.node.HostPath("/var/lib/gateway/backups/" + id + ".gwb")
	r.lab.Must(err)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	r.lab.Must(err)
	defer f.Close()
	info, err := f.Stat()
	r.lab.Must(err)
	one := make([]byte, 1)
	_, err = f.ReadAt(one, info.Size()/2)
	r.lab.Must(err)
	one[0] ^= 4
	_, err = f.WriteAt(one, info.Size()/2)
	r.lab.Must(err)
}

// An archive that could not be restored is found before anybody needs it.
func TestBarOperations04Verification(t *testing.T) {
	a, c := alone(t)
	r := &restorer{appliance: a}
	began := time.Now()
	good := r.backUp()
	if v := r.verify(c, good, false); v.Status != "done" || v.At == nil {
		t.Fatalf("a good backup is %+v", v)
	}
	took := time.Since(began)
	bad := map[string]func() string{
		"cut short": func() string {
			id := r.backUp()
			r.verify(c, id, false)
			r.sh("truncate -s -100 /var/lib/gateway/backups/" + id + ".gwb")
			return id
		},
		"one bit flipped": func() string {
			id := r.backUp()
			r.verify(c, id, false)
			r.flip(id)
			return id
		},
		"another schema": func() string {
			a.sql("gateway", "insert into goose_db_version (version_id, is_applied) values (9999, true)")
			defer a.sql("gateway", "delete from goose_db_version where version_id = 9999")
			return r.backUp()
		},
		"a row that does not render": func() string {
			const replica = "set session_replication_role = replica; "
			a.sql("gateway", replica+"insert into ntp_pools (id, revision, created_at, updated_at, kind, address, iburst, prefer) values (gen_random_uuid(), 1, now(), now(), 'server', '192.0.2.1 key 1', false, false)")
			id := r.backUp()
			a.sql("gateway", replica+"delete from ntp_pools where address = '192.0.2.1 key 1'")
			return id
		},
	}
	found := 0
	for name, spoilt := range bad {
		v := r.verify(c, spoilt(), true)
		if v.Status != "failed" || v.Why == nil {
			t.Errorf("%s: %+v", name, v)
			continue
		}
		t.Logf("%s: %s", name, v.Why.Message)
		found++
	}
	a.eventually(time.Minute, "a problem says that the backup could not be verified", func() bool {
		return strings.Contains(c.get("/problems").String(), "backup.unverified")
	})
	if dbs := a.sql("postgres", "select count(*) from pg_database where datname like 'gateway_%'"); dbs != "0" {
		t.Errorf("%s databases are left", dbs)
	}
	bar.ReportTimed(t, "operations", 4, fmt.Sprintf("%d of %d found; a good one verified in %.1f s (small)", found, len(bad), took.Seconds()), "each found; a good one <=60 s",
		!t.Failed() && found == len(bad), took <= time.Minute)
}
