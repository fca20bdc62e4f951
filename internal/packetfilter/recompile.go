package packetfilter

import (
	"maps"
	"slices"
	"sync"
)

// Compiler compiles one policy after the other. Mostly only the members of a group differ
// from the last time: then the rules, ten thousand perhaps, are not written again. The zero
// value is ready; policies that it was given must not be changed any more.
type Compiler struct {
	mu   sync.Mutex
	last *Policy
	done *compiler
}

// Compile is Compile.
func (c *Compiler) Compile(p *Policy) Text {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil || !c.last.sameRules(p) {
		c.last, c.done = p, compile(p)
	}
	return c.done.text(p)
}

// sameRules reports whether all is the same but what elements are made of.
func (p *Policy) sameRules(o *Policy) bool {
	return slices.EqualFunc(p.Rules, o.Rules, sameRule) && slices.Equal(p.NAT, o.NAT) &&
		slices.Equal(p.Openings, o.Openings) && slices.Equal(p.Tunnels, o.Tunnels) &&
		slices.Equal(p.Lockout.Zones, o.Lockout.Zones) && slices.Equal(p.Lockout.Networks, o.Lockout.Networks) && p.Lockout.Management == o.Lockout.Management &&
		maps.EqualFunc(p.Zones, o.Zones, slices.Equal) &&
		maps.EqualFunc(p.Sets, o.Sets, func(a, b *Addresses) bool { return (a == nil) == (b == nil) })
}

func sameRule(a, b Rule) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Priority == b.Priority && a.From == b.From && a.To == b.To &&
		a.Broken == b.Broken && a.Action == b.Action && a.Log == b.Log && a.Uplinks == b.Uplinks &&
		slices.Equal(a.Services, b.Services) && sameSelector(a.Source, b.Source) && sameSelector(a.Destination, b.Destination)
}

func sameSelector(a, b Selector) bool {
	return a.Set == b.Set && a.Broken == b.Broken && slices.Equal(a.Listed.V4, b.Listed.V4) && slices.Equal(a.Listed.V6, b.Listed.V6)
}
