package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// The time server and the account that there are on each side of a backup.
const (
	thenServer = "192.0.2.10"
	nowServer  = "192.0.2.20"
)

var thenAdmin, nowAdmin = account{"then@example.com", "Copper-Meadow-71"}, account{"now@example.com", "Silver-Thicket-93"}

// restorer is a node with a backup of one state, which is in another one.
type restorer struct {
	*appliance
	id      string // of the backup
	session *caller
}

// backedUp makes a backup of one state of a node and brings it to another.
func backedUp(t *testing.T) *restorer {
	t.Helper()
	a, c := alone(t)
	r := &restorer{appliance: a, session: c}
	pool := data[struct{ ID string }](c.post("/ntp/pools", object{"kind": "server", "address": thenServer}))
	then := data[struct{ ID string }](c.post("/users", object{"email": thenAdmin.email, "role": "admin", "password": thenAdmin.password}))
	r.id = r.backUp()
	c.do("DELETE", "/ntp/pools/"+pool.ID, nil).want(200)
	c.do("DELETE", "/users/"+then.ID, nil).want(200)
	c.post("/ntp/pools", object{"kind": "server", "address": nowServer}).want(201)
	c.post("/users", object{"email": nowAdmin.email, "role": "admin", "password": nowAdmin.password}).want(201)
	a.settles(c, patience)
	if side := r.side(); side != "now" {
		t.Fatalf("before the restore the node is in the state %q", side)
	}
	return r
}

func (r *restorer) backUp() string {
	r.t.Helper()
	for began := time.Now(); ; time.Sleep(time.Second) {
		out := r.sh("gateway-ctl --json backup create 2>/dev/null || true")
		var made struct {
			Data  struct{ ID string }
			Error struct{ Code string }
		}
		// A node that is up for some minutes makes its daily one by itself.
		if err := json.Unmarshal([]byte(out), &made); err == nil && made.Error.Code == "backup_running" && time.Since(began) < patience {
			continue
		}
		if made.Data.ID == "" {
			r.t.Fatalf("backup create: %s", out)
		}
		return made.Data.ID
	}
}

// side is the state that the node is in, by its rows, its rendered files and who can sign in; all else is a mixture.
func (r *restorer) side() string {
	r.t.Helper()
	rows := r.sql("gateway", "select string_agg(address, ' ' order by address) from ntp_pools where address like '192.0.2.%'")
	server, who, other, side := thenServer, thenAdmin, nowAdmin, "then"
	if rows == nowServer {
		server, who, other, side = nowServer, nowAdmin, thenAdmin, "now"
	}
	if rows != server {
		return "rows of " + rows
	}
	// gateway-apply follows within seconds.
	deadline := time.Now().Add(patience)
	for {
		file := r.sh("cat /etc/chrony/conf.d/gateway.conf")
		if strings.Contains(file, server) && strings.Count(file, "192.0.2.") == 1 {
			break
		}
		if time.Now().After(deadline) {
			return "rows of " + side + " and the file " + file
		}
		time.Sleep(100 * time.Millisecond)
	}
	if got := r.stranger().login(who).status; got != 200 {
		return fmt.Sprintf("rows of %s, and its account signs in with %d", side, got)
	}
	if got := r.stranger().login(other).status; got != 401 {
		return fmt.Sprintf("rows of %s, and the account of the other side signs in with %d", side, got)
	}
	return side
}

type restoreState struct {
	Backup string `json:"backup_id"`
	Step   string
	Result string
	Steps  []struct{ Code, State string }
	Error  *struct{ Message string }
	Until  *time.Time `json:"confirm_until"`
	Ended  *time.Time `json:"finished_at"`
	Began  *time.Time `json:"started_at"`
}

func (r *restorer) state() (s restoreState) {
	r.t.Helper()
	var out struct{ Data restoreState }
	if text := r.run("gateway-ctl", "--json", "restore", "status"); json.Unmarshal([]byte(text), &out) != nil {
		r.t.Fatalf("restore status: %s", text)
	}
	return out.Data
}

