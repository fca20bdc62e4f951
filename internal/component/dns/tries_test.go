package dns

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/component/dns/unbound"
)

func TestTheResolverIsTriedSeldomAndWithNewNames(t *testing.T) {
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	names, dead := map[string]bool{}, map[string]bool{}
	at, asked := netip.MustParseAddrPort("127.0.0.1:53"), 0
	tr := &trier{now: func() time.Time { return now }, ask: func(_ context.Context, _ netip.AddrPort, name string) (bool, bool) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		names[name] = true
		_, zone, _ := strings.Cut(name, ".")
		return !dead[zone], true
	}}
	for _, step := range []struct {
		name  string
		after time.Duration
		dead  []string
		asked int
		want  unbound.Lately
	}{
		{"all is well", 0, nil, tries, unbound.Lately{Queries: tries}},
		{"somebody else looks at the same time", triedFor / 2, []string{"com."}, tries, unbound.Lately{Queries: tries}},
		{"the outside is lost", triedFor, []string{"com."}, 2 * tries, unbound.Lately{Queries: tries, Failed: tries}},
		{"it is over", triedFor, nil, 3 * tries, unbound.Lately{Queries: tries}},
	} {
		now = now.Add(step.after)
		clear(dead)
		for _, zone := range step.dead {
			dead[zone] = true
		}
		if got := tr.try(t.Context(), at); got != step.want || asked != step.asked || len(names) != asked {
			t.Errorf("%s: %+v after %d queries for %d names, want %+v after %d", step.name, got, asked, len(names), step.want, step.asked)
		}
	}
}

// An address of the cluster may be at another node: that it does not answer says nothing.
func TestATryThatIsNotAnsweredCountsAtLoopbackOnly(t *testing.T) {
	for at, want := range map[string]unbound.Lately{"127.0.0.1:53": {Queries: tries, Failed: tries}, "192.0.2.1:53": {}} {
		tr := &trier{now: time.Now, ask: func(context.Context, netip.AddrPort, string) (bool, bool) { return false, false }}
		if got := tr.try(t.Context(), netip.MustParseAddrPort(at)); got != want {
			t.Errorf("%s: %+v, want %+v", at, got, want)
		}
	}
}
