package probe_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/component/uplink/health"
	"gateway/internal/netfilter"
	"gateway/tools/bar"
)

const (
	movedWithin   = 3 * time.Second
	carrierWithin = 200 * time.Millisecond
	backWithin    = 15 * time.Second
	patience      = time.Minute // a figure that is late is one too
	inboundEach   = 25
	// settled is how long after the end of a cause the last attempts may still be under way.
	settled = 1200 * time.Millisecond
	// warm is how long there are new connections before anything happens.
	warm = 500 * time.Millisecond
)

// outcome is what the scenarios showed, the worst of each.
type outcome struct {
	mu                  sync.Mutex
	moved, pulled, back time.Duration
	cut, kept           int64
	flaps               int64
	inbound, asked      int
	dark, tried         int // of the control
	early               int // new connections by the first uplink before it was to be used again
}

func (o *outcome) note(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
}

// cause is something that befalls the first uplink.
type cause struct {
	name       string
	carrier    bool
	begin, end func(r *rig, t testing.TB)
}

func causes() []cause {
	return []cause{
		{"cable pulled", true, func(r *rig, t testing.TB) { r.first.pull(t, true) }, func(r *rig, t testing.TB) { r.first.pull(t, false) }},
		{"all lost", false, func(r *rig, t testing.TB) { r.first.lose(t, 100) }, func(r *rig, t testing.TB) { r.first.lose(t, 0) }},
		{"30 % lost", false, func(r *rig, t testing.TB) { r.first.lose(t, 30) }, func(r *rig, t testing.TB) { r.first.lose(t, 0) }},
		{"400 ms more", false, func(r *rig, t testing.TB) { r.first.delay(t, 400*time.Millisecond) }, func(r *rig, t testing.TB) { r.first.delay(t, 0) }},
	}
}

func TestBarNetwork07Uplinks(t *testing.T) {
	bar.NotShort(t)
	var o outcome
	for round := range bar.GateSize(1, 1, 20) {
		var all sync.WaitGroup // beside each other: they mostly wait
		scenario := func(name string, f func(t *testing.T)) {
			all.Go(func() { t.Run(fmt.Sprint(name, ", round ", round), f) })
		}
		for _, c := range causes() {
			scenario(c.name, func(t *testing.T) { o.befall(t, c) })
		}
		scenario("flapping", func(t *testing.T) { o.flap(t, bar.GateSize(1, 3, 6)) })
		scenario("without monitor", o.control)
		all.Wait()
	}
	figure := fmt.Sprintf("new connections by the other way after %.2f s (carrier: %d ms); %d of %d of the healthy way cut; inbound by its own way %d of %d; %d flaps; back after %.1f s; control: %d of %d dark",
		o.moved.Seconds(), o.pulled.Milliseconds(), o.cut, o.kept, o.inbound, o.asked, o.flaps, o.back.Seconds(), o.dark, o.tried)
	target := "<= 3 s (carrier <= 200 ms), 0 cut, 100 of 100, 0 flaps, back <= 15 s, the control dark"
	right := !t.Failed() && o.cut == 0 && o.flaps == 0 && o.early == 0 && o.inbound == o.asked && o.asked >= 100 && o.dark == o.tried && o.tried > 0
	bar.ReportTimed(t, "network", 7, figure, target, right, o.moved <= movedWithin && o.pulled <= carrierWithin && o.back <= backWithin)
}

// ready is a rig whose uplinks were both found to work.
func ready(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.become(two())
	eventually(t, patience, "both up", func() bool {
		for _, u := range r.report().Uplinks {
			if u.State != health.Up {
				return false
			}
		}
		return r.who(time.Second) == by1
	})
	return r
}

// healthy are connections of the second uplink, in and out, which nothing of this is about.
func (r *rig) healthy() (all []net.Conn) {
	r.Helper()
	for range 5 {
		for _, to := range []string{by2 + ":443", by2 + ":8080"} {
			c, _, err := dial(r.outside, to, 3*time.Second)
			if err != nil {
				r.Fatal(to, err)
			}
			all = append(all, c)
		}
		c, who, err := dial(r.client, always2, 3*time.Second)
		if err != nil || who != by2 {
			r.Fatal(always2, who, err)
		}
		all = append(all, c)
	}
	return all
}

// inbound counts the connections from outside that are answered: each provider drops what
// does not come from its own network.
func (r *rig) inbound(each int) (answered, asked int) {
	for _, at := range []string{by1, by2} {
		for _, port := range []string{":443", ":8080"} {
			for range each {
				asked++
				if c, who, err := dial(r.outside, at+port, 5*time.Second); err == nil && who != "" {
					answered++
					c.Close()
				}
			}
		}
	}
	return answered, asked
}

// hanging is a connection of the client by the first uplink.
func (r *rig) hanging() net.Conn {
	r.Helper()
	c, who, err := dial(r.client, remote, 3*time.Second)
	if err != nil || who != by1 {
		r.Fatal(who, err)
	}
	r.Cleanup(func() { c.Close() })
	return c
}

