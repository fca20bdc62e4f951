package kea

import (
	"cmp"
	"net/netip"
	"slices"

	"gateway/internal/daemon/hostnames"
)

// publish tells the names of clients to whoever answers them.
func (s *server) publish() {
	leases, _ := s.leases.all(s.Now())
	s.mu.Lock()
	running := s.running
	s.mu.Unlock()
	s.Names.Put(Name, clientNames(running.Subnets, leases))
}

// clientNames are those of the subnets that have them: the reservations', and the first labels of
// what clients call themselves, always below the domain of their subnet. A reserved name is
// nobody else's, and of several clients who claim the same one, who had it first keeps it: a name
// is trusted by others.
func clientNames(subnets []subnetConf, leases []Lease) []hostnames.Record {
	var out []hostnames.Record
	for _, sub := range subnets {
		network, err := netip.ParsePrefix(sub.Subnet)
		if err != nil || !sub.Context.DNSNames || sub.Context.Domain == "" {
			continue
		}
		names, named := map[string]netip.Addr{}, map[netip.Addr]bool{}
		for _, r := range sub.Reservations {
			if a, err := netip.ParseAddr(r.Address); err == nil && r.Hostname != "" {
				names[r.Hostname], named[a] = a, true
			}
		}
		for _, l := range byAge(leases) {
			label := Label(l.Hostname)
			if _, taken := names[label]; label != "" && !taken && !l.Declined && !named[l.Address] && network.Contains(l.Address) {
				names[label], named[l.Address] = l.Address, true
			}
		}
		for label, a := range names {
			out = append(out, hostnames.Record{Name: label + "." + sub.Context.Domain + ".", Address: a})
		}
	}
	return out
}

// byAge has who was first seen first.
func byAge(leases []Lease) []Lease {
	leases = slices.Clone(leases)
	slices.SortFunc(leases, func(a, b Lease) int {
		return cmp.Or(a.FirstSeen.Compare(b.FirstSeen), a.Address.Compare(b.Address))
	})
	return leases
}
