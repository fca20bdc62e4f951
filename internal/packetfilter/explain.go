package packetfilter

import (
	"fmt"
	"iter"
	"net/netip"

	"gateway/internal/fault"
)

// Packet is the first packet of a new connection, as it comes in.
type Packet struct {
	In          string     `json:"in"`
	Source      netip.Addr `json:"source"`
	Destination netip.Addr `json:"destination"`
	Protocol    Protocol   `json:"protocol"`
	Port        uint16     `json:"port"` // destination port
	Type        int        `json:"type"` // of ICMP and ICMPv6
}

// Route says where a packet to an address, with the mark of a group of uplinks or without
// (0), goes: out through an interface, or to the gateway itself, or nowhere.
type Route func(to netip.Addr, mark uint32) (out string, local bool, ok bool)

// Trace is what happens to a packet, and why.
type Trace struct {
	Verdict    Action       `json:"verdict" doc:"What happens to the packet: accept, drop or reject"`
	Decided    Decider      `json:"decided" doc:"What decided it"`
	Out        string       `json:"out,omitempty" doc:"Outgoing interface; absent for packets to the gateway itself"`
	Local      bool         `json:"local" doc:"Whether the packet is for the gateway itself"` // it is for the gateway itself
	Translated *Translation `json:"translated,omitempty" doc:"Address translation; absent if nothing is translated"`
	// UplinkGroup is the name of the group that a rule chose.
	UplinkGroup string `json:"uplink_group,omitempty" doc:"Name of the uplink group that a rule sends the connection to; absent if the routes alone decide"`
	Steps       []Step `json:"steps" doc:"What the packet was compared with, in order"`
}

// Translation is what became of the packet's addresses; what is zero stayed as it was.
type Translation struct {
	Destination netip.Addr `json:"destination,omitzero" doc:"Destination address after DNAT"`
	Port        uint16     `json:"port,omitempty" doc:"Destination port after DNAT"`
	// DNAT and SNAT are the NAT rules; the latter also stands for masquerade.
	DNAT   Decider    `json:"dnat,omitzero" doc:"NAT rule that translates the destination"`
	SNAT   Decider    `json:"snat,omitzero" doc:"NAT rule that translates the source"`
	Source netip.Addr `json:"source,omitzero" doc:"Source address after SNAT"`
	// Masquerade says that the source becomes the address of the interface it leaves through.
	Masquerade bool `json:"masquerade,omitempty" doc:"Whether the source becomes the address of the outgoing interface"`
}

// The stages of a packet's way.
const (
	Prerouting  = "prerouting"
	Routing     = "routing"
	Input       = "input"
	Forward     = "forward"
	Postrouting = "postrouting"
)

// Step is one stop on the way, told to a person.
type Step struct {
	Stage   string `json:"stage" doc:"Stage of the way: prerouting, routing, input, forward or postrouting"`
	Kind    string `json:"kind" doc:"What the packet was compared with: a rule, a NAT rule or a built-in step"`
	ID      string `json:"id,omitempty" doc:"Id of the rule or NAT rule; absent for built-in steps"`
	Text    string `json:"text" doc:"The step in words"`
	Matched bool   `json:"matched" doc:"Whether the packet matched"`
}

// maxPassed is how many questions that did not match are told; the rest are counted.
const maxPassed = 50

// Explain follows a packet through the policy.
func Explain(p *Policy, k Packet, route Route) Trace {
	k.Source, k.Destination = k.Source.Unmap(), k.Destination.Unmap()
	w := walker{policy: p, packet: k, in: p.side(k.In)}
	dnat := w.prerouting()
	if !w.routing(route) {
		return w.trace
	}
	if w.trace.Local {
		w.ask(Input, p.input(w.in))
		return w.trace
	}
	out := p.side(w.trace.Out)
	w.ask(Forward, p.forward(w.in, out, dnat))
	if w.trace.Verdict == Accept {
		w.postrouting(out)
	}
	return w.trace
}

// walker is a packet on its way. The packet is what it has become so far.
type walker struct {
	policy *Policy
	packet Packet
	in     side
	trace  Trace
	passed int
}

// tracked reports whether a NAT rule can get the packet.
func (k Packet) tracked() bool {
	v4 := k.Source.Is4()
	return !holds(invalid(v4), k.flow()) && !holds(untracked(v4), k.flow())
}

// prerouting applies the first DNAT rule that takes the packet.
func (w *walker) prerouting() *NAT {
	if !w.packet.tracked() {
		return nil
	}
	t := w.translator(Prerouting, w.policy.destinations(w.in))
	if t == nil {
		return nil
	}
	was := w.packet
	w.packet.Destination = t.Target
	w.packet = w.packet.withFlow(t.sent(w.packet.flow()))
	w.trace.Translated = &Translation{DNAT: t.decider(), Destination: t.Target, Port: w.packet.Port}
	w.tell(Prerouting, t.decider(), true, "%s translates the destination %[3]s to %[2]s", t.decider().title(), w.packet.target(), was.target())
	return t
}

// postrouting applies the first SNAT or masquerade rule, or that of a tunnel.
func (w *walker) postrouting(out side) {
	if !w.packet.tracked() {
		return
	}
	if n := w.translator(Postrouting, w.policy.sources(out)); n != nil {
		w.translation().SNAT = n.decider()
		w.translation().Source, w.translation().Masquerade = n.Target, n.Kind == Masquerade
		if n.Kind == Masquerade {
			w.translation().Source = netip.Addr{}
		}
		w.tell(Postrouting, n.decider(), true, "%s translates the source to %s", n.decider().title(), n.newSource(out))
		return
	}
	for _, t := range w.policy.Tunnels {
		if t.Interface == out.name && t.Subnet.Masked().Contains(w.packet.Source) {
			by := Decider{Kind: ByTunnel, Name: t.Interface}
			w.translation().SNAT, w.translation().Masquerade = by, true
			w.tell(Postrouting, by, true, "the tunnel translates the source to the address of %s", out.name)
			return
		}
	}
}

