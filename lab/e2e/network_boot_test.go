package e2e

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/tools/bar"
)

// bootWithin is how soon after init the configured network carries a packet.
const bootWithin = 15 * time.Second

// bootedLegs is a node whose power is cut again and again, and whose configured network must
// be there afterwards, with PostgreSQL or without.
type bootedLegs struct {
	*legs
	*coldBoots
	polling sync.WaitGroup
	phone   roaming
	mu      sync.Mutex
	packet  time.Duration // until both operators had an answer of the node, at the slowest boot
	slowest time.Duration // until both had reached the management
	tunnel  time.Duration // until somebody had an answer through the tunnel
}

// shows NET-22, FW-32
func TestBarNetwork05ColdBoots(t *testing.T) {
	n := newLegs(t)
	if out := n.sh("ip -4 route show"); !strings.Contains(out, "via "+outerGateway+" dev eth1 proto gateway") {
		t.Errorf("iproute2 does not call our protocol gateway: %s", out)
	}
	n.c.post("/network-interfaces", object{"name": "eth0", "type": "ethernet", "role": "lan"}).want(201)
	around := &border{appliance: n.appliance, c: n.c, far: n.far.from}
	b := &bootedLegs{legs: n, coldBoots: around.coldBoots()}
	b.phone = n.tunnelled()
	defer b.flood()()
	before := n.kernel() + n.tunnels()
	size, as := bar.GateSize(2, 3, 20), 0
	for i := range size {
		if b.once(i%2 == 0); t.Failed() {
			return
		}
		if after := n.kernel() + n.tunnels(); after != before {
			t.Fatalf("boot %d: the kernel has\n%s\nhad\n%s", i, after, before)
		}
		as++
	}
	leaked, deaf := b.leaked, b.deaf
	b.boot(true, packetFilter...) // the control
	figure := fmt.Sprintf("%d of %d cold boots with links, addresses, routes and a tunnel as before, %d of them without PostgreSQL; a packet by them at the latest %.1f s after init, through the tunnel (wireguard-go) %.1f s, the management %.1f s; %d forbidden packets, control without the filter %d",
		as, size, (size+1)/2, b.packet.Seconds(), b.tunnel.Seconds(), b.slowest.Seconds(), leaked, b.leaked-leaked)
	bar.ReportTimed(t, "network", 5, figure, "all as before, <= 15 s, 0 forbidden",
		as == size && leaked == 0 && deaf == 0 && b.leaked > leaked && !t.Failed(), max(b.packet, b.tunnel) <= bootWithin)
}

// once cuts the power, and waits for both operators.
func (b *bootedLegs) once(masked bool) {
	b.legs.t.Helper()
	b.switchedOn = func() { b.await(b.legs.far, b.legs.near) }
	b.boot(masked, "postgresql.service", "postgresql@17-main.service")
	b.polling.Wait()
	b.switchedOn = nil
}

// await measures how long it takes until the operators hear of the node, and reach the management.
func (b *bootedLegs) await(all ...*operator) {
	began := time.Now()
	b.polling.Go(func() {
		through := func(context.Context) bool { return b.phone.reaches(b.legs.t, b.legs.far.from, time.Second) }
		b.until(began, "the tunnel", through, &b.tunnel)
	})
	for _, o := range all {
		b.polling.Go(func() {
			b.until(began, o.to+" answers", o.hears, &b.packet)
			b.until(began, o.to+" is managed", o.reaches, &b.slowest)
		})
	}
}

// until waits for something, and keeps the longest time that it took since the node was switched on.
func (b *bootedLegs) until(began time.Time, what string, holds func(context.Context) bool, longest *time.Duration) {
	ctx, cancel := context.WithTimeout(b.legs.t.Context(), 2*patience)
	defer cancel()
	for !holds(ctx) {
		if ctx.Err() != nil {
			b.legs.t.Errorf("not within %v: %s", 2*patience, what)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	*longest = max(*longest, time.Since(began))
}
