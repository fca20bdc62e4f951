package dns

import (
	"context"
	"crypto/rand"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/miekg/dns"

	"gateway/internal/component/dns/unbound"
	"gateway/internal/db"
	"gateway/internal/value"
)

// unbound counts what became of queries. On a quiet network that tells too late that it resolves
// nothing, and that this is over: so when half of the last queries failed, however few, gateway-scheduler
// sends it some itself, for names that nobody has in a cache. They are names of the outside: the
// forwarders of a zone are asked themselves, and that those answer says nothing of all else.
const (
	tries = unbound.FewQueries
	// triedFor is for how long what became of them is believed.
	triedFor = time.Second
	// outside stands for all names that have no forwarders of their own.
	outside = "com"
)

// trier asks the resolver as its clients do.
type trier struct {
	ask func(ctx context.Context, resolver netip.AddrPort, name string) (resolved, answered bool)
	now func() time.Time

	mu   sync.Mutex
	at   time.Time
	last unbound.Lately
}

// try sends a few queries, at most once in triedFor.
func (t *trier) try(ctx context.Context, resolver netip.AddrPort) unbound.Lately {
	t.mu.Lock()
	defer t.mu.Unlock()
	if age := t.now().Sub(t.at); age >= 0 && age < triedFor {
		return t.last
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var (
		under sync.WaitGroup
		write sync.Mutex
		out   unbound.Lately
	)
	for _, name := range triedNames() {
		under.Go(func() {
			resolved, answered := t.ask(ctx, resolver, name)
			if !answered && !resolver.Addr().IsLoopback() {
				return // perhaps no interface has the address
			}
			write.Lock()
			defer write.Unlock()
			out.Queries++
			if !resolved {
				out.Failed++
			}
		})
	}
	under.Wait()
	t.at, t.last = t.now(), out
	return out
}

// triedNames are names that nobody has asked for.
func triedNames() (names []string) {
	for range tries {
		names = append(names, dns.Fqdn(strings.ToLower(rand.Text()[:12])+"."+outside))
	}
	return names
}

// askResolver asks for an address. That there is none is an answer too.
func askResolver(ctx context.Context, resolver netip.AddrPort, name string) (resolved, answered bool) {
	m := new(dns.Msg).SetQuestion(name, dns.TypeA)
	answer, _, err := (&dns.Client{Timeout: probeTime}).ExchangeContext(ctx, m, resolver.String())
	if err != nil {
		return false, false
	}
	return answer.Rcode == dns.RcodeSuccess || answer.Rcode == dns.RcodeNameError, true
}

// resolverAddr is where this node asks the resolver: at loopback where it listens there.
func resolverAddr(ctx context.Context, q db.DB) (at netip.AddrPort, err error) {
	var listed []string
	if err := q.QueryRow(ctx, `select listen_addresses from dns_settings`).Scan(&listed); err != nil {
		return at, err
	}
	const port = 53
	for _, text := range listed {
		addr, err := value.Listen(text)
		switch {
		case err != nil: // the resolver does not listen there either
		case addr.IsUnspecified(): // all addresses, of both families
			return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port), nil
		case addr.IsLoopback() || !at.IsValid():
			at = netip.AddrPortFrom(addr, port)
		}
	}
	return at, nil
}
