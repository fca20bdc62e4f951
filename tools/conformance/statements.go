package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// area is one heading of the page: "## Setup (SETUP)".
type area struct {
	name string
	ids  []string
}

type statements struct {
	areas []area
	ids   map[string]bool
}

var (
	heading = regexp.MustCompile(`^## (.+) \([A-Z]+\)$`)
	idCell  = regexp.MustCompile(`^\| ([A-Z]+-[0-9]+) \|`)
)

func parseStatements(src string) (statements, error) {
	s := statements{ids: map[string]bool{}}
	for line := range strings.Lines(src) {
		if m := heading.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			s.areas = append(s.areas, area{name: m[1]})
		}
		m := idCell.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if len(s.areas) == 0 || s.ids[m[1]] {
			return s, fmt.Errorf("statement %s stands before any heading, or twice", m[1])
		}
		s.ids[m[1]] = true
		last := &s.areas[len(s.areas)-1]
		last.ids = append(last.ids, m[1])
	}
	return s, nil
}

// write prints a line per area and answers how many statements are shown.
func (s statements) write(w io.Writer, c claims) int {
	total := 0
	for _, a := range s.areas {
		var missing []string
		for _, id := range a.ids {
			if !c.shown(id) {
				missing = append(missing, id)
			}
		}
		shown := len(a.ids) - len(missing)
		total += shown
		fmt.Fprintf(w, "%-30s %3d of %3d", a.name, shown, len(a.ids))
		if len(missing) > 0 {
			fmt.Fprintf(w, "  missing %s", compact(missing))
		}
		fmt.Fprintln(w)
	}
	return total
}

func (s statements) writeWhere(w io.Writer, c claims) {
	for _, a := range s.areas {
		for _, id := range a.ids {
			if len(c[id]) > 0 {
				fmt.Fprintf(w, "%s  %s\n", id, joined(c[id], " "))
			}
		}
	}
}

// unknown lists the claims of statements that do not exist.
func (s statements) unknown(c claims) []string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(c)) {
		if !s.ids[id] {
			out = append(out, fmt.Sprintf("%s: no statement %s", joined(c[id], ", "), id))
		}
	}
	return out
}

// standIns names the statements that only stand-ins show, and how many there are.
func (s statements) standIns(c claims) (names string, n int) {
	var parts []string
	for _, a := range s.areas {
		ids := slices.DeleteFunc(slices.Clone(a.ids), func(id string) bool { return !c.stoodIn(id) })
		if n += len(ids); len(ids) > 0 {
			parts = append(parts, compact(ids))
		}
	}
	return strings.Join(parts, ", "), n
}

func joined(places []place, by string) string {
	var out []string
	for _, p := range places {
		out = append(out, p.String())
	}
	return strings.Join(out, by)
}

// compact joins neighbours: FW-01, FW-02, FW-03, FW-07 become FW-01..03 07.
func compact(ids []string) string {
	var b strings.Builder
	for i := 0; i < len(ids); {
		end := i
		for end+1 < len(ids) && number(ids[end+1]) == number(ids[end])+1 {
			end++
		}
		if i == 0 {
			b.WriteString(ids[i])
		} else {
			b.WriteString(" " + digits(ids[i]))
		}
		if end > i {
			b.WriteString(".." + digits(ids[end]))
		}
		i = end + 1
	}
	return b.String()
}

func digits(id string) string {
	_, d, _ := strings.Cut(id, "-")
	return d
}

func number(id string) int {
	n := 0
	for _, c := range digits(id) {
		n = n*10 + int(c-'0')
	}
	return n
}
