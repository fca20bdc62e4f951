package e2e

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// brokenBoot is a way in which the boot filter cannot do its work.
type brokenBoot struct {
	name string
	// prepare breaks it, before the power is cut.
	prepare func(*coldBoots)
	// stays says that nobody repairs it: gateway-apply is broken in the same way.
	stays bool
	said  string // in the journal, that it could not
}

// starving has not even the room that a Go program begins with.
const starving = "[Service]\nLimitAS=48M\n"

// killing kills the program itself, as the kernel does when memory runs out.
const killing = "[Service]\nExecStart=\nExecStart=/bin/sh -c '/usr/sbin/gateway-apply --packet-filter & kill -KILL $!; wait $!'\n"

var brokenBoots = []brokenBoot{
	{name: "killed", said: "Failed with result", prepare: func(b *coldBoots) { b.dropIn("gateway-firewall.service", killing) }},
	{name: "starved", said: "Failed with result", stays: true, prepare: func(b *coldBoots) {
		b.dropIn("gateway-firewall.service", starving)
		b.dropIn("gateway-apply.service", starving)
	}},
	{name: "damaged", said: "firewall.good", prepare: func(b *coldBoots) {
		// The files, and those from which they would be mended.
		b.sh(`for f in /etc/gateway/nftables/* $(find /var/lib/gateway-apply -type f); do truncate -s -9 "$f"; done; sync`)
	}},
}

// A node whose boot filter fails is closed, does not forward, can be managed, and is whole
// again once gateway-apply has loaded the rules.
func TestBarTrust10BrokenBoots(t *testing.T) {
	b := newColdBoots(t)
	stop := b.flood()
	defer stop()
	n, closed := bar.GateSize(1, 10, 10), 0
	for _, kind := range brokenBoots {
		for range n {
			b.broken(kind)
			if t.Failed() {
				return
			}
			closed++
		}
	}
	leaked := b.leaked
	b.boot(true, packetFilter...) // the control
	figure := fmt.Sprintf("%d forbidden packets in %d boots with the filter killed, starved or damaged; control without it %d", leaked, closed, b.leaked-leaked)
	bar.Report(t, "trust", 10, figure, "0 forbidden, control > 0", leaked == 0 && b.leaked > leaked && closed == n*len(brokenBoots) && !t.Failed())
}

func (b *coldBoots) broken(kind brokenBoot) {
	b.t.Helper()
	kind.prepare(b)
	before := b.cutPower()
	if kind.stays {
		b.staysClosed(kind, before)
		b.run("rm", "-r", "/etc/systemd/system/gateway-apply.service.d")
		b.run("systemctl", "daemon-reload")
		b.run("systemctl", "restart", "gateway-apply.service")
	}
	b.eventually(patience, "gateway-apply has loaded the rules and the node forwards", func() bool {
		return b.through()[permitted] > before[permitted] && b.arrived(permitted) > 0 && b.forwards() == "1 1"
	})
	if said := b.sh("journalctl -b -u gateway-firewall.service -o cat"); !strings.Contains(said, kind.said) {
		b.t.Errorf("%s: the boot filter did its work: %s", kind.name, said)
	}
	leaked := b.arrived(forbidden) + b.through()[forbidden] - before[forbidden]
	b.t.Logf("%s: %d forbidden, %d permitted to the node, %d through it", kind.name, leaked, b.arrived(permitted), b.through()[permitted]-before[permitted])
	b.leaked += leaked
	b.run("rm", "-rf", "/etc/systemd/system/gateway-firewall.service.d", "/etc/systemd/system/gateway-apply.service.d")
}

// staysClosed looks at a node that has only the small table, for as long as it would take to load another.
func (b *coldBoots) staysClosed(kind brokenBoot, before map[int]int64) {
	b.t.Helper()
	b.eventually(patience, "the management answers", func() bool {
		conn, err := b.client.DialContext(b.t.Context(), "tcp", netip.AddrPortFrom(b.node.IP(), 3443).String())
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	time.Sleep(time.Second)
	for unit, want := range map[string]string{"gateway-shut.service": "active", "gateway-firewall.service": "failed"} {
		if got, _ := b.node.Run(b.t.Context(), "systemctl", "is-active", unit); strings.TrimSpace(got) != want {
			b.t.Errorf("%s: %s is %q, want %q", kind.name, unit, strings.TrimSpace(got), want)
		}
	}
	if got := b.forwards(); got != "0 0" {
		b.t.Errorf("%s: forwarding is %q without rules", kind.name, got)
	}
	if passed, let := b.through()[permitted]-before[permitted], b.arrived(permitted); passed+let != 0 {
		b.t.Errorf("%s: %d packets through the node and %d to it without rules", kind.name, passed, let)
	}
}

// forwards is what the kernel says about IPv4 and IPv6.
func (b *coldBoots) forwards() string {
	b.t.Helper()
	return strings.Join(strings.Fields(b.run("cat", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding")), " ")
}

// dropIn changes a unit for the next boots.
func (b *coldBoots) dropIn(unit, text string) {
	b.t.Helper()
	b.run("mkdir", "-p", "/etc/systemd/system/"+unit+".d")
	b.lab.Must(b.node.WriteFile("/etc/systemd/system/"+unit+".d/broken.conf", []byte(text), 0o644))
}