// tracked counts the connections that the kernel knows to have left by the first uplink: by the
// mark of its number, without the bit of those that came in by it, which stay. The monitor goes
// on asking by ICMP, and that is none of them.
func (r *rig) tracked() (n int) {
	r.Helper()
	err := r.box.Do(func() (err error) {
		_, n, err = netfilter.Connections(r.Context(), netfilter.Filter{Protocol: unix.IPPROTO_TCP, Mark: 0x00010000, MarkMask: 0x00ff0000}, 0)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return n
}

// befall is one cause and its end.
func (o *outcome) befall(t *testing.T, c cause) {
	r := ready(t)
	slow := c.name == "400 ms more" // but all gets through: inbound is answered there as before
	if c.name == "30 % lost" {
		answered, asked := r.inbound(inboundEach)
		o.note(func() { o.inbound, o.asked = o.inbound+answered, o.asked+asked })
	}
	old := r.hanging()
	if n := r.tracked(); n == 0 {
		t.Error("the kernel knows of no connection by the first uplink before it failed")
	}
	every := 50 * time.Millisecond
	if c.carrier {
		every = 10 * time.Millisecond
	}
	l := newLoad(r, every, r.healthy())
	<-time.After(warm)
	if n := l.among(time.Time{}, time.Now(), by1); n == 0 {
		t.Error("there was no new connection by the first uplink before it failed")
	}
	from := time.Now()
	c.begin(r, t)
	<-time.After(movedWithin)
	if slow {
		answered, asked := r.inbound(2)
		o.note(func() { o.inbound, o.asked = o.inbound+answered, o.asked+asked })
	}
	<-time.After(settled)
	end := time.Now()
	moved := l.moved(t, from, end.Add(-settled), by2)
	if n := r.tracked(); n > 0 {
		t.Errorf("the kernel still knows %d connections that left by the dead uplink", n)
	}
	// Its next packet is that of a new connection, by the other uplink, where the other side does
	// not know it and says so. To hear nothing would be no sign of that: a dead uplink is silent.
	if err := echo(old, movedWithin); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a connection of the dead uplink hangs or lives on instead of being cut: %v", err)
	}
	c.end(r, t)
	back := o.awaitBack(r, l, end)
	t.Logf("moved after %s, back after %s, %d of %d cut", moved, back, l.cut.Load(), l.kept)
	o.note(func() {
		if c.carrier {
			o.pulled = max(o.pulled, moved)
		} else {
			o.moved = max(o.moved, moved)
		}
	})
}

// awaitBack waits until the first uplink is used again, and notes what became of the others.
func (o *outcome) awaitBack(r *rig, l *load, end time.Time) (back time.Duration) {
	r.Helper()
	eventually(r, patience, "back", func() bool { return l.among(time.Now().Add(-2*time.Second), time.Now(), by1) > 5 })
	l.stop()
	now := time.Now()
	back = l.moved(r, end, now, by1)
	failed := r.failed.Load()
	if failed != 1 {
		r.Errorf("an uplink failed %d times by the log, want once", failed)
	}
	o.note(func() {
		o.back = max(o.back, back)
		o.cut, o.kept = o.cut+l.cut.Load(), o.kept+int64(l.kept)
		o.flaps += max(failed-1, 0)
	})
	return back
}

// flap is a cause that comes and goes every five seconds.
func (o *outcome) flap(t *testing.T, times int) {
	const half = 5 * time.Second
	r := ready(t)
	l := newLoad(r, 100*time.Millisecond, r.healthy())
	from := time.Now()
	for range times {
		r.first.lose(t, 100)
		<-time.After(half)
		r.first.lose(t, 0)
		<-time.After(half)
	}
	r.first.lose(t, 100)
	<-time.After(half / 10)
	end := time.Now()
	early := l.among(from.Add(movedWithin), end, by1)
	r.first.lose(t, 0)
	back := o.awaitBack(r, l, end)
	t.Logf("back after %s, %d early", back, early)
	o.note(func() { o.early += early })
}

// control has no monitor: what is lost beyond the cable is not seen, and stays lost.
func (o *outcome) control(t *testing.T) {
	r := newRig(t)
	c := two()
	for i := range c.Uplinks {
		c.Uplinks[i].Monitor = false
	}
	r.become(c)
	eventually(t, patience, "by the first", func() bool { return r.who(time.Second) == by1 })
	r.first.lose(t, 100)
	l := newLoad(r, 100*time.Millisecond, nil)
	from := time.Now()
	<-time.After(2 * movedWithin)
	l.stop()
	all := l.all(from, time.Now())
	lost := l.among(from, time.Now(), "")
	o.note(func() { o.dark, o.tried = o.dark+lost, o.tried+len(all) })
}
