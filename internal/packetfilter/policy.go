// Package packetfilter is the packet filter as a value: who may reach what, what is
// translated, and why. Compile turns a Policy into nft's text, Explain follows one packet
// through it, Reaches asks whether any packet of a kind gets through, and Matrix how much of
// the traffic between zones does. It knows neither the database, which package firewall
// reads, nor the kernel, which package netfilter speaks to.
//
// README.md has the order in which things are asked, which all of them obey.
package packetfilter

import "net/netip"

// Any is the pseudo-zone that every interface is in. As a destination it also means the
// gateway itself; every other destination zone is about forwarded packets alone.
const Any = "any"

// Policy is everything that decides over a packet. Its values are typed: what could not
// be read from the database is Broken, never text.
type Policy struct {
	// Zones has the interfaces of each zone by its name; a zone may have none.
	Zones map[string][]string
	// Sets are the groups, and the names that were resolved, by the id that selectors name.
	Sets map[string]*Addresses
	// Rules and NAT may come in any order: the lower priority is asked first, then the lower id.
	Rules []Rule
	NAT   []NAT
	// Openings, tunnels and peers are what the other parts of the product need.
	Openings []Opening
	Tunnels  []Tunnel
	Peers    []netip.Addr
	Lockout  Lockout
}

// Selector is a set of source or destination addresses: those of a set, or the ones listed,
// or all of them when it is zero.
type Selector struct {
	Set    string // a key of Policy.Sets
	Listed Addresses
	// Broken says why the selector cannot be used. A rule with one is left out as a whole:
	// without its address it would be wider than what was asked for.
	Broken string
}

// Any reports whether the selector takes every address.
func (s Selector) Any() bool {
	return s.Set == "" && s.Broken == "" && len(s.Listed.V4)+len(s.Listed.V6) == 0
}

// Action is what happens to a packet that a rule takes.
type Action string

// The actions.
const (
	Accept Action = "accept"
	Drop   Action = "drop"
	Reject Action = "reject"
)

// Rule is one operator rule that is enabled and has not expired.
type Rule struct {
	ID          string // also the kernel's name for its counter, so only [0-9a-f-]
	Name        string // for people; never reaches the kernel
	Priority    int
	From, To    string // zones
	Source      Selector
	Destination Selector
	// Services are what it is about; none means every protocol. Broken says why they
	// cannot be used, and leaves the rule out.
	Services []Service
	Broken   string
	Action   Action
	Log      bool
	// Uplinks is the group that accepted connections leave by; the zero one leaves it to the routes.
	Uplinks UplinkGroup
}

// Service is a protocol, and its ports or message type.
type Service struct {
	Protocol Protocol
	From, To uint16 // ports; both 0 for all of them
	Type     int    // of ICMP and ICMPv6; -1 for all of them
}

// Protocol is a transport protocol by its number.
type Protocol uint8

// The protocols a service may have.
const (
	ICMP   Protocol = 1
	TCP    Protocol = 6
	UDP    Protocol = 17
	GRE    Protocol = 47
	ESP    Protocol = 50
	AH     Protocol = 51
	ICMPv6 Protocol = 58
	SCTP   Protocol = 132
)

// Kind is what a NAT rule translates.
type Kind string

// The kinds.
const (
	DNAT       Kind = "dnat"
	SNAT       Kind = "snat"
	Masquerade Kind = "masquerade"
)

// NAT is one NAT rule that is enabled. DNAT is asked on the way in, and In is where the
// packet came from; SNAT and masquerade on the way out, and Out is where it goes.
type NAT struct {
	ID       string
	Name     string
	Priority int
	Kind     Kind
	In, Out  string // zones
	// Source and Destination are matched; zero prefixes match all.
	Source, Destination netip.Prefix
	// Protocol is TCP or UDP, or 0 for every one; a port needs one.
	Protocol      Protocol
	Port, PortEnd uint16 // matched destination ports; both 0 for all, equal for one
	Target        netip.Addr
	ToPort, ToEnd uint16 // both 0 to keep the port
	// NeedsRule says that what DNAT translated passes by a rule alone; else it passes by itself.
	NeedsRule bool
	Broken    string
}

// Opening is a port of the gateway that one of its parts serves.
type Opening struct {
	Protocol  Protocol
	Port      uint16
	Interface string // only there, unless empty
	Why       string // in the operator's words: "NTP for clients"
}

// Tunnel is an active tunnel that others dial into.
type Tunnel struct {
	Interface string
	Subnet    netip.Prefix
}

// Lockout narrows who may always reach the gateway's management: from one of these zones
// and from one of these networks. None means all.
type Lockout struct {
	Zones    []string
	Networks []netip.Prefix
	// Management is the port of the management page, besides 22 and 443.
	Management uint16
}

// Problem is something that was left out, and why.
type Problem struct {
	ID      string // of the rule or NAT rule
	Subject string // "rule Guests to printers"
	Message string
}
