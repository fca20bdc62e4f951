package e2e

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// failpoints are the steps of an apply; see package apply.
var failpoints = []string{"rendered", "checked", "tmp_written", "renamed", "dir_synced", "reload_sent", "reload_ok", "lkg_written", "db_marked"}

// killer ends processes while changes run, and sees to it that all is well afterwards.
type killer struct {
	*appliance
	caller  *caller
	writers *writers
	rand    *rand.Rand

	kills    map[string]int
	took     []time.Duration // from the restart until everything runs on what is wanted
	damages  int
	leftover int
	control  int // violations found after one was made on purpose
}

// shows T1
func TestBarEngine01Kills(t *testing.T) {
	a, c := alone(t)
	a.withFailpoints()
	k := &killer{appliance: a, caller: c, rand: rand.New(rand.NewPCG(1, 2)), kills: map[string]int{}}
	a.settles(k.caller, patience)
	k.writers = newWriters(a, k.caller)
	n := bar.GateSize(30, 300, 3000) // thirty meet every failpoint
	violations := 0
	defer func() {
		worst := percentile(k.took, 1)
		figure := fmt.Sprintf("%d kills %v, %d acknowledged, %d refused, %d unknown; %d violations, %d damaged, %d left over, settled in %d ms at p99, %d ms at worst; control %d",
			len(k.took), k.kills, k.writers.told[there], k.writers.told[gone], k.writers.told[unknown], violations, k.damages, k.leftover,
			percentile(k.took, 0.99).Milliseconds(), worst.Milliseconds(), k.control)
		right := !t.Failed() && k.control > 0 && len(k.took) >= n && violations+k.damages+k.leftover == 0
		bar.ReportTimed(t, "engine", 1, figure, "0 violations, settled <=5000 ms", right, worst <= 5*time.Second)
	}()
	stop := k.writers.start(2, k.caller)
	defer stop()
	for i := range n {
		k.once(i)
		if t.Failed() {
			return
		}
		if i%50 == 49 {
			k.writers.paused(func() { violations += k.writers.check(t.Errorf) })
		}
	}
	stop()
	violations += k.writers.check(t.Errorf)
	k.control = k.writers.sabotage()
}

// withFailpoints exchanges the applier for one that dies where it is told to.
func (a *appliance) withFailpoints() {
	a.t.Helper()
	a.withApplier("failpoint")
}

// withApplier exchanges the applier for one that is built with a tag.
func (a *appliance) withApplier(tag string) {
	a.t.Helper()
	path := filepath.Join(a.t.TempDir(), "gateway-apply")
	build := exec.Command("go", "build", "-tags", tag, "-o", path, "gateway/cmd/gateway-apply")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		a.t.Fatalf("build the applier with the tag %s: %v\n%s", tag, err, out)
	}
	a.lab.Must(a.node.CopyIn(path, "/usr/sbin/gateway-apply.new", 0o755))
	a.run("mv", "/usr/sbin/gateway-apply.new", "/usr/sbin/gateway-apply")
	a.run("systemctl", "restart", "gateway-apply.service")
}

func (k *killer) once(i int) {
	k.t.Helper()
	var began time.Time
	switch {
	case i%15 == 14:
		k.kills["postgres"]++
		k.sh("pkill -KILL -x postgres; systemctl reset-failed 'postgresql*'; systemctl restart postgresql")
		began = time.Now()
	case i%3 == 1:
		k.kills["api"]++
		k.pause()
		k.sh("systemctl kill -s KILL gateway-api.service; systemctl reset-failed gateway-api.service; systemctl start gateway-api.service")
		began = time.Now()
	case i%3 == 2:
		k.kills["apply"]++
		k.pause()
		k.sh("systemctl kill -s KILL gateway-apply.service; systemctl reset-failed gateway-apply.service; systemctl start gateway-apply.service")
		began = time.Now()
	default:
		k.kills["failpoint"]++
		k.atFailpoint(failpoints[i/3%len(failpoints)])
		began = time.Now()
	}
	k.writers.paused(func() {
		k.settles(k.caller, patience)
		k.took = append(k.took, time.Since(began))
	})
	if left := k.sh(leftovers + " | grep -v stage- || true"); left != "" {
		k.t.Logf("left over after kill %d: %s", i, left)
		k.writers.paused(func() { left = k.sh(leftovers) }) // unless it was somebody's at work
		if left != "" {
			k.leftover++
		}
	}
}

// pause lets the writers get anywhere.
func (k *killer) pause() { time.Sleep(time.Duration(k.rand.IntN(80)) * time.Millisecond) }

// atFailpoint has the applier die at a step, looks at the files as they are then, and
// starts it again.
func (k *killer) atFailpoint(step string) {
	k.t.Helper()
	out := k.sh(`
echo ` + step + ` >/run/gateway-apply/failpoint
was=$(systemctl show -p MainPID --value gateway-apply.service)
n=0
while [ -e /run/gateway-apply/failpoint ] && [ $n -lt 300 ]; do sleep 0.01; n=$((n+1)); done
[ -e /run/gateway-apply/failpoint ] && { rm /run/gateway-apply/failpoint; echo "never came to ` + step + `"; }
` + whole + `
systemctl reset-failed gateway-apply.service
systemctl start gateway-apply.service`)
	if strings.Contains(out, "never came to") {
		k.t.Logf("%s", out) // nothing was changed meanwhile that needs this step
		return
	}
	if out != "" {
		k.damages++
		k.t.Errorf("dead at %s: %s", step, out)
	}
}
