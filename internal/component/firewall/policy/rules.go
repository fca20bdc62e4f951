package policy

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"gateway/internal/fault"
	"gateway/internal/packetfilter"
	"gateway/internal/rtnl"
	"gateway/internal/value"
)

// rules reads the rules and the sets of addresses that they are about.
func (b *builder) rules(a contents) {
	b.Policy.Sets = map[string]*packetfilter.Addresses{}
	b.Policy.Rules = make([]packetfilter.Rule, 0, len(a.rules))
	for _, row := range a.rules {
		rule := packetfilter.Rule{
			ID: row.ID, Name: row.Name, Priority: row.Priority, From: row.From, To: row.To, Action: packetfilter.Action(row.Action), Log: row.Log,
			Source:      b.selector(a, row.SrcKind, row.SrcObject, row.SrcGroup, &row.SrcCIDR),
			Destination: b.selector(a, row.DstKind, row.DstObject, row.DstGroup, &row.DstCIDR),
		}
		rule.Services, rule.Broken = b.servicesOf(row.Service, row.ServiceGroup)
		rule.Uplinks = b.uplinksOf(row)
		if b.expired(row, a.now) {
			b.Expired = append(b.Expired, rule)
			continue
		}
		b.Policy.Rules = append(b.Policy.Rules, rule)
	}
	// Groups go without what cannot be read; somebody should know.
	for _, o := range slices.SortedFunc(maps.Values(a.broken), func(x, y *addressObject) int { return strings.Compare(x.name, y.name) }) {
		b.leaveOut("address object "+o.name, fault.SentenceOf(o.broken))
	}
}

// The numbers that a group of uplinks may have; see package multiwan.
const minUplinks, maxUplinks = 1, 127

// uplinkGroup reads a group of uplinks. What is wrong with one is its own component's to say.
func (b *builder) uplinkGroup(row uplinkRow) {
	if row.Number < minUplinks || row.Number > maxUplinks || row.Family != "inet" && row.Family != "inet6" {
		return
	}
	b.uplinks[row.ID] = packetfilter.UplinkGroup{Name: row.Name, Mark: rtnl.UplinkGroupMark(row.Number), V4: row.Family == "inet"}
}

// uplinksOf is the group that a rule names, if any. A rule does not become wider without it, so
// it is not left out for that.
func (b *builder) uplinksOf(row *ruleRow) packetfilter.UplinkGroup {
	if row.Uplinks == (id{}) || row.Action != string(packetfilter.Accept) {
		return packetfilter.UplinkGroup{}
	}
	group, there := b.uplinks[row.Uplinks.String()]
	if !there {
		b.leaveOut("rule "+row.Name, fault.Said("its uplink group is not on this node, so its connections leave by the default group"))
	}
	return group
}

// expired reports whether a rule has run out, and remembers when the next one does.
func (b *builder) expired(row *ruleRow, now time.Time) bool {
	if row.ExpiresAt == nil {
		return false
	}
	in := row.ExpiresAt.Sub(now)
	if in <= 0 {
		return true
	}
	if b.expiresIn == nil || in < *b.expiresIn {
		b.expiresIn = &in
	}
	return false
}

// selector is one side of a rule. An id that leads nowhere is broken, never any.
func (b *builder) selector(a contents, kind string, object, group id, network *listed) packetfilter.Selector {
	switch kind {
	case "any":
		return packetfilter.Selector{}
	case "object":
		return b.object(a, object)
	case "group":
		if group == (id{}) {
			return packetfilter.Selector{Broken: "it names no address group"}
		}
		set := &packetfilter.Addresses{}
		if g := a.groups[group]; g != nil {
			set = g.set
		}
		b.Policy.Sets[group.String()] = set
		return packetfilter.Selector{Set: group.String()}
	case "cidr":
		return network.Selector
	}
	return packetfilter.Selector{Broken: fmt.Sprintf("invalid address kind %q", kind)}
}

