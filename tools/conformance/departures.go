package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// departures are the statements whose words docs/departures.md contradicts. An entry
// names them in parentheses that hold nothing else: "(FW-33, FW-65)".
type departures map[string]bool

var contradicted = regexp.MustCompile(`\(([A-Z]+-[0-9]+(?:, [A-Z]+-[0-9]+)*)\)`)

func parseDepartures(src string) departures {
	d := departures{}
	for _, m := range contradicted.FindAllStringSubmatch(src, -1) {
		for id := range strings.SplitSeq(m[1], ", ") {
			d[id] = true
		}
	}
	return d
}

// unknown lists the ids of the page that no statement has.
func (d departures) unknown(s statements) []string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(d)) {
		if !s.ids[id] {
			out = append(out, "docs/departures.md: no statement "+id)
		}
	}
	return out
}

// wrongStars lists the claims of contradicted statements without an asterisk, and
// those with one that nothing contradicts.
func (d departures) wrongStars(c claims) []string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(c)) {
		for _, p := range c[id] {
			switch {
			case d[id] && !p.starred:
				out = append(out, fmt.Sprintf("%s: docs/departures.md contradicts %s: write %s*, and show what we do instead", p.at, id, id))
			case !d[id] && p.starred:
				out = append(out, fmt.Sprintf("%s: nothing in docs/departures.md contradicts %s: name it there, or leave out the asterisk", p.at, id))
			}
		}
	}
	return out
}