// whole finds what a restore that is over must not leave, and has the audit log verified.
func (r *restorer) whole(when string) {
	r.t.Helper()
	if dbs := r.sql("postgres", "select string_agg(datname, ' ' order by datname) from pg_database where datname like 'gateway%'"); dbs != "gateway" {
		r.t.Errorf("%s: databases %q are left", when, dbs)
	}
	if left := r.sh("ls -d /var/lib/gateway/restore /var/lib/gateway/restore.answer /var/lib/gateway-apply/restore/journal.json 2>/dev/null || true"); left != "" {
		r.t.Errorf("%s: left over: %s", when, left)
	}
	// The anchors follow within seconds.
	if out, err := r.node.Run(r.t.Context(), "gateway-ctl", "audit-verify"); err != nil {
		r.t.Errorf("%s: audit-verify: %v\n%s", when, err, out)
	}
}

// A backup brings the node back to what it was: rows, files, rendered configuration, who can sign in. Unless somebody
// confirms that, it is undone, and nothing is lost.
//
// shows BAK-14* BAK-15 BAK-16* BAK-17* BAK-18 BAK-19
func TestABackupIsRestored(t *testing.T) {
	r := backedUp(t)
	pids := [2]string{r.mainPID("gateway-api.service"), r.mainPID("gateway-scheduler.service")}
	out := r.run("gateway-ctl", "restore", r.id, "--confirm-within", "300")
	t.Logf("%s", out)
	if s := r.state(); s.Until == nil || s.Ended != nil || s.Backup != r.id {
		t.Fatalf("after the restore its state is %+v", s)
	}
	if side := r.side(); side != "then" {
		t.Fatalf("the restored state is %s", side)
	}
	if r.mainPID("gateway-api.service") == pids[0] || r.mainPID("gateway-scheduler.service") == pids[1] {
		t.Error("API and scheduler ran on while the database was exchanged")
	}
	if got := r.session.get("/users").status; got != 401 {
		t.Errorf("a session from before answers %d", got)
	}
	c := r.signedIn(thenAdmin)
	if list := data[[]struct{ ID string }](c.get("/backups")); len(list) == 0 {
		t.Error("the list of backups is empty after a restore")
	}
	t.Log(r.run("gateway-ctl", "restore", "undo"))
	if s := r.state(); s.Result != "undone" {
		t.Errorf("undone: %+v", s)
	}
	if side := r.side(); side != "now" {
		t.Errorf("undone, the state is %s", side)
	}
	r.whole("undone")
	r.byTheAPI()
}

// byTheAPI does it once more from the UI's side, and confirms.
func (r *restorer) byTheAPI() {
	t := r.t
	t.Helper()
	c := r.signedIn(nowAdmin)
	preview := data[struct {
		SameHost bool `json:"same_host"`
		Tables   []struct {
			Table                   string
			Added, Removed, Changed int
		}
		Links []struct {
			Name    string
			Matches bool
		}
	}](c.get("/backups/" + r.id + "/preview"))
	t.Logf("preview: %+v", preview)
	seen := map[string]string{}
	for _, d := range preview.Tables {
		seen[d.Table] = fmt.Sprint(d.Added, d.Removed, d.Changed)
	}
	if !preview.SameHost || seen["ntp_pools"] != "1 1 0" {
		t.Errorf("the preview says %+v", preview)
	}
	c.post("/backups/"+r.id+"/restore", object{"confirm_within": 300, "password": nowAdmin.password}).want(202)
	r.eventually(2*time.Minute, "it waits for its confirmation", func() bool { return r.state().Until != nil })
	if unit := r.sh("systemctl is-active gateway-restore@" + r.id + ".service || true"); unit != "active" {
		t.Errorf("the job is %s while it waits", unit)
	}
	r.signedIn(thenAdmin).post("/backups/restore/confirm", nil).want(200)
	r.eventually(patience, "it is over", func() bool { return r.state().Ended != nil })
	if s := r.state(); s.Result != "confirmed" {
		t.Errorf("confirmed: %+v", s)
	}
	if side := r.side(); side != "then" {
		t.Errorf("confirmed, the state is %s", side)
	}
	r.whole("confirmed")
	r.eventually(patience, "the unit has ended", func() bool {
		return r.sh("systemctl is-active gateway-restore@"+r.id+".service || true") == "inactive"
	})
}

// points are where the job is killed; those of a gate meet each side of what decides.
var points = []string{
	"load", "carried", "swap", "swap done", "phase waiting", "stop done", "phase loading", "check done", "load done", "render", "render done",
	"phase switching", "stop", "files", "files done", "start", "start done", "apply", "apply done", "phase undoing", "carried back", "phase discarding", "back", "started again",
}

