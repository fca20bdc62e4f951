package netstate

import (
	"strings"
	"testing"
	"time"

	"gateway/internal/rtnl"
)

// To take a bond's member in is to take it down and up, which the kernel tells everybody: what
// it refuses must not be tried again at every such event.
func TestARefusedMemberIsTriedLaterAndLater(t *testing.T) {
	_, n := newKernel(t)
	clock := time.Unix(1e9, 0)
	n.Now = func() time.Time { return clock }
	const attempt = "hand0 in br0"
	// A bridge in a bridge is refused by the kernel.
	n.want = Config{Links: []Link{{Name: "br0", Kind: Bridge, Members: []string{"hand0", "p1"}}}}
	var wait time.Duration
	for i, want := range []time.Duration{minBackoff, 2 * minBackoff, 4 * minBackoff} {
		for range 3 { // events
			if err := n.settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(n.wrong) != 1 || n.wrong[0].Subject != "interface hand0" || n.wrong[0].Kind != Refused {
				t.Errorf("attempt %d: trouble = %+v", i, n.wrong)
			}
		}
		if wait = n.backoffs[attempt].wait; wait != want {
			t.Errorf("after attempt %d it waits for %s, want %s", i, wait, want)
		}
		clock = clock.Add(wait)
	}
	for range 20 {
		clock = clock.Add(maxBackoff)
		if err := n.settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := n.backoffs[attempt].wait; got != maxBackoff {
		t.Errorf("in the end it waits for %s, want %s", got, maxBackoff)
	}
	// Another configuration is tried at once, and what is good leaves nothing behind.
	good := Config{Links: []Link{{Name: "br0", Kind: Bridge, Members: []string{"p1"}}}}
	n.become(t, n.want, good)
	if len(n.backoffs) != 0 || n.due() != recheckEvery {
		t.Errorf("still held: %v, due in %s", n.backoffs, n.due())
	}
}

func TestAnAttemptThatIsHeldTouchesNothing(t *testing.T) {
	want := Config{Links: []Link{{Name: "bond0", Kind: Bond, Mode: "802.3ad", LACPRate: "fast", Members: []string{"p0", "p1"}}}}
	have := Kernel{Links: []rtnl.Link{
		{Index: 2, Name: "p0", Up: true, Master: 4},
		{Index: 3, Name: "p1", Up: true},
		{Index: 4, Name: "bond0", Kind: Bond, Up: true, Group: rtnl.Group, Alias: "gateway", Bond: rtnl.Bond{Mode: modeLACP, Miimon: DefaultMiimon}},
	}}
	what := func(not ...string) string {
		held := map[string]bool{}
		for _, n := range not {
			held[n] = true
		}
		steps, _ := Next(want, have, held)
		var out []string
		for _, s := range steps {
			out = append(out, s.Attempt)
		}
		return strings.Join(out, ", ")
	}
	if got := what(); got != "bond0: mode, bond0: mode, p1 in bond0, p1 in bond0, p1 in bond0" {
		t.Errorf("at first: %s", got)
	}
	if got := what("p1 in bond0", "bond0: mode"); got != "" {
		t.Errorf("held: %s", got)
	}
}

func TestNothingIsBuiltOnLoopback(t *testing.T) {
	for _, l := range []linkRow{
		{Name: "br0", Type: Bridge, Members: []string{"p0", "lo"}},
		{Name: "lo.7", Type: VLAN, Parent: "lo", VLANID: 7},
	} {
		if _, is := l.flaw(); !is {
			t.Errorf("%+v was taken", l)
		}
	}
	if why, is := (linkRow{Name: "lo", Type: Ethernet}).flaw(); is {
		t.Errorf("lo itself: %v", why)
	}
}

func TestEventsThatNeverEndAreLookedAtLessOften(t *testing.T) {
	now := time.Unix(1e9, 0)
	var p debounce
	var waits []time.Duration
	for range 8 { // one after the other
		w := p.next(now)
		waits = append(waits, w)
		now = now.Add(w)
		p.last = now
		now = now.Add(time.Millisecond)
	}
	for i, w := range waits {
		if want := min(minDebounce<<i, maxDebounce); w != want {
			t.Errorf("the %d. wait is %s, want %s", i+1, w, want)
		}
	}
	if got := p.next(now.Add(maxDebounce)); got != minDebounce {
		t.Errorf("after a pause it is %s, want %s", got, minDebounce)
	}
}

// Right after the start nobody has looked yet; the answer is true all the same.
func TestTheStatusBeforeTheFirstLook(t *testing.T) {
	_, n := newKernel(t)
	c := Config{Links: []Link{{Name: "away0", Kind: Ethernet}}}
	n.live(rendering(c))
	got, err := n.status(t.Context(), nil)
	if wrong, ok := got.([]Trouble); err != nil || !ok || len(wrong) != 1 || wrong[0].Kind != Missing {
		t.Errorf("status = %+v, %v", got, err)
	}
}

func TestAClearedPrimaryIsCleared(t *testing.T) {
	have := Kernel{Links: []rtnl.Link{
		{Index: 2, Name: "p0", Up: true, Master: 4},
		{Index: 3, Name: "p1", Up: true, Master: 4},
		{Index: 4, Name: "bond0", Kind: Bond, Up: true, Group: rtnl.Group, Alias: "gateway", Bond: rtnl.Bond{Mode: 1, Miimon: DefaultMiimon, Primary: 2}},
	}}
	for primary, want := range map[string]*rtnl.Message{"p0": nil, "p1": ptr(rtnl.SetPrimary(4, 3)), "": ptr(rtnl.SetPrimary(4, 0)), "p7": nil} {
		steps, _ := Next(Config{Links: []Link{{Name: "bond0", Kind: Bond, Members: []string{"p0", "p1"}, Primary: primary}}}, have, nil)
		switch {
		case want == nil && len(steps) > 0:
			t.Errorf("primary %q: %v", primary, steps)
		case want != nil && (len(steps) != 1 || !steps[0].Msg.Equal(*want)):
			t.Errorf("primary %q: %v, want %v", primary, steps, *want)
		}
	}
}

func ptr[T any](v T) *T { return &v }