// translator is the first NAT rule that takes the packet.
func (w *walker) translator(stage string, rules []translation) *NAT {
	w.passed = 0
	defer w.tellPassed(stage)
	for _, t := range rules {
		miss := t.match.misses(w.packet)
		if t.leftOut == "" && miss == "" {
			return t.rule
		}
		w.pass(stage, t.rule.decider(), t.leftOut, miss)
	}
	return nil
}

func (n *NAT) decider() Decider { return Decider{Kind: ByNAT, ID: n.ID, Name: n.Name} }

func (n *NAT) newSource(out side) string {
	if n.Kind == Masquerade {
		return "address of " + out.name
	}
	return n.Target.String()
}

func (w *walker) translation() *Translation {
	if w.trace.Translated == nil {
		w.trace.Translated = &Translation{}
	}
	return w.trace.Translated
}

// routing finds out where the packet goes.
func (w *walker) routing(route Route) bool {
	out, local, ok := route(w.packet.Destination, 0)
	if !local {
		if r := w.chooser(w.policy.side(out)); r != nil {
			w.trace.UplinkGroup = r.Uplinks.Name
			w.tell(Routing, r.decider(), true, "%s sends it to the uplink group %q", r.decider().title(), r.Uplinks.Name)
			out, local, ok = route(w.packet.Destination, r.Uplinks.Mark)
		}
	}
	by := Decider{Kind: ByRoute}
	switch {
	case !ok:
		w.trace.Verdict, w.trace.Decided = Drop, by
		w.tell(Routing, by, true, "no route to %s", w.packet.Destination)
	case !local && out != w.packet.In && linkLocal6.Contains(w.packet.Source):
		ok = false
		w.trace.Verdict, w.trace.Decided = Drop, by
		w.tell(Routing, by, true, "%s is a link-local address and is not forwarded", w.packet.Source)
	case local:
		w.trace.Local = true
		w.tell(Routing, by, true, "%s is the gateway itself", w.packet.Destination)
	default:
		w.trace.Out = out
		w.tell(Routing, by, true, "%s is reached through %s", w.packet.Destination, out)
	}
	return ok
}

// ask puts questions to the packet until one takes it, and drops it after the last.
func (w *walker) ask(stage string, questions iter.Seq[question]) {
	w.passed = 0
	decided := question{by: Decider{Kind: ByDefault}, action: Drop}
	for q := range questions {
		miss, leftOut := q.match.misses(w.packet), ""
		// Most rules pass the packet over and are not told: those need no reason.
		if miss == "" || w.passed < maxPassed {
			leftOut = w.policy.leftOut(q)
		}
		if miss == "" && leftOut == "" {
			decided = q
			break
		}
		if q.rule != nil {
			w.pass(stage, q.by, leftOut, miss)
		}
	}
	w.tellPassed(stage)
	w.trace.Verdict, w.trace.Decided = decided.action, decided.by
	w.tell(stage, decided.by, true, "%s: %s", decided.by.title(), decided.action)
}

// title names what decided, for a person.
// Said tells what decided, with its words for translations.
func (d Decider) Said() fault.Sentence {
	switch d.Kind {
	case ByRule:
		return fault.Said("rule %q", d.Name)
	case ByNAT:
		return fault.Said("NAT rule %q", d.Name)
	case ByOpening:
		return fault.Said("open for %s", fault.Named(d.Why))
	case ByLockout:
		return fault.Said("anti-lockout, management is always reachable")
	case ByPeer:
		return fault.Said("from another cluster node")
	case ByTunnel:
		return fault.Said("received on tunnel %s", d.Name)
	case ByLoopback:
		return fault.Said("loopback traffic")
	case ByInvalid:
		return fault.Said("invalid connection state")
	case ByRoute:
		return fault.Said("no route leads there")
	case ByNeighbour:
		return fault.Said("required by IPv6 (neighbour discovery)")
	case ByTranslated:
		return fault.Said("no matching rule; NAT rule %q forwards it here", d.Name)
	}
	return fault.Said("no matching rule (default)")
}

func (d Decider) title() string { return d.Said().Message }

// target is where the packet goes, for a person.
func (k Packet) target() string {
	if hasPorts(k.Protocol) {
		return netip.AddrPortFrom(k.Destination, k.Port).String()
	}
	return k.Destination.String()
}

// pass tells of a rule that did not take the packet, or only counts it.
func (w *walker) pass(stage string, by Decider, leftOut, miss string) {
	switch w.passed++; {
	case w.passed > maxPassed:
	case leftOut != "":
		w.tell(stage, by, false, "%s is skipped: %s", by.title(), leftOut)
	default:
		w.tell(stage, by, false, "%s does not match the %s", by.title(), miss)
	}
}

func (w *walker) tellPassed(stage string) {
	if more := w.passed - maxPassed; more > 0 {
		w.tell(stage, Decider{Kind: "note"}, false, "%d more rules between these zones do not match", more)
	}
}

func (w *walker) tell(stage string, by Decider, matched bool, format string, args ...any) {
	w.trace.Steps = append(w.trace.Steps, Step{Stage: stage, Kind: by.Kind, ID: by.ID, Text: fmt.Sprintf(format, args...), Matched: matched})
}
