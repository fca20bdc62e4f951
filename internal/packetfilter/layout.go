package packetfilter

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
)

// ruleText is a rule that can be written: each match is one line of it.
type ruleText struct {
	*Rule
	matches []string
}

// layout says where each rule stands. A packet between two zones that have rules of their
// own walks the chain of that pair, and the runs where they come in between; every other
// packet walks the runs alone.
type layout struct {
	pairs     []*pair
	runs      []*run
	unreached []*ruleText

	pairOf map[[2]string]*pair
	// The runs that can matter to a pair, ascending: those with a rule from any to any, from
	// its source to any, and from any to its destination.
	all      []int
	from, to map[string][]int
	// The zones of the pairs that got a rule since the last run began.
	sinceFrom, sinceTo map[string]bool
	jumps              int
}

// pair has the rules from one zone to another, and the jumps to the runs between them.
type pair struct {
	from, to string
	steps    []step
	seen     [3]int // how much of layout.all, from and to the steps have
}

// step is a rule, or a jump to a run.
type step struct {
	rule *ruleText
	run  int
}

// run has rules with any on a side that nothing which matters to them stands between. Input
// is whether one of them is about packets to the gateway.
type run struct {
	rules []*ruleText
	input bool
}

// pairName is the chain's name, by its zones and not by its place: a packet that is under
// way in the old rules while the table is replaced may already see where the new map leads,
// and must find the rules of its own pair there.
func pairName(from, to string) string {
	if isWord(from) && isWord(to) {
		return "pair_" + from + "." + to // no zone's name has a dot
	}
	sum := sha256.Sum256([]byte(from + "\x00" + to))
	return "pair_" + hex.EncodeToString(sum[:8])
}

func runName(i int) string { return "run_" + strconv.Itoa(i) }

// jumpsPerRule bounds what the layout may cost to load. Beyond it the rules stand in one
// run, which means the same and takes longer per packet.
const jumpsPerRule = 4

// arrange places rules that are in order.
func arrange(rules []*ruleText, zones map[string]zone) *layout {
	if overlap(zones) {
		return arrangeOneRun(rules, zones)
	}
	l := arrangePairs(rules, zones)
	if l == nil {
		l = arrangeOneRun(rules, zones)
	}
	l.addEmptyPairs(zones)
	return l
}

func arrangeOneRun(rules []*ruleText, zones map[string]zone) *layout {
	l := newLayout()
	for _, r := range rules {
		if reached(r, zones) {
			l.addToRun(r)
		} else {
			l.unreached = append(l.unreached, r)
		}
	}
	return l
}

func newLayout() *layout {
	return &layout{
		pairOf: map[[2]string]*pair{}, from: map[string][]int{}, to: map[string][]int{},
		sinceFrom: map[string]bool{}, sinceTo: map[string]bool{},
	}
}

// overlap is whether an interface is in two zones: no map could lead to both.
func overlap(zones map[string]zone) bool {
	seen := map[string]bool{}
	for _, z := range zones {
		for _, name := range z.interfaces {
			if seen[name] {
				return true
			}
			seen[name] = true
		}
	}
	return false
}

// arrangePairs is nil when it would take too many jumps.
func arrangePairs(rules []*ruleText, zones map[string]zone) *layout {
	l := newLayout()
	most := 64 + jumpsPerRule*len(rules)
	for _, r := range rules {
		switch {
		case !reached(r, zones):
			l.unreached = append(l.unreached, r)
		case r.From == Any || r.To == Any:
			l.addToRun(r)
			l.note(r)
		default:
			l.addToPair(r)
		}
		if l.jumps > most {
			return nil
		}
	}
	for _, p := range l.pairs {
		if l.catchUp(p); l.jumps > most {
			return nil
		}
	}
	return l
}

// reached is whether there can be a packet between the rule's zones.
func reached(r *ruleText, zones map[string]zone) bool {
	return (r.From == Any || len(zones[r.From].interfaces) > 0) && (r.To == Any || len(zones[r.To].interfaces) > 0)
}

func (l *layout) addToRun(r *ruleText) {
	if len(l.runs) == 0 || l.parted(r) {
		l.runs = append(l.runs, &run{})
		clear(l.sinceFrom)
		clear(l.sinceTo)
	}
	last := l.runs[len(l.runs)-1]
	last.rules = append(last.rules, r)
	last.input = last.input || r.To == Any
}

// parted is whether a rule cannot join the last run, because a pair that it matters to has
// had a rule since then, which must be asked before it.
func (l *layout) parted(r *ruleText) bool {
	switch {
	case r.From != Any:
		return l.sinceFrom[r.From]
	case r.To != Any:
		return l.sinceTo[r.To]
	default:
		return len(l.sinceFrom) > 0
	}
}

// note remembers which pairs the last run now matters to.
func (l *layout) note(r *ruleText) {
	last := len(l.runs) - 1
	switch {
	case r.From != Any:
		l.from[r.From] = appendNew(l.from[r.From], last)
	case r.To != Any:
		l.to[r.To] = appendNew(l.to[r.To], last)
	default:
		l.all = appendNew(l.all, last)
	}
}

func appendNew(list []int, n int) []int {
	if len(list) > 0 && list[len(list)-1] == n {
		return list
	}
	return append(list, n)
}

func (l *layout) addToPair(r *ruleText) {
	p := l.pair(r.From, r.To)
	l.catchUp(p)
	p.steps = append(p.steps, step{rule: r})
	l.sinceFrom[r.From], l.sinceTo[r.To] = true, true
}

func (l *layout) pair(from, to string) *pair {
	key := [2]string{from, to}
	p := l.pairOf[key]
	if p == nil {
		p = &pair{from: from, to: to}
		l.pairOf[key] = p
		l.pairs = append(l.pairs, p)
	}
	return p
}

// emptyPairs bounds the chains that are there without a rule.
const emptyPairs = 400

// addEmptyPairs gives every pair of zones a chain, so that the map of pairs changes with the
// zones alone. A packet that is under way in the old rules while those of its pair are
// removed would else not find them any more, and pass by them.
func (l *layout) addEmptyPairs(zones map[string]zone) {
	var inUse []string
	for name, z := range zones {
		if len(z.interfaces) > 0 {
			inUse = append(inUse, name)
		}
	}
	if len(inUse)*len(inUse) <= emptyPairs {
		for _, from := range inUse {
			for _, to := range inUse {
				l.pair(from, to)
			}
		}
	}
	slices.SortFunc(l.pairs, func(a, b *pair) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
}

// catchUp adds the jumps to the runs that matter to the pair and are not in it yet.
func (l *layout) catchUp(p *pair) {
	lists := [3][]int{l.all, l.from[p.from], l.to[p.to]}
	for {
		next := -1
		for i, list := range lists {
			if p.seen[i] < len(list) && (next < 0 || list[p.seen[i]] < next) {
				next = list[p.seen[i]]
			}
		}
		if next < 0 {
			return
		}
		for i, list := range lists {
			if p.seen[i] < len(list) && list[p.seen[i]] == next {
				p.seen[i]++
			}
		}
		p.steps = append(p.steps, step{run: next})
		l.jumps++
	}
}

// chains is the names of all chains but the base chains.
func (l *layout) chains() []string {
	names := make([]string, 0, len(l.runs)+len(l.pairs)+2)
	names = append(names, "forward_end", "unreached")
	for i := range l.runs {
		names = append(names, runName(i))
	}
	for _, p := range l.pairs {
		names = append(names, pairName(p.from, p.to))
	}
	return names
}
