package unbound

import (
	"slices"

	mdns "github.com/miekg/dns"

	"gateway/internal/daemon"
	"gateway/internal/fault"
)

const (
	// MaxSet bounds the records of one type at one name; unbound ignores what is beyond
	// 4096, and an answer has to fit into 64 KiB.
	MaxSet = 100
	// maxChain is how far an alias of an alias is followed.
	maxChain = 8
)

// arranger lays records out so that unbound serves what they mean. It answers a name
// from its own data without looking further, so an alias would be answered by its target's
// name alone, and most clients would find no address. Hence:
//
//   - an alias of a name of ours also gets that name's addresses, and
//   - an alias of any other name becomes a redirect, which unbound does follow.
type arranger struct {
	memo     *memo
	zones    map[string][]server
	local    map[string]string // local-zone types by name, added to
	groups   []group
	at       map[string]int // index into groups by owner
	problems []daemon.Problem
}

// group is all records of one name.
type group struct {
	owner   string
	entries []*built
}

// alias is the target of a name that is one, and else "".
func (g group) alias() string {
	if cname, ok := g.entries[0].rr.(*mdns.CNAME); ok {
		return cname.Target
	}
	return ""
}

// arrange returns the lines of the records, by owner, and says what it left out.
func arrange(rows []row, zones map[string][]server, m *memo, local map[string]string) ([]string, []daemon.Problem) {
	a := &arranger{memo: m, zones: zones, local: local}
	a.group(rows)
	var aliases bool
	for i := range a.groups {
		a.settle(&a.groups[i])
		aliases = aliases || len(a.groups[i].entries) > 0 && a.groups[i].alias() != ""
	}
	a.groups = slices.DeleteFunc(a.groups, func(g group) bool { return len(g.entries) == 0 })
	if aliases {
		a.index()
		a.followAll()
	}
	a.coverAll()
	lines := make([]string, 0, len(rows))
	for _, g := range a.groups {
		for _, e := range g.entries {
			lines = append(lines, e.line)
		}
	}
	return lines, a.problems
}

func (a *arranger) leaveOut(owner, typ string, why error) {
	a.problems = append(a.problems, daemon.Problem{Subject: typ + " record " + owner, Sentence: fault.SentenceOf(why)})
}

// group collects neighbours: rows come ordered by owner.
func (a *arranger) group(rows []row) {
	all := a.memo.buildAll(rows)
	a.groups = make([]group, 0, len(rows))
	for i, b := range all {
		if b.err != nil {
			a.leaveOut(rows[i].FQDN, rows[i].Type, b.err)
			continue
		}
		if n := len(a.groups); n > 0 && a.groups[n-1].owner == b.owner {
			a.groups[n-1].entries = append(a.groups[n-1].entries, b)
			continue
		}
		a.groups = append(a.groups, group{b.owner, all[i : i+1 : i+1]})
	}
}

// settle leaves out what the API refuses too, for rows that came past it.
func (a *arranger) settle(g *group) {
	_, apex := a.zones[g.owner]
	if len(g.entries) == 1 && !apex {
		return
	}
	seen := map[string]int{}
	g.entries = slices.DeleteFunc(slices.Clone(g.entries), func(e *built) bool {
		seen[e.typ]++
		var why error
		switch {
		case e.typ == "CNAME" && apex:
			why = errApexAlias
		case e.typ == "CNAME" && len(g.entries) > 1:
			why = errSharedAlias
		case seen[e.typ] > MaxSet:
			why = errManyRecords
		}
		if why != nil {
			a.leaveOut(e.owner, e.typ, why)
		}
		return why != nil
	})
}

var (
	errApexAlias   = fault.Say("the name of a zone cannot be an alias")
	errSharedAlias = fault.Say("an alias must be the only record of its name")
	errManyRecords = fault.Say("the name has too many records of this type")
)

func (a *arranger) index() {
	a.at = make(map[string]int, len(a.groups))
	for i, g := range a.groups {
		a.at[g.owner] = i
	}
}

// followAll works on the records as they were stored: what one alias gains must not look
// like a record of its own to the next.
func (a *arranger) followAll() {
	stored := slices.Clone(a.groups)
	for i, g := range stored {
		if g.alias() == "" {
			continue
		}
		end, target := a.follow(stored, g)
		switch {
		case end >= 0:
			a.groups[i].entries = append(a.addresses(g, stored[end]), g.entries...)
		case target != "":
			a.local[g.owner] = "redirect"
			a.groups[i].entries = a.copies(g.owner, []row{{g.owner, "CNAME", target, int32(g.entries[0].ttl)}})
		}
	}
}

// follow finds the name of ours at the end of a chain, or the name elsewhere; neither for a loop.
func (a *arranger) follow(stored []group, g group) (end int, elsewhere string) {
	target := g.alias()
	for range maxChain {
		next, ours := a.at[target]
		if !ours {
			return -1, target
		}
		if stored[next].alias() == "" {
			return next, ""
		}
		target = stored[next].alias()
	}
	return -1, ""
}

// addresses are those of the target under the alias's name, kept no longer than the alias itself.
func (a *arranger) addresses(g, target group) []*built {
	var rows []row
	for _, e := range target.entries {
		if e.typ == "A" || e.typ == "AAAA" {
			rows = append(rows, row{g.owner, e.typ, fileValue(e.rr), int32(min(e.ttl, g.entries[0].ttl))})
		}
	}
	return a.copies(g.owner, rows)
}

func (a *arranger) copies(owner string, rows []row) []*built {
	return slices.DeleteFunc(a.memo.buildSome(rows), func(b *built) bool {
		if b.err != nil {
			a.leaveOut(owner, "copied", b.err)
		}
		return b.err != nil
	})
}

// coverAll gives a name a zone of its own where it is in none, and where it is below a
// redirect, which may have no other records below it.
func (a *arranger) coverAll() {
	for _, g := range a.groups {
		if _, own := a.local[g.owner]; !own && !a.covered(g.owner) {
			a.local[g.owner] = "transparent"
		}
	}
}

func (a *arranger) covered(owner string) bool {
	for up := parent(owner); up != ""; up = parent(up) {
		if _, zone := a.zones[up]; zone {
			return true
		}
		if a.local[up] == "redirect" {
			return false
		}
	}
	return false
}
