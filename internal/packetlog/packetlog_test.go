package packetlog

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func add(r *Ring, n int) {
	for range n {
		r.Add(Event{Protocol: "udp"})
	}
}

// shows FWLOG-09
func TestTheRingKeepsTheLastThousand(t *testing.T) {
	r := NewRing(7)
	add(r, 2500)
	page := r.After(0, 0)
	if len(page.Events) != 1000 || page.Events[0].Seq != 1501 || page.Events[999].Seq != 2500 || page.Next != 2500 {
		t.Errorf("%d events, %d to %d, next %d; want the 1,000 from 1501 to 2500", len(page.Events), page.Events[0].Seq, page.Events[len(page.Events)-1].Seq, page.Next)
	}
}

func TestAReaderGoesOnWhereItWas(t *testing.T) {
	r := NewRing(7)
	add(r, 5)
	first := r.After(0, 0)
	add(r, 3)
	next := r.After(first.Start, first.Next)
	if len(next.Events) != 3 || next.Events[0].Seq != 6 || next.Lost != 0 {
		t.Errorf("got %+v, want the three new ones", next)
	}
	add(r, 1500)
	late := r.After(next.Start, next.Next)
	if len(late.Events) != 1000 || late.Lost != 500 {
		t.Errorf("%d events and %d lost, want 1,000 and 500", len(late.Events), late.Lost)
	}
	if other := r.After(6, 1200); len(other.Events) != 1000 || other.Lost != 0 {
		t.Errorf("%d events and %d lost for the reader of another ring, want all and none", len(other.Events), other.Lost)
	}
}

// shows FWLOG-08
func TestProtocolsHaveTheirNames(t *testing.T) {
	for number, want := range map[uint8]string{1: "icmp", 6: "tcp", 17: "udp", 58: "icmpv6", 47: "47"} {
		if got := Protocol(number); got != want {
			t.Errorf("protocol %d is %q, want %q", number, got, want)
		}
	}
}

// shows FWLOG-02
func TestAFilterTakesWhatItSays(t *testing.T) {
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	event := Event{At: at, RuleID: "r1", Action: "drop", Protocol: "tcp", Source: "192.0.2.7", Destination: "2001:db8::1"}
	for name, c := range map[string]struct {
		q    Query
		want bool
	}{
		"everything":        {Query{}, true},
		"its rule":          {Query{RuleID: "r1"}, true},
		"another rule":      {Query{RuleID: "r2"}, false},
		"its source":        {Query{Source: "192.0.2.7"}, true},
		"its network":       {Query{Source: "192.0.2.0/24"}, true},
		"another network":   {Query{Source: "198.51.100.0/24"}, false},
		"its destination":   {Query{Destination: "2001:db8::/32"}, true},
		"its protocol":      {Query{Proto: "tcp"}, true},
		"another protocol":  {Query{Proto: "udp"}, false},
		"another action":    {Query{Action: "accept"}, false},
		"from that moment":  {Query{Since: at, Until: at}, true},
		"from later on":     {Query{Since: at.Add(time.Second)}, false},
		"until before that": {Query{Until: at.Add(-time.Second)}, false},
	} {
		f, err := c.q.Filter()
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Takes(event); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	for _, q := range []Query{{Source: "nowhere"}, {Destination: "10.0.0.0/33"}} {
		if _, err := q.Filter(); err == nil {
			t.Errorf("%+v is understood", q)
		}
	}
}

func TestAFeedAsksOnlyWhileSomebodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kernel, asked := NewRing(1), 0
		feed := &Feed{
			Log: slog.New(slog.DiscardHandler),
			Name: func(_ context.Context, events []Event) {
				for i := range events {
					events[i].Action = "drop"
				}
			},
			Ask: func(ctx context.Context, start, after int64, wait time.Duration) (Page, error) {
				if asked++; asked == 2 {
					return Page{}, errors.New("the applier restarts")
				}
				ctx, cancel := context.WithTimeout(ctx, wait)
				defer cancel()
				return kernel.Wait(ctx, start, after), nil
			},
		}
		early, err := feed.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, lost := early.Next(t.Context()); len(got) != 0 || lost != 0 {
			t.Errorf("the snapshot of nothing is %+v and %d lost", got, lost)
		}
		early.Close()
		synctest.Wait()
		asked = 0
		kernel.Add(Event{Source: netip.MustParseAddr("192.0.2.1").String()})
		r, err := feed.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := r.Next(t.Context()); len(got) != 1 || got[0].Action != "drop" {
			t.Errorf("the snapshot is %+v, want the one event with its action", got)
		}
		add(kernel, 3)
		if got, lost := r.Next(t.Context()); len(got) != 3 || lost != 0 || !slices.IsSortedFunc(got, func(a, b Event) int { return int(a.Seq - b.Seq) }) {
			t.Errorf("then %+v and %d lost, want three", got, lost)
		}
		r.Close()
		synctest.Wait()
		before := asked
		<-time.After(time.Minute)
		if asked != before {
			t.Errorf("asked %d times more with nobody reading", asked-before)
		}
	})
}

// A reader that never reads must not hold anybody up, nor cost memory.
func TestASlowReaderLosesEventsAndIsTold(t *testing.T) {
	ring := NewRing(1)
	slow := &Reader{ring: ring}
	add(ring, 1)
	if got, lost := slow.Next(t.Context()); len(got) != 1 || lost != 0 {
		t.Fatalf("%d events, %d lost", len(got), lost)
	}
	add(ring, 3000)
	if got, lost := slow.Next(t.Context()); len(got) != 1000 || lost != 2000 {
		t.Errorf("%d events and %d lost, want 1,000 and 2,000", len(got), lost)
	}
}

func TestAMessageIsThePageInJSON(t *testing.T) {
	events := []Event{{Seq: 7, Protocol: "udp", Source: "192.0.2.1", Chain: "<input>"}, {Seq: 8, RuleID: "r1"}}
	if err := events[1].encode(); err != nil { // as the feed does, once for all
		t.Fatal(err)
	}
	for _, list := range [][]Event{{}, events[:1], events} {
		got, err := Message(list, 3)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(struct {
			Events []Event `json:"events"`
			Lost   int64   `json:"lost"`
		}{list, 3})
		if err != nil || string(got) != string(want) {
			t.Errorf("message = %s, want %s (%v)", got, want, err)
		}
	}
}

// Whoever watches while the applier is away is told nothing, at once, and the rest later.
func TestAReaderBeginsWithoutTheApplier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kernel := NewRing(1)
		var back atomic.Bool
		add(kernel, 2)
		feed := &Feed{
			Log:  slog.New(slog.DiscardHandler),
			Name: func(context.Context, []Event) {},
			Ask: func(ctx context.Context, start, after int64, wait time.Duration) (Page, error) {
				if !back.Load() {
					return Page{}, errors.New("the applier is away")
				}
				return kernel.Wait(ctx, start, after), nil
			},
		}
		r, err := feed.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if got, lost := r.Next(t.Context()); len(got) != 0 || lost != 0 {
			t.Errorf("begins with %+v and %d lost", got, lost)
		}
		back.Store(true)
		if got, _ := r.Next(t.Context()); len(got) != 2 {
			t.Errorf("then %+v, want what is kept", got)
		}
	})
}
