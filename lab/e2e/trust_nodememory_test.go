package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway/lab/qemutest"
	"gateway/tools/bar"
)

const (
	// patienceEmulated is for a machine that takes minutes for the work of seconds.
	patienceEmulated = 20 * time.Minute
	// pauseEmulated leaves it to its work: to say how all components stand is work, too.
	pauseEmulated = 3 * time.Second
	// tooLittle is a limit for gateway-apply in which it cannot start, in MiB.
	tooLittle     = 128
	unifiedGroups = "/sys/fs/cgroup/system.slice"
)

// emulated is a crowded node that goes on with Debian's kernel, where memory groups are those
// of version 2.
type emulated struct {
	*crowded
	machine *qemutest.Node
}

// TestBarTrust10Memory puts the processes into groups itself; here systemd does, from the units
// as they are shipped. The backup, which takes many minutes here, is left to the former.
func TestBarTrust10MemoryNode(t *testing.T) {
	if os.Getenv(bar.GateEnv) != "" {
		t.Skip("it emulates a whole node for a quarter of an hour")
	}
	b := newCrowded(t, 1)
	b.settles(b.c, b.patience)
	units := []string{applierUnit, bootFilterUnit, apiUnit, schedulerUnit}
	shipped := map[string]int64{}
	for _, unit := range units {
		shipped[unit] = b.shipped(unit)
	}
	e := b.emulated()
	filter := e.enforced(bootFilterUnit) // which has no group once its work is done
	e.settles(e.c, e.patience)
	e.changes()
	for _, path := range e.asks() { // eight at once may be too many for it, one is not
		e.c.get(path).want(200)
	}
	enforced := map[string]int64{bootFilterUnit: filter}
	said := []string{}
	for _, unit := range units {
		if unit != bootFilterUnit {
			enforced[unit] = e.enforced(unit)
		}
		if enforced[unit] != shipped[unit] {
			t.Errorf("the kernel holds %s to %d bytes, it is shipped with %d", unit, enforced[unit], shipped[unit])
		}
		said = append(said, strings.TrimSuffix(unit, ".service")+" "+e.need(unit, enforced[unit]).String())
	}
	kills, control := e.kills(), e.starved(applierUnit)
	figure := fmt.Sprintf("cgroup v2, as systemd sets it up from the units on Debian's kernel, emulated, all claimed sizes, at boot, with changes, and with eight at once who ask for the first 1,000 of each list, matrix, findings, counters and preview: %s; %d kills of all services; control of %d MiB %d kills",
		strings.Join(said, ", "), kills, tooLittle, control)
	bar.Report(t, "trust", 10, figure, "0 kills, control > 0", kills == 0 && control > 0 && !t.Failed())
}

// emulated shuts the node down, and boots it on an emulated machine, in the same place of the same networks.
func (b *crowded) emulated() *emulated {
	b.t.Helper()
	b.lab.Must(b.node.PowerOff())
	b.patience, b.pause, b.c.http.Timeout = patienceEmulated, pauseEmulated, patienceEmulated
	return &emulated{b, qemutest.Boot(b.t, b.node, patienceEmulated)}
}

// enforced is what the kernel holds a unit to, as soon as it is started.
func (e *emulated) enforced(unit string) int64 {
	e.t.Helper()
	return e.number(fmt.Sprintf("for i in $(seq 600); do grep -s '[0-9]' %s/%s/memory.max && break; sleep 0.1; done", unifiedGroups, unit))
}

// need is what a unit has needed since it was started, which must have been once.
func (e *emulated) need(unit string, limit int64) need {
	e.t.Helper()
	of := "systemctl show --value " + unit + " -p "
	if restarts, result := e.number(of+"NRestarts"), e.machine.MustRun(of+"Result"); restarts != 0 || result != "success" {
		e.t.Errorf("%s was started %d times more, its result is %s", unit, restarts, result)
	}
	return need{limit: limit, peak: e.number(of + "MemoryPeak"), kills: e.killed(unit)}
}

// killed is how often the kernel said that memory ran out in a unit's group.
func (e *emulated) killed(unit string) int {
	e.t.Helper()
	return int(e.number("journalctl -k -o cat | grep -cF oom_memcg=/system.slice/" + unit + " || :"))
}

// kills is how many processes of services were killed, also in groups that are gone.
func (e *emulated) kills() int {
	e.t.Helper()
	return int(e.number("sed -n 's/^oom_kill //p' " + unifiedGroups + "/memory.events"))
}

// starved starts a unit with less than it needs, and returns how many of its processes were killed.
func (e *emulated) starved(unit string) int {
	e.t.Helper()
	before := e.kills()
	e.machine.MustRun(fmt.Sprintf("systemctl set-property --runtime %s MemoryMax=%dM; systemctl restart --no-block %s", unit, tooLittle, unit))
	e.eventually(e.patience, "the kernel kills "+unit, func() bool { return e.killed(unit) > 0 })
	return e.kills() - before
}

func (e *emulated) number(line string) int64 {
	e.t.Helper()
	out := e.machine.MustRun(line)
	n, err := strconv.ParseInt(out, 10, 64)
	if err != nil {
		e.t.Fatalf("%s: %v", line, err)
	}
	return n
}
