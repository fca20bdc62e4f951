package packetfilter

import "slices"

// Text is a policy in nft's language. Rules and Elements together are one batch that turns
// any earlier state of the table into this one, apart from removing what neither names.
type Text struct {
	Rules []byte
	// Elements fills the named sets and changes without Rules when only members do.
	Elements []byte
	Problems []Problem
}

// compiler collects what the parts of a policy become.
type compiler struct {
	policy   *Policy
	zones    map[string]zone
	sets     map[string]bool            // those that a rule names
	choices  [len(families)][]*ruleText // which choose a group of uplinks, by family
	problems []Problem
	out      []byte
}

// Compile writes a policy as nft commands. What cannot be written exactly is left out as a
// whole and named in Problems; no text of a person gets into the result.
func Compile(p *Policy) Text { return compile(p).text(p) }

// compile writes all but the elements.
func compile(p *Policy) *compiler {
	c := &compiler{policy: p, sets: map[string]bool{}}
	c.readZones()
	rules, nat := c.readRules(), c.readNAT()
	l := arrange(rules, c.zones)
	c.readChoices(rules)
	c.out = make([]byte, 0, 4096+400*len(rules)+300*len(nat))
	c.declare(rules, nat, l)
	c.writeInput(l)
	c.writeForward(l)
	c.writeOperatorRules(l)
	c.writeNAT(nat)
	c.writeUplinks()
	c.writePairs(l)
	return c
}

// text is that of a policy with the same rules.
func (c *compiler) text(p *Policy) Text {
	filled := &compiler{policy: p, sets: c.sets, problems: slices.Clone(c.problems)}
	elements := filled.elements()
	return Text{Rules: c.out, Elements: elements, Problems: filled.problems}
}

// skip notes that something is not in the text.
func (c *compiler) skip(id, subject, message string) {
	c.problems = append(c.problems, Problem{ID: id, Subject: subject, Message: message})
}

// command appends one line.
func (c *compiler) command(parts ...string) {
	for _, p := range parts {
		c.out = append(c.out, p...)
	}
	c.out = append(c.out, '\n')
}

// rule appends a line that adds a rule to a chain.
func (c *compiler) rule(chain string, parts ...string) {
	c.out = append(c.out, "add rule inet gateway "...)
	c.out = append(c.out, chain...)
	c.out = append(c.out, ' ')
	c.command(parts...)
}

// readRules is the rules that can be written, in the order in which they are asked.
func (c *compiler) readRules() []*ruleText {
	sorted := make([]*Rule, len(c.policy.Rules))
	for i := range c.policy.Rules {
		sorted[i] = &c.policy.Rules[i]
	}
	inOrder(sorted, func(r *Rule) (int, string) { return r.Priority, r.ID })
	rules := make([]*ruleText, 0, len(sorted))
	for _, r := range sorted {
		matches, problem := c.matches(r)
		if problem != "" {
			c.skip(r.ID, "rule "+r.Name, problem)
			continue
		}
		c.useSets(r)
		rules = append(rules, &ruleText{Rule: r, matches: matches})
	}
	return rules
}

func (c *compiler) useSets(r *Rule) {
	for _, set := range []string{r.Source.Set, r.Destination.Set} {
		if set != "" {
			c.sets[set] = true
		}
	}
}

// declare adds all that has a name, and empties what is filled below. Counters are only
// added: one that exists keeps what it counted.
func (c *compiler) declare(rules []*ruleText, nat []*natText, l *layout) {
	c.command("add table inet gateway")
	c.command("add counter inet gateway drop_input")
	c.command("add counter inet gateway drop_forward")
	for _, r := range rules {
		c.command("add counter inet gateway r_", r.ID)
	}
	for _, n := range nat {
		c.command("add counter inet gateway n_", n.ID)
	}
	for _, set := range c.setNames() {
		c.command("add set inet gateway ", set.name, " { type ", set.kind, "; }")
	}
	c.command("add map inet gateway pairs { type ifname . ifname : verdict; }")
	c.command("add chain inet gateway input { type filter hook input priority filter; policy drop; }")
	c.command("add chain inet gateway forward { type filter hook forward priority filter; policy drop; }")
	c.command("add chain inet gateway prerouting { type nat hook prerouting priority dstnat; policy accept; }")
	c.command("add chain inet gateway postrouting { type nat hook postrouting priority srcnat; policy accept; }")
	chains := l.chains()
	for i, name := range c.uplinkChains() {
		hook := ""
		if i == 0 { // after DNAT, whose rules say where the packet is going
			hook = " { type filter hook prerouting priority dstnat + 5; policy accept; }"
		}
		c.command("add chain inet gateway ", name, hook)
	}
	for _, name := range chains {
		c.command("add chain inet gateway ", name)
	}
	c.command("flush map inet gateway pairs")
	for _, name := range slices.Concat([]string{"input", "forward", "prerouting", "postrouting"}, c.uplinkChains(), chains) {
		c.command("flush chain inet gateway ", name)
	}
}

// writeOperatorRules fills the chains of the pairs and the runs.
func (c *compiler) writeOperatorRules(l *layout) {
	for i, run := range l.runs {
		for _, r := range run.rules {
			c.operatorRule(runName(i), r, true)
		}
	}
	for _, p := range l.pairs {
		c.writePair(p)
	}
	for _, r := range l.unreached {
		c.operatorRule("unreached", r, false)
	}
}

// writePair fills the chain of a pair. One without rules stays empty: what comes there goes
// back to where the runs are asked.
func (c *compiler) writePair(p *pair) {
	name := pairName(p.from, p.to)
	for _, s := range p.steps {
		if s.rule != nil {
			c.operatorRule(name, s.rule, false)
		} else {
			c.rule(name, "jump ", runName(s.run))
		}
	}
	if len(p.steps) > 0 {
		c.rule(name, "goto forward_end")
	}
}

// operatorRule writes the lines of one rule: they share its counter, and a packet that one
// of them takes does not come to the next.
func (c *compiler) operatorRule(chain string, r *ruleText, zones bool) {
	in, out := "", ""
	if zones {
		in, out = c.zones[r.From].in, c.zones[r.To].out
	}
	log := ""
	if r.Log {
		log = ` log prefix "gateway:` + r.ID + `" group 0`
	}
	for _, match := range r.matches {
		c.rule(chain, in, out, match, "counter name r_", r.ID, log, verdict(r.Action), ` comment "gid:`, r.ID, `"`)
	}
}

func verdict(a Action) string {
	switch a {
	case Accept:
		return " accept"
	case Reject:
		return " reject with icmpx port-unreachable"
	default:
		return " drop"
	}
}

// writePairs fills the map that leads from two interfaces to the rules between their zones.
// It jumps: a chain that is new is empty for a packet that is under way in the old rules,
// which then goes on with them.
func (c *compiler) writePairs(l *layout) {
	if len(l.pairs) == 0 {
		return
	}
	c.command("add element inet gateway pairs {")
	for _, p := range l.pairs {
		name := pairName(p.from, p.to)
		for _, in := range c.zones[p.from].interfaces {
			for _, out := range c.zones[p.to].interfaces {
				c.command(`"`, in, `" . "`, out, `" : jump `, name, ",")
			}
		}
	}
	c.command("}")
}
