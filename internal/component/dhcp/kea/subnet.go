package kea

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"gateway/internal/fault"
	"gateway/internal/value"
)

// Subnet is a network whose clients are given addresses.
type Subnet struct {
	Interface  string   `json:"interface" db:"interface" minLength:"1" maxLength:"15" doc:"Interface that the clients are connected to, by name; it must be declared, in a zone other than wan" example:"eth1"`
	Network    string   `json:"subnet" db:"subnet" minLength:"1" maxLength:"18" doc:"Network in CIDR notation" example:"192.0.2.0/24"`
	Pools      []string `json:"pools" db:"pools" maxItems:"64" doc:"Address ranges to assign from, as first-last; empty: only reservations are served" example:"[\"192.0.2.100-192.0.2.199\"]"`
	Gateway    string   `json:"gateway" db:"gateway" maxLength:"15" required:"false" doc:"Default gateway of the clients (option 3); empty for none" example:"192.0.2.1"`
	DNSServers []string `json:"dns_servers" db:"dns_servers" maxItems:"8" required:"false" doc:"DNS servers of the clients (option 6); empty for none" example:"[\"192.0.2.1\"]"`
	NTPServers []string `json:"ntp_servers" db:"ntp_servers" maxItems:"8" required:"false" doc:"NTP servers of the clients (option 42); empty for none" example:"[]"`
	Domain     string   `json:"domain" db:"domain" maxLength:"253" required:"false" doc:"DNS domain of the clients (option 15); empty for none" example:"lan.example.com"`
	LeaseTime  int      `json:"lease_time" db:"lease_time" minimum:"60" maximum:"31536000" default:"86400" required:"false" doc:"Lease time in seconds" example:"86400"`
	Options    []string `json:"options" db:"options" maxItems:"64" required:"false" doc:"More DHCP options, each as number, type and value. Types: text, addresses (separated by commas), number8, number16, number32, hex" example:"[\"66 text boot.example.com\"]"`
	DNSNames   bool     `json:"dns_names" db:"dns_names" required:"false" doc:"Answer the host names of clients in the DNS resolver, below the domain, forward and reverse"`
	Active     *bool    `json:"active,omitempty" db:"active" default:"true" doc:"Serve it"`
}

// On reports whether the subnet is to be served.
func (s Subnet) On() bool { return s.Active == nil || *s.Active }

const (
	leastBits, mostBits       = 8, 30
	leastLease, mostLease     = 60, 31536000
	defaultLease              = 86400
	maxPools, maxServers      = 64, 8
	maxOptions, maxNetworkLen = 64, 18
)

