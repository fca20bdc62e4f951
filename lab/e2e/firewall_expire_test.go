package e2e

import (
	"context"
	"fmt"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"gateway/tools/bar"
)

// stream sends without end, and knows when it was last answered.
type stream struct{ last atomic.Int64 }

const beat = 20 * time.Millisecond

func (b *border) stream(to netip.AddrPort) *stream {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	conn, err := b.client.DialContext(ctx, "tcp", to.String())
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = conn.Close() })
	s := &stream{}
	go func() {
		for {
			if _, err := conn.Write([]byte("x")); err != nil {
				return
			}
			time.Sleep(beat)
		}
	}()
	go func() {
		buf := make([]byte, 512)
		for {
			if _, err := conn.Read(buf); err != nil {
				return
			}
			s.last.Store(time.Now().UnixNano())
		}
	}()
	return s
}

// silence is how long it has not been answered.
func (s *stream) silence() time.Duration { return time.Since(time.Unix(0, s.last.Load())) }

func TestBarFirewall10Expiry(t *testing.T) {
	b := between(t)
	short, long := b.c.service("tcp", 7001), b.c.service("tcp", 7002)
	b.c.rule("for good", "lan", "wan", "accept", object{"service_object_id": long})
	var late []time.Duration
	lived, cut, n := true, true, bar.Size(2, 20)
	shortAt, longAt := b.echo(b.far, 7001), b.echo(b.far, 7002)
	for i := range n {
		if _, err := b.seen(b.client, shortAt); err == nil {
			t.Fatal("a connection comes about without a rule")
		}
		over := time.Now().Add(5 * time.Second)
		body := object{"service_object_id": short, "expires_at": over.Format(time.RFC3339Nano), "priority": i}
		b.c.rule(fmt.Sprintf("for now %d", i), "lan", "wan", "accept", body)
		mortal, immortal := b.stream(shortAt), b.stream(longAt)
		b.eventually(patience, "both streams are answered", func() bool { return mortal.silence() < beat*5 && immortal.silence() < beat*5 })
		if i%2 == 1 { // somebody else's change is rendered just after the rule is over
			time.Sleep(time.Until(over))
			b.c.post("/firewall/zones", object{"name": fmt.Sprintf("zone%d", i)}).want(201)
		}
		for time.Since(over) < 10*time.Second && (time.Now().Before(over) || mortal.silence() < 2*time.Second) {
			time.Sleep(beat)
		}
		cut = cut && mortal.silence() >= 2*time.Second
		lived = lived && immortal.silence() < time.Second
		late = append(late, time.Unix(0, mortal.last.Load()).Sub(over))
	}
	alive := time.Duration(0)
	for _, l := range late {
		alive = max(alive, l)
	}
	figure := fmt.Sprintf("connections cut within %.0f ms of expiry (%d rules), all cut %v; control by another rule lives %v", ms(alive), n, cut, lived)
	bar.ReportTimed(t, "firewall", 10, figure, "<=1000 ms, control lives", cut && lived && !t.Failed(), alive <= time.Second)
}
