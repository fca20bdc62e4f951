package dns

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"
)

// asked is a network of forwarders that counts the questions.
type asked struct {
	mu    sync.Mutex
	dead  map[string]bool
	times map[pair]int
}

func (a *asked) ask(_ context.Context, forwarder, zone string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.times[pair{forwarder, zone}]++
	if a.dead[forwarder] {
		return silent
	}
	return answers
}

// total is how often it was asked since the last time.
func (a *asked) total() (n int) {
	for _, times := range a.times {
		n += times
	}
	clear(a.times)
	return n
}

func manyZones(n int, forwardTo ...string) (all []forwarded) {
	for i := range n {
		all = append(all, forwarded{Name: fmt.Sprintf("zone-%04d.arpa", i), ForwardTo: forwardTo})
	}
	return all
}

func TestForwardersAreAskedSeldomAndASilentOneOnce(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	a := &asked{dead: map[string]bool{"192.0.2.2": true}, times: map[pair]int{}}
	p := &prober{ask: a.ask, now: func() time.Time { return now }}
	zones := manyZones(10, "192.0.2.1", "192.0.2.2")
	for _, step := range []struct {
		name  string
		after time.Duration
		want  int
	}{
		{"all zones of the one that answers, one of the silent one", 0, 11},
		{"somebody else looks at the same time", 0, 0},
		{"the silent one may be back", badFor, 1},
		{"and the other one gone", goodFor - badFor, 11},
	} {
		now = now.Add(step.after)
		verdicts := p.look(t.Context(), zones)
		if got := a.total(); got != step.want {
			t.Errorf("%s: asked %d times, want %d", step.name, got, step.want)
		}
		for _, z := range zones {
			if code, known := verdicts[pair{"192.0.2.2", z.Name}]; !known || code != silent || verdicts[pair{"192.0.2.1", z.Name}] != answers {
				t.Errorf("%s: of %s the verdicts are %v", step.name, z.Name, verdicts)
			}
		}
	}
	a.dead = nil
	now = now.Add(badFor)
	if got := newForwarders(zones, p.look(t.Context(), zones)); len(got.Silent) != 0 || len(got.Unknown) != 0 {
		t.Errorf("it answers again, and is told as %+v", got)
	}
}

func TestALookAtManyForwardersIsBounded(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	a := &asked{times: map[pair]int{}}
	p := &prober{ask: a.ask, now: func() time.Time { return now }}
	zones := manyZones(probesEach+10, "192.0.2.1")
	found := newForwarders(zones, p.look(t.Context(), zones))
	if n := a.total(); n != probesEach || len(found.Unknown) != 10 {
		t.Errorf("the first look asks %d times, and %d zones are unknown", n, len(found.Unknown))
	}
	if found = newForwarders(zones, p.look(t.Context(), zones)); a.total() != 10 || len(found.Unknown) != 0 {
		t.Errorf("after the second look, %d zones are unknown", len(found.Unknown))
	}
	now = now.Add(lostAfter)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	p.ask = func(context.Context, string, string) string { return silent } // as with a context that has ended
	if found = newForwarders(zones, p.look(ended, zones)); len(found.Silent) != 0 || !found.Cut {
		t.Errorf("nobody waited for an answer, and %d are silent, %d unknown", len(found.Silent), len(found.Unknown))
	}
}

func TestAnAnswerAboutForwardersFitsIntoANotification(t *testing.T) {
	var zones []forwarded
	verdicts := map[pair]string{}
	for i := range 2000 {
		z := forwarded{Name: fmt.Sprintf("a-zone-with-a-long-name-%04d.example.com", i), ForwardTo: []string{fmt.Sprintf("2001:db8:1234:5678:9abc:def0:1234:%x@65535", i)}}
		zones = append(zones, z)
		verdicts[pair{z.ForwardTo[0], z.Name}] = []string{silent, "REFUSED"}[i%2]
	}
	found := newForwarders(zones, verdicts)
	line, err := json.Marshal(found)
	if err != nil || len(line) >= 8000 || !found.Cut || len(found.Silent) == 0 || len(found.Failing) == 0 {
		t.Errorf("%d bytes with %d silent and %d failing ones, cut: %t, %v", len(line), len(found.Silent), len(found.Failing), found.Cut, err)
	}
}
