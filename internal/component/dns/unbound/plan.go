package unbound

import (
	"bytes"
	"slices"
	"strings"

	"gateway/internal/component/dns/control"
	"gateway/internal/daemon"
)

const (
	// Beyond this many lines one reload is gentler: unbound serves nobody while it reads.
	maxLines = 1000
	// unbound never gives back what a record took that came and went over its control
	// socket, a few hundred bytes each; a reload does.
	maxPushed = 50_000
)

// content is our file, taken apart.
type content struct {
	settings string
	zones    string
	records  []byte // lines, by owner
	good     bool   // it is laid out as we do it
}

func split(r daemon.Rendering) content {
	head, records, found := bytes.Cut(r.File(Path), []byte(recordsBelow))
	settings, zones, first := strings.Cut(string(head), zonesBelow)
	// An installed file ends with its hash.
	if last := lineStart(records, len(records)-1); last >= 0 && bytes.HasPrefix(records[last:], []byte("# ")) {
		records = records[:last]
	}
	return content{settings: settings, zones: zones, records: records, good: found && first}
}

// step is one name whose records differ.
type step struct {
	owner   string
	was, is []string
}

// steps finds the names that differ in two lists of lines. It is false when they are not
// what it takes them for: lines of records, by owner.
func steps(was, is []byte) ([]step, bool) {
	was, is = trimCommon(was, is)
	a, ok := lines(was)
	b, fine := lines(is)
	if !ok || !fine {
		return nil, false
	}
	var out []step
	for len(a) > 0 || len(b) > 0 {
		owner := first(a)
		if o := first(b); owner == "" || o != "" && o < owner {
			owner = o
		}
		s := step{owner: owner}
		s.was, a = take(a, owner)
		s.is, b = take(b, owner)
		if !slices.Equal(s.was, s.is) {
			out = append(out, s)
		}
	}
	return out, true
}

// lines takes a list apart, and sees that it is in order.
func lines(list []byte) ([]string, bool) {
	var out []string
	last := ""
	for line := range bytes.Lines(list) {
		text := strings.TrimSuffix(string(line), "\n")
		owner, ok := lineOwner(text)
		if !ok || owner < last {
			return nil, false
		}
		out, last = append(out, text), owner
	}
	return out, true
}

func first(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	owner, _ := lineOwner(lines[0])
	return owner
}

// take cuts the owner's lines off.
func take(lines []string, owner string) (its, rest []string) {
	n := 0
	for n < len(lines) && first(lines[n:]) == owner {
		n++
	}
	return lines[:n], lines[n:]
}

// plan is what unbound is told, in this order, so that a name that keeps records is
// answered at every moment in between.
type plan struct {
	add     []string // records that are new
	remove  []string // records that are gone, of names that stay
	names   []string // names that are gone
	replace []string // records to add again, after their former selves are removed
	lines   int
}

// newPlan says whether telling is enough: some changes cannot be told without a moment in
// which the name has no answer, or two where there may be one.
func newPlan(all []step) (plan, bool) {
	var p plan
	for _, s := range all {
		if len(s.is) == 0 {
			p.names = append(p.names, s.owner)
			continue
		}
		was, ok := entries(s.was)
		is, fine := entries(s.is)
		if !ok || !fine || !p.change(was, is) {
			return plan{}, false
		}
	}
	p.lines = len(p.add) + len(p.remove) + len(p.names) + len(p.replace)
	for _, texts := range [][]string{p.add, p.remove, p.replace} {
		if slices.ContainsFunc(texts, func(s string) bool { return len(s) > control.MaxLine }) {
			return plan{}, false
		}
	}
	return p, p.lines <= maxLines
}

func entries(lines []string) ([]entry, bool) {
	out := make([]entry, len(lines))
	for i, l := range lines {
		var ok bool
		if out[i], ok = parseLine(l); !ok {
			return nil, false
		}
	}
	return out, true
}

// change adds the steps for one name.
func (p *plan) change(was, is []entry) bool {
	added, removed := without(is, was), without(was, is)
	if len(was) > 0 && slices.ContainsFunc(append(added, removed...), func(e entry) bool { return e.typ == "CNAME" }) {
		return false
	}
	var replaced []entry
	for _, e := range added {
		if slices.ContainsFunc(removed, e.same) {
			replaced = append(replaced, e)
		} else {
			p.add = append(p.add, e.text)
		}
	}
	stay := without(is, replaced)
	for _, e := range replaced {
		if !slices.ContainsFunc(stay, func(s entry) bool { return s.typ == e.typ }) {
			return false
		}
		p.replace = append(p.replace, e.text)
	}
	for _, e := range removed {
		p.remove = append(p.remove, e.text)
	}
	return true
}

// same is true for what unbound takes for the same record: it compares all but the time to live.
func (e entry) same(other entry) bool {
	return e.typ == other.typ && fileValue(e.rr) == fileValue(other.rr)
}

func without(list, others []entry) []entry {
	return slices.DeleteFunc(slices.Clone(list), func(e entry) bool {
		return slices.ContainsFunc(others, func(o entry) bool { return o.text == e.text })
	})
}
