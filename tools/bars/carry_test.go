package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gateway/tools/bar"
)

// earlier are the areas that were there before carry.
var earlier = []string{"foundation", "web", "engine", "proxy", "firewall", "trust"}

// sameSpeed is how many times the earlier figure still counts as the same: two attempts of one run
// differ by about so much (proxy.2 on 10,000 had 1.248 and 1.402 in the page before).
const sameSpeed = 1.10

// number is one that a row's figure has, and that must not become worse. With two groups it is
// their difference.
type number struct {
	bar, name string
	in        *regexp.Regexp
	more      bool // is better
}

var numbers = []number{
	{"engine.8", "ms added", regexp.MustCompile(`^([0-9.]+) ms with us, ([0-9.]+) ms straight`), false},
	{"proxy.2", "10 pools", regexp.MustCompile(`^([0-9.]+) on 10 pools`), false},
	{"proxy.2", "10,000", regexp.MustCompile(`([0-9.]+) on 10,000`), false},
	{"proxy.2", "features", regexp.MustCompile(`([0-9.]+) with features`), false},
	{"proxy.4", "ms", regexp.MustCompile(`^([0-9.]+) ms from request to served`), false},
	{"proxy.4", "engine part 1/n", regexp.MustCompile(`= 1/([0-9]+)`), true},
	{"firewall.3", "throughput", regexp.MustCompile(`^([0-9.]+) of the throughput`), true},
	{"firewall.3", "first packet", regexp.MustCompile(`first packet ([0-9.]+) of`), false},
	{"firewall.3", "loading", regexp.MustCompile(`loading ([0-9.]+) of`), false},
	{"firewall.3", "poll", regexp.MustCompile(`a poll ([0-9.]+) of`), false},
	{"firewall.4", "ms", regexp.MustCompile(`^([0-9.]+) ms at the median`), false},
}

// of is the number in the row of a page.
func (n number) of(rows []row) (float64, error) {
	i := slices.IndexFunc(rows, func(r row) bool { return r.name() == n.bar && r.size == sizeCI })
	if i < 0 {
		return 0, fmt.Errorf("%s has no row", n.bar)
	}
	m := n.in.FindStringSubmatch(rows[i].Figure)
	if m == nil {
		return 0, fmt.Errorf("%s does not say %q", n.bar, n.name)
	}
	value, err := strconv.ParseFloat(m[1], 64)
	if err != nil || len(m) == 2 {
		return value, err
	}
	less, err := strconv.ParseFloat(m[2], 64)
	return value - less, err
}

// since is what became of the rows of one page in a later one.
type since struct {
	rows, ok int
	short    []string // rows that miss their target
	gone     []string // rows that there are fewer lines of
	old      []string // rows that were not measured since
	speed    []string // each number then and now
	slower   []string // those of them that are worse, or cannot be read
}

func compare(then, now []row) (s since) {
	for _, r := range now {
		if !slices.Contains(earlier, r.Area) {
			continue
		}
		s.rows++
		if r.OK {
			s.ok++
		} else {
			s.short = append(s.short, r.name())
		}
		if slices.ContainsFunc(then, func(o row) bool { return o.name() == r.name() && o.commit == r.commit }) {
			s.old = append(s.old, r.name())
		}
	}
	for _, r := range then {
		if lines(now, r.name()) < lines(then, r.name()) {
			s.gone = append(s.gone, r.name())
		}
	}
	for _, n := range numbers {
		s.faster(n, then, now)
	}
	return s
}

// lines is how many a row has.
func lines(rows []row, name string) (n int) {
	for _, r := range rows {
		if r.name() == name {
			n++
		}
	}
	return n
}

// faster compares one number.
func (s *since) faster(n number, then, now []row) {
	label := n.bar + " " + n.name
	was, err1 := n.of(then)
	is, err2 := n.of(now)
	if err1 != nil || err2 != nil {
		s.speed, s.slower = append(s.speed, label+" unreadable"), append(s.slower, label)
		return
	}
	times := is / was
	if n.more {
		times = was / is
	}
	s.speed = append(s.speed, fmt.Sprintf("%s %.4g (was %.4g)", label, is, was))
	if times > sameSpeed {
		s.slower = append(s.slower, fmt.Sprintf("%s %.2f times", label, times))
	}
}

// spoilt are copies of a page, each with one thing made worse, and whether what is found of it says so.
func spoilt(then []row) (pages [][]row, found []func(since) bool) {
	add := func(page []row, f func(since) bool) { pages, found = append(pages, page), append(found, f) }
	for _, n := range numbers {
		page := slices.Clone(then)
		i := slices.IndexFunc(page, func(r row) bool { return r.name() == n.bar })
		at := n.in.FindStringSubmatchIndex(page[i].Figure)
		value, _ := strconv.ParseFloat(page[i].Figure[at[2]:at[3]], 64) // the expression found digits
		worse := value * 2
		if n.more {
			worse = value / 2
		}
		page[i].Figure = page[i].Figure[:at[2]] + strconv.FormatFloat(worse, 'f', 3, 64) + page[i].Figure[at[3]:]
		add(page, func(s since) bool { return len(s.slower) == 1 && strings.HasPrefix(s.slower[0], n.bar+" "+n.name) })
	}
	worded := slices.Clone(then)
	i := slices.IndexFunc(worded, func(r row) bool { return r.name() == "firewall.4" })
	worded[i].Figure = "quick"
	add(worded, func(s since) bool { return slices.Equal(s.slower, []string{"firewall.4 ms"}) })

	first := slices.Clone(then)
	first[0].OK = false
	add(first, func(s since) bool { return slices.Contains(s.short, first[0].name()) })
	add(then[1:], func(s since) bool { return slices.Equal(s.gone, []string{then[0].name()}) })
	anew := slices.Clone(then)
	anew[0].commit = "another"
	add(anew, func(s since) bool { return !slices.Contains(s.old, anew[0].name()) && len(s.old) == s.rows-1 })
	return pages, found
}

// named lists rows, each once.
func named(all []string) string {
	all = slices.Compact(slices.Sorted(slices.Values(all)))
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}

// What area carry rebuilt must not have made the areas before it worse. The page is all that this
// looks at: a row that was last measured before then says nothing, and is counted as such.
func TestBarCarry08EarlierAreas(t *testing.T) {
	then := readPage(t, "testdata/before_carry.md")
	s := compare(then, readPage(t, "../../docs/measured.md"))
	if none := compare(then, then); len(none.slower) > 0 || len(none.gone) > 0 || len(none.old) != none.rows {
		t.Errorf("the page compared with itself: %+v", none)
	}
	pages, found := spoilt(then)
	control := 0
	for i, page := range pages {
		if found[i](compare(then, page)) {
			control++
		}
	}
	figure := fmt.Sprintf("%d of %d rows of %d earlier areas ok, short: %s; %d measured since, %d only before; gone: %s; slower: %s; %s; control: %d of %d spoilt pages found",
		s.ok, s.rows, len(earlier), named(s.short), s.rows-len(s.old), len(s.old), named(s.gone), named(s.slower), strings.Join(s.speed, ", "), control, len(pages))
	bar.Report(t, "carry", 8, figure, fmt.Sprintf("all ok and measured since, none gone, none slower than %.2f times, control all", sameSpeed),
		s.ok == s.rows && len(s.old) == 0 && len(s.gone) == 0 && len(s.slower) == 0 && control == len(pages))
}
