package packetfilter

import (
	"maps"
	"math/bits"
	"net/netip"
	"slices"
	"strconv"
)

// zone is the interfaces of a zone and how a line asks for them; Any has no interfaces and
// asks for nothing.
type zone struct {
	interfaces []string
	in, out    string
}

func newZone(interfaces []string) zone {
	if len(interfaces) == 0 {
		return zone{}
	}
	names := `"` + interfaces[0] + `" `
	if len(interfaces) > 1 {
		names = "{ "
		for i, name := range interfaces {
			if i > 0 {
				names += ", "
			}
			names += `"` + name + `"`
		}
		names += " } "
	}
	return zone{interfaces: interfaces, in: "iifname " + names, out: "oifname " + names}
}

// readZones checks and sorts the interfaces.
func (c *compiler) readZones() {
	c.zones = make(map[string]zone, len(c.policy.Zones))
	for _, name := range slices.Sorted(maps.Keys(c.policy.Zones)) {
		if name == Any {
			continue
		}
		var good []string
		for _, i := range c.policy.Zones[name] {
			if isInterface(i) {
				good = append(good, i)
			} else {
				c.skip("", "zone "+name, "one of its interface names is invalid")
			}
		}
		slices.Sort(good)
		c.zones[name] = newZone(slices.Compact(good))
	}
}

// family is one of the two versions of the protocol.
type family struct {
	v4          bool
	name, proto string // as nft calls addresses, and the family itself
	set         string // what the names of its sets begin with
}

var families = [2]family{{true, "ip", "ipv4", "a4_"}, {false, "ip6", "ipv6", "a6_"}}

// matches is what each line of a rule asks for, or the problem that leaves the rule out.
func (c *compiler) matches(r *Rule) (lines []string, problem string) {
	if problem := c.problemOf(r); problem != "" {
		return nil, problem
	}
	services := readServices(r.Services)
	if services.problem != "" {
		return nil, services.problem
	}
	if r.Source.Any() && r.Destination.Any() {
		return services.lines(nil), ""
	}
	common := false
	for i := range families {
		f := &families[i]
		common = common || r.Source.has(f.v4) && r.Destination.has(f.v4)
		lines = append(lines, linesIn(r, services, f)...)
	}
	if !common {
		return nil, "its source and its destination have no address family in common"
	}
	if len(lines) == 0 {
		return nil, "its service does not exist in the address family of its addresses"
	}
	return lines, ""
}

// linesIn is what each line of a rule asks for where only packets of a family come, or where
// addresses ask for the family.
func linesIn(r *Rule, services services, f *family) (lines []string) {
	if !r.Source.has(f.v4) || !r.Destination.has(f.v4) {
		return nil
	}
	addresses := appendSelector(nil, r.Source, f, " saddr ")
	addresses = appendSelector(addresses, r.Destination, f, " daddr ")
	for _, match := range services.lines(f) {
		lines = append(lines, string(addresses)+match)
	}
	return lines
}

// problemOf is why nothing of the rule can be written.
func (c *compiler) problemOf(r *Rule) string {
	switch {
	case !isID(r.ID):
		return "it has no usable id"
	case r.Broken != "":
		return r.Broken
	case r.Source.Broken != "":
		return "source: " + r.Source.Broken
	case r.Destination.Broken != "":
		return "destination: " + r.Destination.Broken
	case r.Action != Accept && r.Action != Drop && r.Action != Reject:
		return "it has no action"
	}
	for _, s := range []*Selector{&r.Source, &r.Destination} {
		if s.Set != "" && (!isID(s.Set) || c.policy.Sets[s.Set] == nil) {
			return "it names a group that does not exist"
		}
		if s.Set == "" && !s.Listed.good() {
			return "it has an invalid address"
		}
	}
	return ""
}

// has is whether a line of the family can have addresses of the selector. A set may have
// members of either at any time.
func (s *Selector) has(v4 bool) bool {
	return s.Set != "" || s.Any() || len(s.Listed.Of(v4)) > 0
}

func appendSelector(b []byte, s Selector, f *family, side string) []byte {
	if s.Any() {
		return b
	}
	b = append(append(b, f.name...), side...)
	if s.Set != "" {
		b = append(append(append(b, '@'), f.set...), s.Set...)
	} else {
		b = appendRanges(b, s.Listed.Of(f.v4))
	}
	return append(b, ' ')
}

// appendRanges writes one range as it is and several as a set.
func appendRanges(b []byte, list []Range) []byte {
	if len(list) == 1 {
		return appendRange(b, list[0])
	}
	b = append(b, "{ "...)
	for i, r := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendRange(b, r)
	}
	return append(b, " }"...)
}

// appendRange writes an address, a network or, where it is neither, both ends.
func appendRange(b []byte, r Range) []byte {
	b = r.From.AppendTo(b)
	if r.From == r.To {
		return b
	}
	if bits, ok := networkBits(r); ok {
		return strconv.AppendInt(append(b, '/'), int64(bits), 10)
	}
	return r.To.AppendTo(append(b, '-'))
}

// networkBits is the length of the network that the range is.
func networkBits(r Range) (int, bool) {
	from, to := r.From.As16(), r.To.As16()
	length := 0
	for i := range from {
		same := bits.LeadingZeros8(from[i] ^ to[i])
		if length += same; same < 8 {
			break
		}
	}
	if r.From.Is4() {
		length -= 96
	}
	return length, RangeOf(netip.PrefixFrom(r.From, length)) == r
}

func appendNumber(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }
