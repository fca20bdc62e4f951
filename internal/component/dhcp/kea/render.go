package kea

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// Render is a pure function of the rows and of the interfaces that there are.
func (s State) Render() (daemon.Rendering, error) {
	out, _, err := s.render()
	return out, err
}

// render also returns what the file says.
func (s State) render() (daemon.Rendering, config, error) {
	r := renderer{State: s}
	c := s.config(r.subnets())
	text, err := document{c}.text()
	if err != nil {
		return daemon.Rendering{}, c, err
	}
	return daemon.Rendering{
		Files:    []daemon.File{{Path: ConfFile, Mode: 0o644, Data: text}},
		Units:    []daemon.Unit{{Name: Unit, Up: s.Settings.On()}},
		Problems: r.problems,
	}, c, nil
}

// config is all but the subnets, in what order soever those are.
func (s State) config(subnets []subnetConf) config {
	listen := []string{}
	for _, n := range subnets {
		listen = append(listen, n.Interface)
	}
	slices.Sort(listen)
	alone, shared := grouped(subnets)
	hooks := []hook{}
	for _, path := range s.Hooks {
		hooks = append(hooks, hook{path})
	}
	return config{
		Interfaces: interfaces{Names: slices.Compact(listen), SocketType: "raw", Redetect: true, MaxRetries: 100_000, RetryWait: 1000},
		Socket:     socket{"unix", s.Socket},
		Leases:     database{Type: "memfile", Persist: true, Name: s.LeaseFile, Interval: 300},
		Sanity:     sanity{"fix"},
		Expired:    expired{Wait: 5, Hold: 3600},
		Hooks:      hooks,
		Loggers:    []logger{{"kea-dhcp4", "INFO", []output{{"stdout", "%-5p %m\n"}}}},

		Authoritative: s.Settings.authoritative(),
		// By its MAC address: a machine that boots from the network, and then its system, is one client.
		MatchClientID: false,
		Identifiers:   []string{"hw-address", "client-id"},
		CalculateTees: true,
		Shared:        shared,
		Subnets:       alone,
	}
}

