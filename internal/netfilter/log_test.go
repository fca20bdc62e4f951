package netfilter

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const logging = base + `add rule inet gateway input udp dport 7 log prefix "ready" group 5 drop
add counter inet gateway logged
add rule inet gateway input udp dport 9 counter name logged log prefix "gateway:nine" group 5 drop
add rule inet gateway input tcp dport 9 log prefix "gateway:drop-input" group 5 drop
`

// watch reads group 5 until the test ends. It answers once packets are logged for sure.
func (r *rig) watch(tell func(Event)) (stop func()) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	ready, done := make(chan struct{}), make(chan error, 1)
	var isReady bool
	go func() {
		done <- r.Do(func() error {
			return Watch(ctx, 5, func(e Event) {
				switch {
				case !isReady && e.Prefix == "ready":
					isReady = true
					close(ready)
				case isReady && e.Prefix != "ready":
					tell(e)
				}
			})
		})
	}()
	r.sendUntil("127.0.0.1:7", ready)
	return func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Errorf("Watch = %v, want nil at its end", err)
		}
	}
}

func (r *rig) sendUntil(to string, done <-chan struct{}) {
	r.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		r.sendUDP(to, 1, 0)
		select {
		case <-done:
			return
		case <-tick.C:
		case <-r.t.Context().Done():
			r.t.Fatal("nothing was logged")
		}
	}
}

func TestWatchTellsWhatWasLogged(t *testing.T) {
	r := newRig(t)
	r.replace(logging)
	events := make(chan Event, 10)
	stop := r.watch(func(e Event) { events <- e })
	defer stop()
	begin := time.Now()

	r.sendUDP("127.0.0.1:9", 1, 1000)
	got := <-events
	want := Event{
		Prefix: "gateway:nine", Protocol: 17, Port: 9, Type: -1, In: "lo", Size: 1028,
		Source: netip.MustParseAddr("127.0.0.1"), Destination: netip.MustParseAddr("127.0.0.1"),
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Event{}, "At", "SourcePort"), addresses); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
	if got.SourcePort == 0 || got.At.Before(begin.Add(-time.Second)) || time.Since(got.At) > time.Minute {
		t.Errorf("event = %+v, want the port it came from and the time of now", got)
	}

	r.must(func() error {
		c, err := net.DialTimeout("tcp", "[::1]:9", time.Millisecond)
		if err == nil {
			c.Close()
		}
		return nil
	})
	got = <-events
	want = Event{
		Prefix: "gateway:drop-input", Protocol: 6, Port: 9, Type: -1, In: "lo", Size: got.Size,
		Source: netip.MustParseAddr("::1"), Destination: netip.MustParseAddr("::1"),
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Event{}, "At", "SourcePort"), addresses); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

var addresses = cmp.Comparer(func(a, b netip.Addr) bool { return a == b })

// What is too fast is not told, but it is told that it was not.
func TestWatchCountsWhatItLost(t *testing.T) {
	r := newRig(t)
	r.replace(logging)
	type sum struct{ told, lost uint64 }
	var s sum
	first, blocked, all := make(chan struct{}), make(chan struct{}), make(chan sum)
	stop := r.watch(func(e Event) {
		if s.told+s.lost == 0 {
			close(first)
			<-blocked
		}
		switch {
		case e.Lost > 0:
			s.lost += e.Lost
		case e.Port == 9 && e.Size == 28+1:
			all <- s
		default:
			s.told++
		}
	})
	defer stop()
	r.sendUDP("127.0.0.1:9", 1, 0)
	<-first
	const many = 200_000
	r.sendUDP("127.0.0.1:9", many, 0)
	close(blocked)
	// The numbers show a gap once something comes behind it.
	var got sum
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	marks := uint64(0)
	for got == (sum{}) {
		r.sendUDP("127.0.0.1:9", 1, 1)
		marks++
		select {
		case got = <-all:
		case <-tick.C:
		}
	}
	go func() {
		for range all { // so that the watcher comes to its end
		}
	}()
	if got.lost == 0 {
		t.Error("nothing was lost, so this test shows nothing")
	}
	// Marks may be among the lost ones.
	sent := uint64(many + 1)
	if sum := got.told + got.lost; sum < sent || sum > sent+marks {
		t.Errorf("told %d and lost %d are %d, want %d to %d", got.told, got.lost, sum, sent, sent+marks)
	}
	if n := r.counters()["logged"].Packets; n < sent {
		t.Errorf("%d packets were logged, want %d", n, sent)
	}
}

// Only one socket can have a group, so a second one fails until the first is gone.
func TestWatchTriesAgain(t *testing.T) {
	r := newRig(t)
	r.replace(logging)
	stop := r.watch(func(Event) {})
	troubles, events := make(chan Event, 10), make(chan struct{}, 10_000)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- r.Do(func() error {
			return Watch(ctx, 5, func(e Event) {
				if e.Err != nil {
					troubles <- e
				} else {
					events <- struct{}{}
				}
			})
		})
	}()
	<-troubles
	stop()
	r.sendUntil("127.0.0.1:9", events)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Watch = %v, want nil at its end", err)
	}
	if n := len(troubles); n != 0 {
		t.Errorf("the same trouble was told %d times more", n)
	}
}

// What counts is right whatever links do meanwhile.
func TestLinksAreReadAgain(t *testing.T) {
	r := newRig(t)
	r.must(func() error {
		l := links{names: map[int]string{1: "old"}, at: time.Unix(100, 0)}
		got := map[string]string{
			"soon":  l.name(1, time.Unix(100, 1)),
			"later": l.name(1, time.Unix(101, 0)),
			"none":  l.name(99, time.Unix(102, 0)),
		}
		if want := map[string]string{"soon": "old", "later": "lo", "none": ""}; !maps.Equal(got, want) {
			t.Errorf("names = %v, want %v", got, want)
		}
		return nil
	})
}
