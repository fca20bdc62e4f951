package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway/tools/bar"
)

// The sizes that the product claims, all at once.
const (
	claimedDomains, claimedRules      = 10_000, 10_000
	claimedRecords, claimedAddresses  = 100_000, 100_000
	patienceFull                      = 4 * time.Minute
	memoryGroups                      = "/sys/fs/cgroup/memory"
	applierUnit, bootFilterUnit       = "gateway-apply.service", "gateway-firewall.service"
	applierProgram, bootFilterProgram = "/usr/sbin/gateway-apply", "/usr/sbin/gateway-apply --packet-filter"
	apiUnit, apiProgram               = "gateway-api.service", "/usr/sbin/gateway-api"
	schedulerUnit, schedulerProgram   = "gateway-scheduler.service", "/usr/sbin/gateway-scheduler"
	verifyUnit, verifyProgram         = "gateway-verify@.service", "/usr/sbin/gateway-ctl restore-verify %i"
)

// crowded is a node with as many objects as are claimed, or, in the gate, a tenth of them.
type crowded struct {
	*border
	pool, zone, group string
	patience          time.Duration
}

// What the units ship as MemoryMax= is enforced by the host here: where its controllers are
// those of version 1, the node's systemd accepts the setting and does nothing.
func TestBarTrust10Memory(t *testing.T) {
	if _, err := os.Stat(memoryGroups + "/memory.limit_in_bytes"); err != nil {
		t.Skip("the host has no memory controller of version 1")
	}
	b := newCrowded(t, bar.GateSize(10, 1, 1))
	apply := b.applierWithin(b.shipped(applierUnit), true)
	filter := b.bootFilterWithin(b.shipped(bootFilterUnit))
	api := b.apiWithin(b.shipped(apiUnit))
	scheduler, verify := b.backupWithin(b.shipped(schedulerUnit), b.shipped(strings.Replace(verifyUnit, "@", "@x", 1)))
	control := b.applierWithin(int64(bar.GateSize(24, 128, 128))<<20, false)
	figure := fmt.Sprintf("gateway-apply %s; boot filter %s; gateway-api, asked by eight at once for the first 1,000 of each list, matrix, findings, counters and preview, %s; gateway-scheduler, which backs it up, %s; the verification of that %s; control of %s; by memory groups of version 1, not 2", apply, filter, api, scheduler, verify, control)
	kills := apply.kills + filter.kills + api.kills + scheduler.kills + verify.kills
	bar.Report(t, "trust", 10, figure, "0 kills, control > 0", kills == 0 && control.kills > 0 && !t.Failed())
}

// newCrowded divides the claimed sizes.
func newCrowded(t *testing.T, by int) *crowded {
	t.Helper()
	b := &crowded{border: between(t), patience: patienceFull}
	b.pool = b.c.pool(nil, b.origin("one"))
	b.opened(b.c)
	b.zone = b.c.post("/dns/zones", object{"name": "many.arpa", "forward_to": []string{}}).want(201).id()
	b.group = b.c.post("/firewall/address-groups", object{"name": "crowd"}).want(201).id()
	b.c.rule("the crowd goes out", "lan", "wan", "accept", object{"src_kind": "group", "src_group_id": b.group})
	b.fill(by)
	b.run("systemctl", "restart", "gateway-api.service") // it did not hear of them
	return b
}