// A restore that is killed at whatever step, also by pulling the plug, leaves the old state or the new one.
//
// shows T20
func TestBarOperations02Kills(t *testing.T) {
	r := backedUp(t)
	r.withRestoreFailpoints()
	n := bar.GateSize(6, 20, 200)
	ended, mixed, slowest := map[string]int{}, 0, time.Duration(0)
	defer func() {
		figure := fmt.Sprintf("%d kills, %v, %d mixed, API up within %.1f s", n, ended, mixed, slowest.Seconds())
		bar.ReportTimed(t, "operations", 2, figure, "old or new, never mixed; API up <=30 s", !t.Failed() && mixed == 0, slowest <= 30*time.Second)
	}()
	for i := range n {
		point, plug := points[i%len(points)], i%4 == 3
		took, waited := r.killedAt(point, plug)
		slowest = max(slowest, took)
		if waited != "" {
			ended[waited+", waiting"]++
		}
		side := r.side()
		if side != "then" && side != "now" {
			mixed++
			t.Errorf("killed at %s, plug pulled: %v: %s", point, plug, side)
		}
		ended[side]++
		r.whole(fmt.Sprintf("killed at %s, plug pulled: %v", point, plug))
		if t.Failed() {
			return
		}
	}
}

func (r *restorer) withRestoreFailpoints() {
	r.t.Helper()
	path := filepath.Join(r.t.TempDir(), "gateway")
	build := exec.Command("go", "build", "-tags", "failpoint", "-ldflags", "-X gateway/internal/version.Version="+r.version, "-o", path, "gateway/cmd/gateway")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		r.t.Fatalf("build gateway-ctl with failpoints: %v\n%s", err, out)
	}
	r.lab.Must(r.node.CopyIn(path, "/usr/lib/gateway/gateway.new", 0o755))
	r.run("mv", "/usr/lib/gateway/gateway.new", "/usr/lib/gateway/gateway")
}

// killedAt has the job die, and comes back when it is over, with how long the API took to answer after it. Where the
// restore went on to wait, it looks at the new state and has it undone.
func (r *restorer) killedAt(point string, plug bool) (took time.Duration, waited string) {
	r.t.Helper()
	began := time.Now()
	r.sh("echo '" + point + "' >/run/gateway-apply/restore-failpoint")
	_, err := r.node.Run(r.t.Context(), "sh", "-c", "gateway-ctl restore "+r.id+" --confirm-within 120 >/dev/null 2>&1 & true")
	r.lab.Must(err)
	if strings.HasPrefix(point, "phase undoing") || point == "carried back" || point == "phase discarding" || point == "back" || point == "started again" {
		r.eventually(2*time.Minute, "it waits", func() bool { s := r.state(); return s.Until != nil && s.Began.After(began.Add(-time.Second)) })
		r.sh("gateway-ctl restore undo >/dev/null 2>&1 & true")
	}
	r.eventually(2*time.Minute, "the job is killed at "+point, func() bool {
		return r.sh("test -e /run/gateway-apply/restore-failpoint && echo there || true") == ""
	})
	died := time.Now()
	if plug {
		r.lab.Must(errors.Join(r.node.Kill(), r.node.Boot()))
		died = time.Now()
	}
	took = r.answers(died)
	// Whoever resumed it either ended it, or waits for the answer that the first one waited for.
	r.eventually(2*time.Minute, "the restore is over or waits, after a kill at "+point, func() bool {
		s := r.state()
		return s.Began != nil && s.Began.After(began.Add(-5*time.Second)) && (s.Ended != nil || s.Until != nil)
	})
	if s := r.state(); s.Ended == nil {
		if waited = r.side(); waited != "then" {
			r.t.Errorf("killed at %s it waits in the state %s", point, waited)
		}
		r.run("gateway-ctl", "restore", "undo")
	}
	return took, waited
}

// answers is how long the API takes until it answers with its database.
func (r *restorer) answers(since time.Time) time.Duration {
	r.t.Helper()
	c := r.stranger()
	r.eventually(2*time.Minute, "the API answers", func() bool {
		got, err := c.try("GET", "/system/health", nil)
		var health struct{ Database bool }
		return err == nil && got.status == 200 && got.decode(&health) && health.Database
	})
	return time.Since(since)
}
