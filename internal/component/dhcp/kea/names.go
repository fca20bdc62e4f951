package kea

import (
	"cmp"
	"context"
	"net/netip"
	"slices"

	"gateway/internal/daemon/hostnames"
)

// renamed says that names may be others now. No change and no lease waits for them to be told: of
// ten thousand that takes a moment.
func (s *server) renamed() {
	select {
	case s.kick <- struct{}{}:
	default: // they are about to be told
	}
}

func (s *server) keepPublished(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.kick:
			s.publish()
		}
	}
}

// publish tells the names of clients to whoever answers them.
func (s *server) publish() {
	leases, _ := s.leases.all(s.Now())
	s.mu.Lock()
	running := s.running
	s.mu.Unlock()
	s.Names.Put(Name, clientNames(running.all(), leases))
}

// clientNames are those of the subnets that have them: the reservations', and the first labels of
// what clients call themselves, always below the domain of their subnet. A reserved name is
// nobody else's, in no subnet of the same domain, and of several clients who claim the same one,
// who took it first keeps it: a name is trusted by others. Hence the names of this node and of its sites are no client's at all;
// below a wildcard, an administrator's reservation is meant, and what a client calls itself is not.
func clientNames(subnets []subnetConf, leases []Lease) (out []hostnames.Record) {
	taken, named := map[string]bool{}, map[netip.Addr]bool{}
	add := func(name string, a netip.Addr) {
		out = append(out, hostnames.Record{Name: name, Address: a})
		taken[name], named[a] = true, true
	}
	domains, reserved := map[netip.Prefix]string{}, map[string]bool{}
	for _, sub := range subnets {
		network, err := netip.ParsePrefix(sub.Subnet)
		if err != nil || !sub.Context.DNSNames || sub.Context.Domain == "" {
			continue
		}
		domains[network] = "." + sub.Context.Domain + "."
		for _, label := range sub.Context.Taken {
			reserved[label+domains[network]] = true
		}
		for _, r := range sub.Reservations {
			if a, err := netip.ParseAddr(r.Address); err == nil && r.Hostname != "" && !reserved[r.Hostname+domains[network]] {
				add(r.Hostname+domains[network], a)
			}
		}
	}
	for _, l := range byClaim(leases) {
		domain, label := domainOf(domains, l.Address), Label(l.Hostname)
		if domain != "" && label != "" && !taken[label+domain] && !reserved[label+domain] && !reserved[every+domain] && !l.Declined && !named[l.Address] {
			add(label+domain, l.Address)
		}
	}
	return out
}

// domainOf is what the names of an address end in; empty where it has none. Networks do not overlap.
func domainOf(domains map[netip.Prefix]string, a netip.Addr) string {
	for network, domain := range domains {
		if network.Contains(a) {
			return domain
		}
	}
	return ""
}

// byClaim has who took its name first first.
func byClaim(leases []Lease) []Lease {
	leases = slices.Clone(leases)
	slices.SortFunc(leases, func(a, b Lease) int {
		return cmp.Or(a.NamedSince.Compare(b.NamedSince), a.FirstSeen.Compare(b.FirstSeen), a.Address.Compare(b.Address))
	})
	return leases
}