var linkName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,15}$`)

// Validate reports everything that is wrong, and puts every value into the one form that is
// stored. own are this node's addresses.
func (s *Subnet) Validate(p *fault.Problems, own []netip.Addr) {
	if !linkName.MatchString(s.Interface) {
		p.Add("interface", "must be the name of an interface: at most 15 letters, digits, dots, dashes and underscores")
	}
	network, err := parseNetwork(s.Network)
	if err != nil {
		p.AddError("subnet", err)
	} else {
		s.Network = network.String()
	}
	s.validateAddresses(p, network, own)
	s.DNSServers = servers(p, "dns_servers", s.DNSServers)
	s.NTPServers = servers(p, "ntp_servers", s.NTPServers)
	if s.Domain != "" {
		if name, err := value.HostName(s.Domain); err != nil {
			p.AddError("domain", err)
		} else {
			s.Domain = name
		}
	} else if s.DNSNames {
		p.Add("domain", "is required for names in the DNS")
	}
	if s.LeaseTime < leastLease || s.LeaseTime > mostLease {
		p.Add("lease_time", "must be between %d and %d seconds", leastLease, mostLease)
	}
	s.validateOptions(p)
}

func (s *Subnet) validateOptions(p *fault.Problems) {
	if len(s.Options) > maxOptions {
		p.Add("options", "must be at most %d", maxOptions)
	}
	spelled := make([]string, 0, len(s.Options)) // never nil: a list of none is [] in JSON and in a row
	var codes []int
	for i, text := range s.Options {
		at := fmt.Sprintf("options[%d]", i)
		o, err := ParseOption(text)
		switch {
		case err != nil:
			p.AddError(at, err)
		case slices.Contains(codes, o.Code):
			p.Add(at, "is a duplicate")
		default:
			text = o.text
		}
		codes, spelled = append(codes, o.Code), append(spelled, text)
	}
	s.Options = spelled
}

// parseNetwork reads an IPv4 network that clients can be in.
func parseNetwork(text string) (netip.Prefix, error) {
	n, err := netip.ParsePrefix(strings.TrimSpace(text))
	if err != nil || len(text) > maxNetworkLen || !n.Addr().Is4() {
		return netip.Prefix{}, fault.Say("must be an IPv4 network such as 192.0.2.0/24")
	}
	n = n.Masked()
	switch a := n.Addr(); {
	case n.Bits() < leastBits || n.Bits() > mostBits:
		return netip.Prefix{}, fault.Say("must have a prefix length between %d and %d", leastBits, mostBits)
	case a.IsLoopback() || a.IsMulticast() || a.As4()[0] == 0 || a.As4()[0] >= 224:
		return netip.Prefix{}, fault.Say("must be a network of hosts")
	}
	return n, nil
}

// validateAddresses judges the pools and the gateway, by the network where that is one.
func (s *Subnet) validateAddresses(p *fault.Problems, network netip.Prefix, own []netip.Addr) {
	var gateway netip.Addr
	if s.Gateway != "" {
		var err error
		if gateway, err = hostIn(network, s.Gateway); err != nil {
			p.AddError("gateway", err)
		} else {
			s.Gateway = gateway.String()
		}
	}
	if len(s.Pools) > maxPools {
		p.Add("pools", "must be at most %d", maxPools)
	}
	var pools []Range
	spelled := make([]string, 0, len(s.Pools))
	for i, text := range s.Pools {
		at := fmt.Sprintf("pools[%d]", i)
		r, err := parseRange(network, text)
		if err == nil {
			err = r.free(gateway, own, pools)
		}
		if err != nil {
			p.AddError(at, err)
			spelled = append(spelled, text)
			continue
		}
		pools, spelled = append(pools, r), append(spelled, r.String())
	}
	s.Pools = spelled
}

// hostIn reads the address of a host in the network; an invalid network holds every address.
func hostIn(network netip.Prefix, text string) (netip.Addr, error) {
	a, err := value.Host(text)
	switch {
	case err != nil:
		return a, err
	case !a.Is4():
		return a, fault.Say("must be an IPv4 address")
	case network.IsValid() && !network.Contains(a):
		return a, fault.Say("must be in the network %s", network)
	case network.IsValid() && (a == network.Addr() || a == Last(network)):
		return a, fault.Say("is the network or the broadcast address of %s", network)
	}
	return a, nil
}

// Last is the broadcast address of a network.
func Last(n netip.Prefix) netip.Addr {
	a := n.Masked().Addr().As4()
	for i := n.Bits(); i < 32; i++ {
		a[i/8] |= 1 << (7 - i%8)
	}
	return netip.AddrFrom4(a)
}

// Range is a pool: the addresses from the first to the last.
type Range struct{ First, Last netip.Addr }

func (r Range) String() string { return r.First.String() + "-" + r.Last.String() }

// Contains reports whether the address is in the range.
func (r Range) Contains(a netip.Addr) bool { return r.First.Compare(a) <= 0 && a.Compare(r.Last) <= 0 }

// ParseRange reads a pool as it is stored.
func ParseRange(text string) (Range, error) { return parseRange(netip.Prefix{}, text) }

func parseRange(network netip.Prefix, text string) (Range, error) {
	first, last, several := strings.Cut(text, "-")
	if !several {
		last = first
	}
	a, err := hostIn(network, first)
	if err != nil {
		return Range{}, err
	}
	b, err := hostIn(network, last)
	if err != nil {
		return Range{}, err
	}
	if b.Less(a) {
		return Range{}, fault.Say("must not end before it begins")
	}
	return Range{a, b}, nil
}

// free refuses what would give a client an address that somebody has already.
func (r Range) free(gateway netip.Addr, own []netip.Addr, others []Range) error {
	if gateway.IsValid() && r.Contains(gateway) {
		return fault.Say("must not contain the gateway %s", gateway)
	}
	for _, a := range own {
		if r.Contains(a) {
			return fault.Say("must not contain %s, an address of this node", a)
		}
	}
	for _, o := range others {
		if r.Contains(o.First) || o.Contains(r.First) {
			return fault.Say("overlaps the pool %s", o)
		}
	}
	return nil
}

func servers(p *fault.Problems, field string, list []string) []string {
	if len(list) > maxServers {
		p.Add(field, "must be at most %d", maxServers)
	}
	out := make([]string, 0, len(list))
	for i, text := range list {
		at := fmt.Sprintf("%s[%d]", field, i)
		a, err := hostIn(netip.Prefix{}, text)
		switch {
		case err != nil:
			p.AddError(at, err)
			out = append(out, text)
			continue
		case slices.Contains(out, a.String()):
			p.Add(at, "is a duplicate")
		}
		out = append(out, a.String())
	}
	return out
}
