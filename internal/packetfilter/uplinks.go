package packetfilter

import (
	"fmt"
	"slices"
)

// A rule may say by which group of uplinks the connections that it accepts leave. The kernel
// has to know that before it routes their first packet: a chain of its own finds the rule and
// gives the packet the mark that leads to the group's routing table. Later packets follow the
// uplink that the first one took, which package multiwan sees to.

// UplinkGroup is a group of uplinks, of one family.
type UplinkGroup struct {
	Name string // for people; never reaches the kernel
	Mark uint32 // of packets that are to leave by it; 0 for no group
	V4   bool   // packets of the other family go where the routes say
}

// uplinkBits are those of a packet's mark that choose an uplink, or a group of them.
const uplinkBits = 0x00ff0000

// uplinkChain is the base chain of the choice; each family has one of its own behind it.
const uplinkChain = "uplinks"

func (f *family) uplinkChain() string { return uplinkChain + "_" + f.proto }

// mark is what packets of a family get that the rule takes; 0 where the routes choose.
func (r *Rule) mark(v4 bool) uint32 {
	if r.Action != Accept || r.Uplinks.V4 != v4 || r.Uplinks.Mark&^uplinkBits != 0 {
		return 0
	}
	return r.Uplinks.Mark
}

// choosing are the rules that matter to the choice in a family, in order: those with a mark, and
// those before them that may take the same packets.
func choosing(rules []*ruleText, zones map[string]zone, v4 bool) (list []*ruleText) {
	marked := map[[2]string]bool{} // by the zones of the rules behind
	meets := func(a, b string) bool {
		return a == b || a == Any || b == Any ||
			slices.ContainsFunc(zones[a].interfaces, func(name string) bool { return slices.Contains(zones[b].interfaces, name) })
	}
	for _, r := range slices.Backward(rules) {
		if !reached(r, zones) {
			continue
		}
		matters := r.mark(v4) != 0
		if matters {
			marked[[2]string{r.From, r.To}] = true
		}
		for pair := range marked {
			matters = matters || meets(r.From, pair[0]) && meets(r.To, pair[1])
		}
		if matters {
			list = append(list, r)
		}
	}
	slices.Reverse(list)
	return list
}

// readChoices fills in the rules that choose in each family.
func (c *compiler) readChoices(rules []*ruleText) {
	for i := range families {
		c.choices[i] = choosing(rules, c.zones, families[i].v4)
	}
}

// uplinkChains are the names of the chains that choose; there are none without a rule that does.
func (c *compiler) uplinkChains() (names []string) {
	for i := range families {
		if len(c.choices[i]) > 0 {
			names = append(names, families[i].uplinkChain())
		}
	}
	if len(names) > 0 {
		names = append([]string{uplinkChain}, names...)
	}
	return names
}

// writeUplinks fills those chains. The packet was translated by then and is routed next; which
// interface it would leave through, and with that its zone, the routes say.
func (c *compiler) writeUplinks() {
	if len(c.uplinkChains()) == 0 {
		return
	}
	c.rule(uplinkChain, "ct state != new return")
	c.rule(uplinkChain, fmt.Sprintf("meta mark and 0x%08x != 0 return", uplinkBits))
	c.rule(uplinkChain, "fib daddr type { local, broadcast, anycast, multicast } return")
	for i := range families {
		if len(c.choices[i]) > 0 {
			c.rule(uplinkChain, "meta nfproto ", families[i].proto, " goto ", families[i].uplinkChain())
		}
	}
	for i := range families {
		for _, r := range c.choices[i] {
			c.writeChoice(&families[i], r)
		}
	}
}

func (c *compiler) writeChoice(f *family, r *ruleText) {
	in, out, set := c.zones[r.From].in, c.zones[r.To].out, ""
	if out != "" {
		out = "fib daddr " + out
	}
	if mark := r.mark(f.v4); mark != 0 {
		set = fmt.Sprintf("meta mark set meta mark and 0x%08x or 0x%08x ", ^uint32(uplinkBits), mark)
	}
	for _, match := range linesIn(r.Rule, readServices(r.Services), f) {
		c.rule(f.uplinkChain(), in, match, out, set, `return comment "gid:`, r.ID, `"`)
	}
}

// chooses reports whether any rule does. Mostly none does, and nobody looks for it again.
func (p *Policy) chooses(v4 bool) bool {
	for i := range p.Rules {
		if p.Rules[i].mark(v4) != 0 {
			return true
		}
	}
	return false
}

// chooser is the rule that says which group of uplinks the packet leaves by, if any does; out is
// where the routes would send it.
func (w *walker) chooser(out side) *Rule {
	v4 := w.packet.Source.Is4()
	if !w.packet.tracked() || !w.policy.chooses(v4) {
		return nil
	}
	for q := range w.policy.operator(w.in, &out) {
		if q.match.misses(w.packet) != "" || w.policy.leftOut(q) != "" {
			continue
		}
		if q.rule.mark(v4) == 0 {
			return nil
		}
		return q.rule
	}
	return nil
}
