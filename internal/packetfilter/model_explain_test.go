package packetfilter

import (
	"net/netip"
	"testing"

	"gateway/tools/bar"
)

// explained is what Explain says becomes of a probe, as the model would put it.
func explained(p *Policy, k probe) outcome {
	packet := Packet{In: k.in, Source: k.source, Destination: k.target, Protocol: k.protocol, Port: k.port, Type: k.kind}
	t := Explain(p, packet, func(to netip.Addr, mark uint32) (string, bool, bool) {
		out, local := houseRoute(to, mark)
		return out, local, true
	})
	o := outcome{verdict: t.Verdict, local: t.Local, out: t.Out, source: k.source, target: k.target, port: k.port, by: t.Decided.Kind, group: t.UplinkGroup}
	if t.Decided.Kind == ByRule {
		o.by = "rule " + t.Decided.ID
	}
	if n := t.Translated; n != nil {
		if n.Destination.IsValid() {
			o.target, o.port = n.Destination, n.Port
		}
		if n.Source.IsValid() {
			o.source = n.Source
		}
		if n.Masquerade {
			o.source = ownAddress(t.Out, k.source.Is4())
		}
	}
	return o
}

// judged is the model's answer, as far as Explain has an opinion.
func judged(m model, k probe) outcome {
	o := m.judge(k)
	if o.by == "not forwarded by any host" {
		o.by = ByRoute
	}
	return outcome{verdict: o.verdict, local: o.local, out: o.out, source: o.source, target: o.target, port: o.port, by: o.by, group: o.group}
}

// agree compares two outcomes. Of what begins nothing only that is of interest.
func agree(a, b outcome) bool {
	if a.by == ByInvalid && b.by == ByInvalid || a.by == ByRoute && b.by == ByRoute {
		return a.verdict == b.verdict
	}
	return a.String() == b.String()
}

func TestExplainAgreesWithModel(t *testing.T) {
	policies := bar.GateSize(60, 500, 25_000) // TestBarFirewall01Semantics compares the same at the gate
	seen := map[Action]int{}
	for seed := range uint64(policies) {
		g := newGenerator(2_000_000 + seed)
		p := g.policy()
		for i := range probesPerPolicy {
			k := g.probe(i)
			got, want := explained(p, k), judged(model{p, houseRoute}, k)
			seen[got.verdict]++
			if !agree(got, want) {
				t.Fatalf("policy %d: %v\n got %v\nwant %v", 2_000_000+seed, k, got, want)
			}
		}
	}
	t.Logf("%d policies x %d packets: %v", policies, probesPerPolicy, seen)
}
