package packetfilter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gateway/tools/bar"
)

const probesPerPolicy = 200

// TestKernelAgreesWithModel is the short form of TestBarFirewall01Semantics, which the gate runs too.
func TestKernelAgreesWithModel(t *testing.T) {
	h := newHouse(t)
	for seed := range uint64(bar.GateSize(3, 20, 20)) {
		for _, d := range h.disagreements(t, newGenerator(1_000_000+seed), nil) {
			t.Errorf("policy %d: %s", 1_000_000+seed, d)
		}
		if t.Failed() {
			return
		}
	}
}

// shows FW-57, NAT-02
func TestBarFirewall01Semantics(t *testing.T) {
	bar.NotShort(t)
	h := newHouse(t)
	policies := bar.GateSize(80, 200, 5000)
	var bad int
	for seed := range uint64(policies) {
		found := h.disagreements(t, newGenerator(seed), nil)
		if bad += len(found); len(found) > 0 {
			t.Logf("policy %d: %s", seed, found[0])
		}
	}
	// A comparison that finds nothing is only believed when it finds what is there.
	var control int
	for seed := range uint64(20) {
		control += len(h.disagreements(t, newGenerator(seed), invertOne))
	}
	figure := fmt.Sprintf("%d policies x %d packets, %d disagreements of kernel, model and explanation; control: one rule inverted shows %d", policies, probesPerPolicy, bad, control)
	bar.Report(t, "firewall", 1, figure, "0 disagreements; control shows some", bad == 0 && control > 0)
	h.mustHaveSeen(t, "invalid", "neighbour", "peer", "lockout", "opening", "tunnel", "translated", "default", "rule", "dnat", "snat", "uplinks")
}

// mustHaveSeen fails the test when no probe came to one of the places in README.md's order.
func (h *house) mustHaveSeen(t *testing.T, places ...string) {
	t.Helper()
	t.Logf("decided by: %v", h.decided)
	for _, place := range places {
		if h.decided[place] == 0 {
			t.Errorf("no probe was decided by %q", place)
		}
	}
}

// note counts where the model says a probe was decided and translated.
func (h *house) note(k probe, o outcome) {
	place, _, _ := strings.Cut(o.by, " ")
	h.decided[place]++
	if o.verdict == Accept && o.group != "" && o.out != houseInterfaces[0] {
		h.decided["uplinks"]++
	}
	if o.verdict == Accept && o.target != k.target {
		h.decided["dnat"]++
	}
	if o.verdict == Accept && o.source != k.source {
		h.decided["snat"]++
	}
}

// invertOne turns the first rule that is asked into its opposite.
func invertOne(p *Policy) {
	for i := range p.Rules {
		if p.Rules[i].Broken == "" && p.Rules[i].Source.Any() && p.Rules[i].Destination.Any() {
			p.Rules[i].Action = map[Action]Action{Accept: Drop, Drop: Accept, Reject: Accept}[p.Rules[i].Action]
			return
		}
	}
}

// disagreements loads a random policy and compares what becomes of packets with the model.
// The kernel gets the policy that change, unless it is nil, has made another one.
func (h *house) disagreements(t *testing.T, g generator, change func(*Policy)) []string {
	t.Helper()
	p := g.policy()
	m := model{p, houseRoute}
	loaded := *p
	if change != nil {
		loaded.Rules = slices.Clone(p.Rules)
		change(&loaded)
	}
	text := Compile(&loaded)
	if _, err := h.Nft(t.Context(), nil, "delete", "table", "inet", "gateway"); err != nil && !strings.Contains(err.Error(), "No such file") {
		t.Fatal(err)
	}
	h.mustLoad(t, text)
	var bad []string
	for i := range probesPerPolicy {
		k := g.probe(i)
		if i%4 > 0 {
			k = g.aimed(m, i)
		}
		if k.sourcePort == 0 || i == 0 {
			// What has no port cannot be told from an earlier one, and would be a packet of
			// a known connection.
			if err := h.Forget(); err != nil {
				t.Fatal(err)
			}
		}
		if d := h.compare(t, m, k); d != "" {
			bad = append(bad, d)
		}
	}
	return bad
}

// compare sends a probe and is empty when kernel, model and explanation agree.
func (h *house) compare(t *testing.T, m model, k probe) string {
	t.Helper()
	out, rose, err := h.send(k)
	if err != nil {
		t.Fatal(err)
	}
	want := m.judge(k)
	h.note(k, want)
	got := observed(out, &rose)
	if got.local {
		// What is for the gateway is not seen again: what it was translated to shows in who
		// took it.
		got.source, got.target, got.port, got.sourcePorts = want.source, want.target, want.port, want.sourcePorts
	}
	got.counters, got.by = rose, want.by
	if e := explained(m.Policy, k); !agree(e, judged(m, k)) {
		return fmt.Sprintf("%v\n explained %v\n want %v", k, e, want)
	}
	if same(got, want) {
		return ""
	}
	return fmt.Sprintf("%v\n got %v\nwant %v", k, got, want)
}

// observed is the outcome that the packets and counters show.
func observed(out []seen, rose *[]string) outcome {
	if i := slices.Index(*rose, "passed"); i >= 0 {
		*rose = slices.Delete(*rose, i, i+1)
		return outcome{verdict: Accept, local: true}
	}
	if len(out) == 0 {
		return outcome{verdict: Drop}
	}
	if out[0].rejects {
		return outcome{verdict: Reject}
	}
	s := out[0]
	return outcome{verdict: Accept, out: s.out, source: s.source, target: s.target, port: s.port, sourcePorts: [2]uint16{s.sourcePort, s.sourcePort}}
}

// same is whether an observed outcome is the expected one. Of what was dropped or rejected
// only that and the counters can be seen.
func same(got, want outcome) bool {
	if got.verdict != want.verdict || !slices.Equal(got.counters, want.counters) {
		return false
	}
	if want.verdict != Accept {
		return true
	}
	port := want.sourcePorts[0] <= got.sourcePorts[0] && got.sourcePorts[0] <= want.sourcePorts[1]
	return got.local == want.local && got.out == want.out && got.source == want.source && got.target == want.target && got.port == want.port && port
}