// fill makes rows as the API would, without a round for each. The triggers, which would take
// minutes, are off: the processes read all anew.
func (b *crowded) fill(by int) {
	b.t.Helper()
	for _, q := range []string{
		fmt.Sprintf(`insert into proxy_domains (id, revision, created_at, updated_at, name, backend_id, active, http_to_https, disable_h3, hsts_max_age,
				hsts_subdomains, hsts_preload, rate_limit, maintenance, max_body_size, www_redirect, allow_from, notes)
			select gen_random_uuid(), 1, now(), now(), 'host' || n || '.many.example.com', '%s', true, true, false, 0, false, false, 0, false, 0, 'off', '{}', ''
			from generate_series(1, %d) n`, b.pool, claimedDomains/by),
		fmt.Sprintf(`insert into firewall_rules (id, revision, created_at, updated_at, name, src_zone, src_kind, src_cidr, dst_zone, dst_kind, dst_cidr,
				service_object_id, action, log, priority, enabled, comment, note, labels)
			select gen_random_uuid(), 1, now(), now(), 'rule ' || n, case n %% 2 when 0 then 'lan' else 'wan' end, 'cidr', '172.16.' || n / 256 || '.' || n %% 256 || '/32',
				case n %% 2 when 0 then 'wan' else 'lan' end, 'any', '', '00000000-0000-7000-8000-000000300102', 'accept', false, n + 1000, true, '', '', '{}'
			from generate_series(1, %d) n`, claimedRules/by),
		fmt.Sprintf(`insert into dns_records (id, revision, created_at, updated_at, zone_id, name, type, value, ttl, fqdn)
			select gen_random_uuid(), 1, now(), now(), '%s', 'r' || n, 'A', '192.0.2.' || (n %% 250 + 1), 60, 'r' || n || '.many.arpa.'
			from generate_series(1, %d) n`, b.zone, claimedRecords/by),
		fmt.Sprintf(`with o as (insert into firewall_address_objects (id, revision, created_at, updated_at, name, kind, value, description)
				select gen_random_uuid(), 1, now(), now(), 'h' || n, 'host', '10.' || n * 2 / 65536 || '.' || n * 2 / 256 %% 256 || '.' || n * 2 %% 256 + 1, ''
				from generate_series(0, %d) n returning id)
			insert into firewall_address_members (id, revision, created_at, updated_at, group_id, object_id)
				select gen_random_uuid(), 1, now(), now(), '%s', id from o`, claimedAddresses/by-1, b.group),
	} {
		b.sql("gateway", `set session_replication_role = replica; `+q+`; analyze`)
	}
}

// shipped is the unit's limit, as the package has it.
func (b *crowded) shipped(unit string) int64 {
	b.t.Helper()
	n, err := strconv.ParseInt(b.run("systemctl", "show", "-p", "MemoryMax", "--value", unit), 10, 64)
	if err != nil {
		b.t.Fatalf("%s has no limit: %v", unit, err)
	}
	return n
}

// need is what a unit needed of its limit.
type need struct {
	limit, peak int64 // bytes
	kills       int
}

func (n need) String() string {
	return fmt.Sprintf("%d MiB of %d, %d kills", n.peak>>20, n.limit>>20, n.kills)
}

// applierWithin starts gateway-apply within a limit, and changes one object of each kind.
func (b *crowded) applierWithin(limit int64, whole bool) need {
	b.t.Helper()
	g := b.newMemoryGroup(limit)
	defer g.end()
	g.start(applierUnit, applierProgram)
	if !whole {
		b.eventually(b.patience, "the kernel kills gateway-apply", func() bool { return g.need().kills > 0 })
		return g.need()
	}
	b.settles(b.c, b.patience)
	b.changes()
	return g.need()
}

// changes changes one object of each kind.
func (b *crowded) changes() {
	b.t.Helper()
	n := time.Now().UnixNano()
	b.made("/domains", object{"name": fmt.Sprintf("new%d.example.com", n), "backend_id": b.pool})
	b.made("/firewall/rules", object{
		"name": fmt.Sprintf("new %d", n), "src_zone": "lan", "dst_zone": "wan", "action": "accept", "src_kind": "cidr", "src_cidr": "198.18.0.1/32",
	})
	b.made("/dns/records", object{"zone_id": b.zone, "name": fmt.Sprintf("n%d", n), "type": "A", "value": "198.51.100.1", "ttl": 60})
	id := b.made("/firewall/address-objects", object{"name": fmt.Sprintf("new %d", n), "kind": "host", "value": "198.19.0.1"})
	b.made("/firewall/address-members", object{"group_id": b.group, "object_id": id})
	b.settles(b.c, b.patience)
}