// grouped has the subnets of an interface with several together: what is one wire is one network
// to Kea, and a client of it is served from any of them.
func grouped(subnets []subnetConf) (alone []subnetConf, shared []sharedConf) {
	at := map[string][]subnetConf{}
	for _, sub := range subnets {
		at[sub.Interface] = append(at[sub.Interface], sub)
	}
	alone = []subnetConf{}
	for _, sub := range subnets {
		if len(at[sub.Interface]) == 1 {
			alone = append(alone, sub)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(at)) {
		if len(at[name]) > 1 {
			shared = append(shared, sharedConf{name, name, at[name]})
		}
	}
	return alone, shared
}

type renderer struct {
	State
	problems []daemon.Problem
	taken    []netip.Prefix
}

func (r *renderer) leaveOut(subject string, why fault.Sentence) {
	r.problems = append(r.problems, daemon.Problem{Subject: subject, Sentence: why})
}

// Subject is what a subnet is called where it is left out.
func Subject(network string) string { return fmt.Sprintf("the DHCP subnet %q", network) }

// subnets leaves out what the API would refuse today: a row may be older than the rule, or
// come from a node of another version.
func (r *renderer) subnets() []subnetConf {
	out := []subnetConf{}
	for _, row := range r.Subnets {
		if !row.On() {
			continue
		}
		what := Subject(row.Network)
		sub := row.Subnet
		var p fault.Problems
		if sub.Validate(&p, nil); p.Err() != nil {
			r.problems = append(r.problems, daemon.Invalid(what, p.Err()))
			continue
		}
		network, _ := parseNetwork(sub.Network) // it is one
		if why, tolerated := r.misplaced(sub, network); why != nil {
			r.problems = append(r.problems, daemon.Problem{Subject: what, Sentence: fault.SentenceOf(why), Tolerated: tolerated})
			continue
		}
		r.taken = append(r.taken, network)
		conf := newSubnet(sub, network, r.Own)
		if sub.DNSNames && sub.Domain != "" {
			conf.Context.Taken = r.Taken.Below(sub.Domain)
		}
		conf.Reservations = r.reservations(row.ID, sub, network, conf.Context.Taken)
		out = append(out, conf)
	}
	r.orphans()
	slices.SortFunc(out, func(a, b subnetConf) int { return strings.Compare(a.Subnet, b.Subnet) })
	return out
}

var (
	errUndeclared = fault.Say("its interface is not declared")
	errZone       = fault.Say("its interface must be in a zone other than wan")
	errMissing    = fault.Say("its interface is missing on this node")
)

// misplaced says why a subnet cannot be served where it is to be. An interface that is missing
// may come any moment, and is served then.
func (r *renderer) misplaced(s Subnet, network netip.Prefix) (why error, tolerated bool) {
	zone, declared := r.Zones[s.Interface]
	switch {
	case !declared:
		return errUndeclared, false
	case zone == "" || zone == Wan:
		return errZone, false
	}
	for _, other := range r.taken {
		if other.Overlaps(network) {
			return fault.Say("overlaps the subnet %s", other), false
		}
	}
	if !r.has(s.Interface) {
		return errMissing, true
	}
	return nil, false
}

func newSubnet(s Subnet, network netip.Prefix, own []netip.Addr) subnetConf {
	out := subnetConf{
		ID: Number(network), Subnet: network.String(), Interface: s.Interface, Lifetime: s.LeaseTime,
		Context: subnetContext{Domain: s.Domain, DNSNames: s.DNSNames}, Pools: []poolConf{},
	}
	for _, text := range s.Pools {
		r, err := parseRange(network, text)
		if err != nil {
			continue // it was validated
		}
		for _, part := range r.Without(own) {
			out.Pools = append(out.Pools, poolConf{part.String()})
		}
	}
	out.Options = s.optionData()
	return out
}

// Number is how Kea calls the subnet.
func Number(network netip.Prefix) uint32 {
	a := network.Addr().As4()
	return binary.BigEndian.Uint32(a[:])
}

// Without cuts addresses out of the range.
func (r Range) Without(addrs []netip.Addr) []Range {
	parts := []Range{r}
	for _, a := range addrs {
		i := slices.IndexFunc(parts, func(p Range) bool { return a.Is4() && p.Contains(a) })
		if i < 0 {
			continue
		}
		var cut []Range
		if p := parts[i]; true {
			if p.First != a {
				cut = append(cut, Range{p.First, a.Prev()})
			}
			if p.Last != a {
				cut = append(cut, Range{a.Next(), p.Last})
			}
		}
		parts = slices.Replace(parts, i, i+1, cut...)
	}
	return parts
}

// optionData is what clients are told. What an operator typed freely is bytes in hexadecimal: Kea
// reads nothing of it as text.
func (s Subnet) optionData() []optionConf {
	out := []optionConf{}
	text := func(code int, data string) {
		if data != "" {
			out = append(out, optionConf{Code: code, CSV: true, Data: data})
		}
	}
	text(3, s.Gateway)
	text(6, strings.Join(s.DNSServers, ", "))
	text(15, s.Domain)
	text(42, strings.Join(s.NTPServers, ", "))
	for _, typed := range s.Options {
		if o, err := ParseOption(typed); err == nil { // it was validated
			out = append(out, optionConf{Code: o.Code, Data: strings.ToUpper(hex.EncodeToString(o.Data))})
		}
	}
	return out
}

func (r *renderer) reservations(subnet string, of Subnet, network netip.Prefix, names []string) []reservationConf {
	out := []reservationConf{}
	taken := map[string]bool{}
	for _, row := range r.Reservations {
		if row.SubnetID != subnet {
			continue
		}
		what := fmt.Sprintf("the DHCP reservation of %q", row.Address)
		res := row.Reservation
		var p fault.Problems
		if res.Validate(&p, network, of.Gateway, r.Own); p.Err() != nil {
			r.problems = append(r.problems, daemon.Invalid(what, p.Err()))
			continue
		}
		conf := reservationConf{res.MAC, res.ClientID, res.Address, res.Hostname}
		if conf.conflicts(taken) {
			r.leaveOut(what, fault.Said("its address or its client is reserved twice"))
			continue
		}
		conf.take(taken)
		if res.Hostname != "" && slices.Contains(names, res.Hostname) {
			r.leaveOut(what, fault.Said("its host name is that of this node or of a site, so the DNS does not answer it"))
		}
		out = append(out, conf)
	}
	return out
}

// orphans names the reservations that belong to no subnet.
func (r *renderer) orphans() {
	for _, row := range r.Reservations {
		if !slices.ContainsFunc(r.Subnets, func(s StoredSubnet) bool { return s.ID == row.SubnetID }) {
			r.leaveOut(fmt.Sprintf("the DHCP reservation of %q", row.Address), fault.Said("its subnet is missing"))
		}
	}
}

// keys are what Kea lets one reservation of a subnet have, each with a word of its own before it.
func (c reservationConf) keys() []string {
	keys := []string{"address " + c.Address}
	if c.MAC != "" {
		keys = append(keys, "mac "+c.MAC)
	}
	if c.ClientID != "" {
		keys = append(keys, "client "+c.ClientID)
	}
	return keys
}

// conflicts reports whether Kea would refuse it beside those who took theirs.
func (c reservationConf) conflicts(taken map[string]bool) bool {
	return slices.ContainsFunc(c.keys(), func(key string) bool { return taken[key] })
}

func (c reservationConf) take(taken map[string]bool) {
	for _, key := range c.keys() {
		taken[key] = true
	}
}
