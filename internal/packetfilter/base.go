package packetfilter

import (
	"net/netip"
	"slices"
)

// translated is the bit of a connection's mark that says that one of our DNAT rules took it.
const translated = "0x10000000"

// writeKnown lets packets of known connections pass before anything else is asked. It is no
// map: while a table is replaced, a packet that is under way in the old rules would find
// their map empty, be taken for a new one, and be lost.
func (c *compiler) writeKnown(chain string) {
	c.rule(chain, "ct state established,related accept")
	c.rule(chain, "ct state invalid drop")
}

// writeInput fills the base chain of what is for the gateway itself.
func (c *compiler) writeInput(l *layout) {
	c.writeKnown("input")
	c.rule("input", `iifname "lo" accept`)
	c.rule("input", "meta nfproto ipv6 icmpv6 type { 130, 133, 134, 135, 136 } accept")
	c.rule("input", "ip6 saddr fe80::/10 udp dport 546 accept")
	c.rule("input", "ip saddr @peers4 tcp dport { 5432, 6379, 8443 } accept")
	c.rule("input", "ip6 saddr @peers6 tcp dport { 5432, 6379, 8443 } accept")
	c.writeLockout()
	for i, run := range l.runs {
		if run.input {
			c.rule("input", "jump ", runName(i))
		}
	}
	for _, o := range c.policy.Openings {
		c.writeOpening(o)
	}
	c.writeDrop("input", "input")
}

// writeForward fills the base chain of what goes through, and the chain that all of it ends in.
func (c *compiler) writeForward(l *layout) {
	c.writeKnown("forward")
	c.rule("forward", "iifname . oifname vmap @pairs")
	for i := range l.runs {
		c.rule("forward", "jump ", runName(i))
	}
	c.rule("forward", "goto forward_end")
	for i, t := range c.policy.Tunnels {
		before := slices.ContainsFunc(c.policy.Tunnels[:i], func(o Tunnel) bool { return o.Interface == t.Interface })
		if !before && problemOfTunnel(t) == "" {
			c.rule("forward_end", `iifname "`, t.Interface, `" accept`)
		}
	}
	c.rule("forward_end", "ct mark and ", translated, " == ", translated, " accept")
	c.writeDrop("forward_end", "forward")
}

// writeDrop ends a chain. The policy of the base chain would drop too, but not count.
func (c *compiler) writeDrop(chain, name string) {
	c.rule(chain, `limit rate 10/second burst 5 packets log prefix "gateway:drop-`, name, `" group 0`)
	c.rule(chain, "counter name drop_", name, " drop")
}

// writeLockout keeps the way to the gateway's management open.
func (c *compiler) writeLockout() {
	lock := c.policy.Lockout
	in := c.lockoutZones(lock.Zones)
	if in == nil {
		return
	}
	tcp := []uint16{22, 443}
	if lock.Management != 0 && !slices.Contains(tcp, lock.Management) {
		tcp = append(tcp, lock.Management)
	}
	var ports []byte
	for i, p := range tcp {
		if i > 0 {
			ports = append(ports, ", "...)
		}
		ports = appendNumber(ports, int(p))
	}
	for _, from := range c.lockoutNetworks(lock.Networks) {
		c.rule("input", *in, from, "tcp dport { ", string(ports), " } accept")
		c.rule("input", *in, from, "udp dport 443 accept")
	}
}

// lockoutZones is the match for the zones, or nil when none of them has an interface.
func (c *compiler) lockoutZones(zones []string) *string {
	if slices.Contains(zones, Any) {
		zones = nil
	}
	var all []string
	for _, name := range zones {
		all = append(all, c.zones[name].interfaces...)
	}
	if len(zones) > 0 && len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	in := newZone(slices.Compact(all)).in
	return &in
}

// lockoutNetworks is one match for each family the networks have, or the one that takes all.
func (c *compiler) lockoutNetworks(networks []netip.Prefix) []string {
	if len(networks) == 0 {
		return []string{""}
	}
	var ranges []Range
	for _, n := range networks {
		if !n.IsValid() {
			c.skip("", "anti-lockout setting", "one of its networks is invalid and was skipped")
			continue
		}
		ranges = append(ranges, RangeOf(n))
	}
	merged := Merge(ranges)
	var matches []string
	for _, f := range families {
		if list := merged.Of(f.v4); len(list) > 0 {
			matches = append(matches, string(append(appendRanges([]byte(f.name+" saddr "), list), ' ')))
		}
	}
	return matches
}

// writeOpening opens a port, or a protocol that has none.
func (c *compiler) writeOpening(o Opening) {
	subject := "the opening for " + o.Why
	if o.Interface != "" && !isInterface(o.Interface) {
		c.skip("", subject, "its interface name is invalid")
		return
	}
	service := Service{Protocol: o.Protocol, From: o.Port, To: o.Port, Type: -1}
	if hasPorts(o.Protocol) == (o.Port == 0) {
		c.skip("", subject, "its protocol and port do not match")
		return
	}
	in := ""
	if o.Interface != "" {
		in = `iifname "` + o.Interface + `" `
	}
	for _, match := range readServices([]Service{service}).lines(nil) {
		c.rule("input", in, match, "accept")
	}
}

func problemOfTunnel(t Tunnel) string {
	switch {
	case !isInterface(t.Interface):
		return "its interface name is invalid"
	case !t.Subnet.IsValid():
		return "its subnet is invalid"
	}
	return ""
}