// made makes an object. Of so many, on a busy machine, the API gives up at times and says so.
func (b *crowded) made(path string, body object) (id string) {
	b.t.Helper()
	b.eventually(b.patience, "made at "+path, func() bool {
		r, err := b.c.try("POST", path, body)
		if err != nil || r.status == 503 {
			return false
		}
		id = r.want(201).id()
		return true
	})
	return id
}

// bootFilterWithin loads the packet filter as at boot, within a limit.
func (b *crowded) bootFilterWithin(limit int64) need {
	b.t.Helper()
	g := b.newMemoryGroup(limit)
	defer g.end()
	b.run("systemctl", "stop", "gateway-apply.socket", applierUnit)
	b.run("nft", "delete", "table", "inet", "gateway")
	g.start(bootFilterUnit, bootFilterProgram)
	b.eventually(b.patience, "the boot filter is loaded", func() bool {
		out, _ := b.node.Run(b.t.Context(), "systemctl", "is-active", bootFilterUnit)
		return strings.TrimSpace(out) == "active"
	})
	b.run("systemctl", "start", "gateway-apply.socket", applierUnit)
	b.settles(b.c, b.patience)
	return g.need()
}

// apiWithin starts gateway-api within a limit, and eight at once ask it for what reads the most, but for all pages of a list.
func (b *crowded) apiWithin(limit int64) need {
	b.t.Helper()
	g := b.newMemoryGroup(limit)
	defer g.end()
	g.start(apiUnit, apiProgram)
	b.settles(b.c, b.patience)
	for _, path := range b.asks() {
		b.t.Errorf("GET %s was answered to none of the eight", path)
	}
	return g.need()
}

// asks has eight at once ask for what reads the most, and returns what was answered to none of them.
func (b *crowded) asks() (unanswered []string) {
	b.t.Helper()
	paths := []string{
		"/domains?limit=1000", "/firewall/rules?limit=1000", "/dns/records?limit=1000", "/firewall/address-objects?limit=1000",
		"/firewall/address-members?limit=1000", "/firewall/matrix", "/firewall/findings", "/firewall/counters", "/system/config-preview", "/problems",
	}
	var asking sync.WaitGroup
	answered := make([]atomic.Int64, len(paths))
	for range 8 {
		asking.Go(func() {
			for i, path := range paths {
				switch r, err := b.c.copy().try("GET", path, nil); {
				case err == nil && r.status == 200:
					answered[i].Add(1)
				case err != nil || r.status != 429 && r.status != 503: // it says that it is busy
					b.t.Errorf("GET %s: %.200v %v", path, r, err)
				}
			}
		})
	}
	asking.Wait()
	for i, path := range paths {
		if answered[i].Load() == 0 {
			unanswered = append(unanswered, path)
		}
	}
	b.settles(b.c, b.patience)
	return unanswered
}

// backupWithin makes a backup by gateway-scheduler within a limit, and has it verified within another.
func (b *crowded) backupWithin(scheduler, verify int64) (made, verified need) {
	b.t.Helper()
	g := b.newMemoryGroup(scheduler)
	defer g.end()
	g.start(schedulerUnit, schedulerProgram)
	id := ""
	b.eventually(b.patience, "a backup begins", func() bool {
		r, err := b.c.try("POST", "/backups", nil)
		if err != nil || r.status >= 300 {
			return false // the scheduler has just begun
		}
		id = r.id()
		return true
	})
	over := func(want string) func() bool {
		return func() bool {
			var one struct {
				Status string
				Verify string `json:"verify_status"`
			}
			r, err := b.c.try("GET", "/backups/"+id, nil)
			return err == nil && r.decode(&one) && one.Status == "done" && one.Verify == want
		}
	}
	b.eventually(b.patience, "the backup is made and verified", over("done"))
	v := b.newMemoryGroup(verify)
	defer v.end()
	v.waiting(verifyUnit, verifyProgram)
	b.c.post("/backups/"+id+"/verify", nil).want(202)
	b.eventually(b.patience, "the verification is under way", func() bool { return !over("done")() })
	v.enter(strings.Replace(verifyUnit, "@", "@"+id, 1))
	b.eventually(b.patience, "the backup is verified once more", over("done"))
	return g.need(), v.need()
}

// memoryGroup is one of the host's, for one process of the node.
type memoryGroup struct {
	*crowded
	dir   string
	limit int64
}

func (b *crowded) newMemoryGroup(limit int64) *memoryGroup {
	b.t.Helper()
	g := &memoryGroup{crowded: b, dir: fmt.Sprintf("%s/gateway-lab-%d-%d", memoryGroups, os.Getpid(), time.Now().UnixNano()), limit: limit}
	b.lab.Must(os.Mkdir(g.dir, 0o755))
	b.lab.Must(os.WriteFile(g.dir+"/memory.limit_in_bytes", []byte(strconv.FormatInt(limit, 10)), 0o644))
	return g
}

// start has a unit's process wait until it is in the group. What it starts is so as well.
func (g *memoryGroup) start(unit, program string) {
	g.t.Helper()
	g.waiting(unit, program)
	g.run("systemctl", "restart", "--no-block", unit)
	g.enter(unit)
}

// waiting has a unit's process wait, when it is started.
func (g *memoryGroup) waiting(unit, program string) {
	g.t.Helper()
	wait := fmt.Sprintf("[Service]\nExecStart=\nExecStart=/bin/sh -c 'until test -e /run/in-group; do sleep 0.05; done; exec %s'\n", program)
	g.run("rm", "-f", "/run/in-group")
	g.run("mkdir", "-p", "/run/systemd/system/"+unit+".d")
	g.lab.Must(g.node.WriteFile("/run/systemd/system/"+unit+".d/group.conf", []byte(wait), 0o644))
	g.run("systemctl", "daemon-reload")
}

// enter puts a unit's process into the group, and has it go on.
func (g *memoryGroup) enter(unit string) {
	g.t.Helper()
	pid := 0
	g.eventually(patience, unit+" waits", func() bool {
		pid = g.hostPID(g.run("systemctl", "show", "-p", "MainPID", "--value", unit))
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return strings.Contains(string(line), "/run/in-group")
	})
	g.lab.Must(os.WriteFile(g.dir+"/cgroup.procs", []byte(strconv.Itoa(pid)), 0o644))
	g.run("touch", "/run/in-group")
}

// hostPID is a process of the node as the host sees it, or 0.
func (g *memoryGroup) hostPID(inside string) int {
	g.t.Helper()
	id := g.run("cat", "/etc/machine-id")
	all, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, f := range all {
		text, _ := os.ReadFile(f) // it may be gone by now
		_, rest, _ := strings.Cut(string(text), "\nNSpid:")
		rest, _, _ = strings.Cut(rest, "\n")
		pids := strings.Fields(rest)
		if len(pids) < 2 || pids[len(pids)-1] != inside {
			continue
		}
		if have, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "root/etc/machine-id")); strings.TrimSpace(string(have)) == id {
			n, _ := strconv.Atoi(pids[0])
			return n
		}
	}
	return 0
}

func (g *memoryGroup) need() need {
	g.t.Helper()
	n := need{limit: g.limit}
	peak, err := os.ReadFile(g.dir + "/memory.max_usage_in_bytes")
	g.lab.Must(err)
	n.peak, err = strconv.ParseInt(strings.TrimSpace(string(peak)), 10, 64)
	g.lab.Must(err)
	control, err := os.ReadFile(g.dir + "/memory.oom_control")
	g.lab.Must(err)
	_, kills, _ := strings.Cut(string(control), "oom_kill ")
	n.kills, err = strconv.Atoi(strings.TrimSpace(kills))
	g.lab.Must(err)
	return n
}

// end lets the processes go on outside of the group.
func (g *memoryGroup) end() {
	procs, _ := os.ReadFile(g.dir + "/cgroup.procs")
	for _, pid := range strings.Fields(string(procs)) {
		_ = os.WriteFile(memoryGroups+"/cgroup.procs", []byte(pid), 0o644)
	}
	// The kernel lets go of a dead process a moment after its end.
	g.eventually(patience, "the memory group is removed", func() bool { return os.Remove(g.dir) == nil })
}