// object is one object as a side of a rule. A name is a set, for its addresses change.
func (b *builder) object(a contents, key id) packetfilter.Selector {
	o := a.objects[key]
	switch {
	case o == nil:
		return packetfilter.Selector{Broken: "it names no address object"}
	case o.broken != nil:
		return packetfilter.Selector{Broken: "address object " + o.name + " " + o.broken.Error()}
	case o.fqdn:
		set := packetfilter.Merge(o.ranges)
		b.Policy.Sets[key.String()] = &set
		return packetfilter.Selector{Set: key.String()}
	}
	return packetfilter.Selector{Listed: packetfilter.Merge(o.ranges)}
}

// servicesOf are those that a rule is about. A group without any would be every protocol.
func (b *builder) servicesOf(service, group id) ([]packetfilter.Service, string) {
	asked := [2]id{service, group}
	known, ok := b.asked[asked]
	if !ok {
		known.list, known.broken = b.readServices(service, group)
		b.asked[asked] = known
	}
	return known.list, known.broken
}

// askedServices are those of a rule. Most rules are about the same few.
type askedServices struct {
	list   []packetfilter.Service
	broken string
}

func (b *builder) readServices(service, group id) (list []packetfilter.Service, broken string) {
	ids := b.serviceGroups[group]
	if service != (id{}) {
		ids = append([]id{service}, ids...)
	} else if group == (id{}) {
		return nil, ""
	}
	for _, key := range ids {
		s, err := b.services[key].read()
		if err != nil {
			return nil, "its service " + err.Error()
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, "its service group is empty"
	}
	return list, ""
}

func (s serviceRow) read() (packetfilter.Service, error) {
	out := packetfilter.Service{Protocol: Protocol(s.Protocol), Type: -1}
	if out.Protocol == 0 {
		return out, fault.Say("has an unknown protocol")
	}
	if s.ICMPType != nil {
		out.Type = *s.ICMPType
	}
	if s.Port == nil {
		return out, nil
	}
	end := s.Port
	if s.End != nil {
		end = s.End
	}
	if *s.Port < 1 || *end < *s.Port || *end > 65535 {
		return out, fault.Say("has invalid ports")
	}
	out.From, out.To = uint16(*s.Port), uint16(*end) // just checked
	return out, nil
}

// nat reads a NAT rule.
func (b *builder) nat(row natRow) packetfilter.NAT {
	n := packetfilter.NAT{ID: row.ID, Name: row.Name, Priority: row.Priority, Kind: packetfilter.Kind(row.Kind), In: row.In, Out: row.Out}
	n.NeedsRule = n.Kind == packetfilter.DNAT && !row.Pass
	if row.Protocol != "any" {
		if n.Protocol = Protocol(row.Protocol); n.Protocol == 0 { // which would be every protocol
			n.Broken = fmt.Sprintf("invalid protocol %q", row.Protocol)
		}
	}
	for _, p := range []struct {
		from int
		to   *uint16
	}{{row.Port, &n.Port}, {row.PortEnd, &n.PortEnd}, {row.To, &n.ToPort}, {row.ToEnd, &n.ToEnd}} {
		if p.from < 0 || p.from > 65535 {
			n.Broken = "it has an invalid port"
			continue
		}
		*p.to = uint16(p.from) // just checked
	}
	n.Source, n.Destination = b.natNetwork(&n, row.Source), b.natNetwork(&n, row.Destination)
	if row.Target != "" {
		addr, err := value.Address(row.Target)
		if err != nil {
			n.Broken = fmt.Sprintf("%q is not a valid address", row.Target)
		}
		n.Target = addr
	}
	b.Mixed[n.ID] = n.Broken == "" && mixes(n.Source.Addr(), n.Destination.Addr(), n.Target)
	return n
}

func (b *builder) natNetwork(n *packetfilter.NAT, text string) netip.Prefix {
	if text == "" {
		return netip.Prefix{}
	}
	p, err := value.Prefix(text)
	if err != nil {
		n.Broken = fmt.Sprintf("%q is not a valid network", text)
	}
	return p
}

// mixes reports whether addresses, those that there are, are of both families.
func mixes(list ...netip.Addr) bool {
	var four, six bool
	for _, a := range list {
		four, six = four || a.Is4(), six || a.Is6()
	}
	return four && six
}
