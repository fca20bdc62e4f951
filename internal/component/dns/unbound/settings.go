package unbound

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/fault"
	"gateway/internal/value"
)

// Settings are what this node's resolver does.
type Settings struct {
	Enabled           *bool    `json:"enabled,omitempty" db:"enabled" doc:"Run the resolver. If off, it is stopped, not started at boot, and its ports are closed. Default: unchanged"`
	UpstreamForwards  []string `json:"upstream_forwards" db:"upstream_forwards" maxItems:"16" doc:"Upstream resolvers, as 192.0.2.1 or 192.0.2.1@5353; empty: full recursion from the root servers" example:"[\"9.9.9.9\"]"`
	AccessACL         []string `json:"access_acl" db:"access_acl" maxItems:"500" doc:"Allowed addresses and networks; this node is always allowed" example:"[\"10.0.0.0/8\"]"`
	ListenAddresses   []string `json:"listen_addresses" db:"listen_addresses" minItems:"1" maxItems:"64" doc:"Listen addresses; 0.0.0.0 or :: means all IPv4 and IPv6 addresses" example:"[\"127.0.0.1\"]"`
	CacheMinTTL       int      `json:"cache_min_ttl" db:"cache_min_ttl" minimum:"0" maximum:"604800" doc:"Minimum cache TTL in seconds"`
	CacheMaxTTL       int      `json:"cache_max_ttl" db:"cache_max_ttl" minimum:"0" maximum:"604800" doc:"Maximum cache TTL in seconds"`
	DNSSEC            *bool    `json:"dnssec,omitempty" db:"dnssec" doc:"DNSSEC validation; default on"`
	QNAMEMinimisation *bool    `json:"qname_minimisation,omitempty" db:"qname_minimisation" doc:"QNAME minimisation: send each server only the labels it needs; default on"`
}

// On reports whether the resolver is to run.
func (s Settings) On() bool { return s.Enabled == nil || *s.Enabled }

// Validate reports everything that is wrong, and puts every value into the one form that is stored.
func (s *Settings) Validate() error {
	var p fault.Problems
	s.UpstreamForwards = eachValue(&p, "upstream_forwards", s.UpstreamForwards, parseForward)
	s.AccessACL = eachValue(&p, "access_acl", s.AccessACL, parseNetwork)
	s.ListenAddresses = eachValue(&p, "listen_addresses", s.ListenAddresses, value.Listen)
	if s.CacheMaxTTL < s.CacheMinTTL {
		p.Add("cache_max_ttl", "must be at least cache_min_ttl")
	}
	on := true
	if s.DNSSEC == nil {
		s.DNSSEC = &on
	}
	if s.QNAMEMinimisation == nil {
		s.QNAMEMinimisation = &on
	}
	return p.Err()
}

var errTwice = fault.Say("is a duplicate")

// eachValue parses a list, and refuses what is in it twice.
func eachValue[T fmt.Stringer](p *fault.Problems, field string, list []string, parse func(string) (T, error)) []string {
	out := make([]string, 0, len(list))
	for i, s := range list {
		at := fmt.Sprintf("%s[%d]", field, i)
		v, err := parse(s)
		if err != nil {
			p.AddError(at, err)
			continue
		}
		if slices.Contains(out, v.String()) {
			p.AddError(at, errTwice)
			continue
		}
		out = append(out, v.String())
	}
	return out
}

// server is a resolver to ask. The zero port is the usual one, 53.
type server struct {
	addr netip.Addr
	port uint16
}

func (s server) String() string {
	if s.port == 0 {
		return s.addr.String()
	}
	return s.addr.String() + "@" + strconv.Itoa(int(s.port))
}

// parseForward reads "192.0.2.1" and "192.0.2.1@5353".
func parseForward(s string) (server, error) {
	host, port, given := strings.Cut(s, "@")
	addr, err := value.Host(host)
	if err != nil {
		return server{}, fmt.Errorf("%w, optionally with @port", err)
	}
	out := server{addr: addr}
	if given {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || port[0] == '0' {
			return server{}, fault.Say("must have a port from 1 to 65535 after the @")
		}
		out.port = uint16(n)
	}
	if out.port == 53 {
		out.port = 0
	}
	if addr.IsLoopback() && out.port == 0 {
		return server{}, fault.Say("is this resolver itself; use another address or port")
	}
	return out, nil
}

// ForwardAddr is where a forwarder is asked.
func ForwardAddr(s string) (netip.AddrPort, error) {
	to, err := parseForward(s)
	if err != nil {
		return netip.AddrPort{}, err
	}
	return netip.AddrPortFrom(to.addr, cmp.Or(to.port, 53)), nil
}

// network is an address or a network; an address is shown as one.
type network struct{ netip.Prefix }

func (n network) String() string { return value.Short(n.Prefix) }

func parseNetwork(s string) (network, error) {
	prefix, err := value.Prefix(s)
	return network{prefix}, err
}
