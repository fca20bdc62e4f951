package netstate

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gateway/internal/rtnl"
	"gateway/lab"
)

var (
	linkLine    = regexp.MustCompile(`^\d+: ([^:@ ]+)[^ ]*: <([^>]*)> `)
	addressLine = regexp.MustCompile(`^\d+: (\S+)\s+inet6? (\S+) `)
)

// differs holds the kernel, as iproute2 reads it, against the configuration: what is missing,
// and what is left over.
func differs(c Config, lines []string) string {
	for _, l := range c.Links {
		if l.MTU != 0 && !slices.ContainsFunc(lines, func(s string) bool {
			m := linkLine.FindStringSubmatch(s)
			return m != nil && m[1] == l.Name && strings.Contains(s, fmt.Sprintf(" mtu %d ", l.MTU))
		}) {
			return "MTU of " + l.Name
		}
	}
	want, have := wantedFacts(c), facts(lines)
	var out []string
	for _, s := range without(want, have) {
		out = append(out, "no "+s)
	}
	for _, s := range without(have, want) {
		out = append(out, "left over: "+s)
	}
	return strings.Join(out, "; ")
}

// without are the texts of all that are not in some, or not as often.
func without(all, some []string) (out []string) {
	n := map[string]int{}
	for _, s := range some {
		n[s]++
	}
	for _, s := range all {
		if n[s]--; n[s] < 0 {
			out = append(out, s)
		}
	}
	return out
}

// facts are what iproute2 says of links that somebody made, of members, of addresses and of
// routes of ours, each as one text. Strangers are left out, and what the kernel adds by itself.
func facts(lines []string) (out []string) {
	for _, l := range lines {
		link, addr := linkLine.FindStringSubmatch(l), addressLine.FindStringSubmatch(l)
		switch {
		case link != nil && link[1] != "hand0":
			out = append(out, linkFacts(l, link[1], link[2])...)
		case link != nil || byHand(l):
		case addr != nil && addr[1] != "lo" && !strings.HasPrefix(addr[2], "fe80:"):
			out = append(out, fmt.Sprintf("address %s on %s", addr[2], addr[1]))
		case addr == nil && strings.Contains(l+" ", " proto 250 "):
			out = append(out, routeFact(strings.Fields(l)))
		}
	}
	return out
}

// wordAfter is the word behind another one.
func wordAfter(words []string, key string) string {
	if i := slices.Index(words, key); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

func linkFacts(line, name, flags string) (out []string) {
	words := strings.Fields(line)
	if m := wordAfter(words, "master"); m != "" {
		out = append(out, fmt.Sprintf("%s in %s", name, m))
	}
	for part := range strings.SplitSeq(line, `\`) {
		kind, _, _ := strings.Cut(strings.TrimSpace(part), " ")
		if kind == Bridge || kind == VLAN || kind == Bond {
			l := Link{Name: name, Kind: kind, STP: wordAfter(words, "stp_state") == "1"}
			_, l.Alias, _ = strings.Cut(line, " alias ")
			l.Alias = strings.TrimSpace(l.Alias)
			readKind(&l, strings.Fields(part), words[1])
			out = append(out, linkFact(l, wordAfter(words, "group"), slices.Contains(strings.Split(flags, ","), "UP")))
		}
	}
	return out
}

// readKind adds what only VLANs and bonds have; title is "vlan7@eth0:".
func readKind(l *Link, words []string, title string) {
	switch l.Kind {
	case VLAN:
		l.VLANID, _ = strconv.Atoi(wordAfter(words, "id"))
		_, l.Parent, _ = strings.Cut(strings.TrimSuffix(title, ":"), "@")
	case Bond:
		l.Mode, l.Hash, l.Primary = wordAfter(words, "mode"), wordAfter(words, "xmit_hash_policy"), wordAfter(words, "primary")
		l.Miimon, _ = strconv.Atoi(wordAfter(words, "miimon"))
		if l.Mode == Modes[modeLACP] {
			l.LACPRate = wordAfter(words, "lacp_rate")
		}
	}
}

func linkFact(l Link, group string, up bool) string {
	s := fmt.Sprintf("%s %s stp %v alias %q group %s up %v", l.Kind, l.Name, l.STP, l.Alias, group, up)
	switch l.Kind {
	case VLAN:
		s += fmt.Sprintf(" id %d on %s", l.VLANID, l.Parent)
	case Bond:
		s += fmt.Sprintf(" mode %s miimon %d hash %s rate %q primary %q", l.Mode, l.Miimon, l.Hash, l.LACPRate, l.Primary)
	}
	return s
}

// asMade is a link with what it gets where the configuration leaves it out.
func asMade(l Link) Link {
	l.Alias = alias(l)
	if l.Kind == Bond {
		l.Mode, l.Hash, l.Miimon = cmp.Or(l.Mode, DefaultMode), cmp.Or(l.Hash, Hashes[0]), cmp.Or(l.Miimon, DefaultMiimon)
	}
	if l.Mode == Modes[modeLACP] {
		l.LACPRate = cmp.Or(l.LACPRate, LACPRates[0])
	}
	return l
}

// routeFact reads a line of a route. A type stands before its destination.
func routeFact(words []string) string {
	r := Route{}
	if slices.Contains(RouteTypes, words[0]) {
		r.Type, words = words[0], words[1:]
	}
	dst := words[0]
	via := wordAfter(words, "via")
	switch six := slices.Contains(words, "pref"); { // which iproute2 says of IPv6 only
	case dst == "default" && six:
		dst = "::/0"
	case dst == "default":
		dst = "0.0.0.0/0"
	case !strings.Contains(dst, "/"):
		dst = netip.PrefixFrom(netip.MustParseAddr(dst), netip.MustParseAddr(dst).BitLen()).String()
	}
	table, dev := wordAfter(words, "table"), wordAfter(words, "dev")
	if table == "" {
		table = fmt.Sprint(unix.RT_TABLE_MAIN)
	}
	if r.Type != "" {
		dev = "" // of IPv6 it is lo
	}
	metric := wordAfter(words, "metric")
	if metric == "" {
		metric = "0"
	}
	return fmt.Sprintf("route %s %s via %s dev %s table %s metric %s", r.Type, dst, via, dev, table, metric)
}

// wantedFacts are the facts that a configuration is to come to.
func wantedFacts(c Config) (out []string) {
	for _, l := range c.Links {
		if !l.Made() {
			continue
		}
		out = append(out, linkFact(asMade(l), fmt.Sprint(rtnl.Group), true))
		for _, m := range l.Members {
			out = append(out, fmt.Sprintf("%s in %s", m, l.Name))
		}
	}
	for _, a := range c.Addresses {
		out = append(out, fmt.Sprintf("address %s on %s", a.Prefix, a.Link))
	}
	for _, r := range c.Routes {
		via := ""
		if r.Gateway.IsValid() {
			via = r.Gateway.String()
		}
		out = append(out, fmt.Sprintf("route %s %s via %s dev %s table %d metric %d", r.Type, r.Dst, via, wayOut(c, r), r.Table, metric(r)))
	}
	return out
}

// metric is the one that the kernel has for a route.
func metric(r Route) uint32 {
	if r.Metric == 0 && r.Dst.Addr().Is6() {
		return rtnl.DefaultMetric6
	}
	return r.Metric
}

// wayOut is the link that a route leads to: its own, or the one in whose network its gateway is.
func wayOut(c Config, r Route) string {
	if r.Dev != "" || !r.Gateway.IsValid() {
		return r.Dev
	}
	for _, a := range c.Addresses {
		if a.Prefix.Contains(r.Gateway) {
			return a.Link
		}
	}
	return ""
}

// mistakes are what an apply could leave behind or get wrong, and how it is mended: lines of ip.
var mistakes = []struct{ name, plant, mend string }{
	{"an address", "addr add 10.3.0.9/24 dev p2", "addr del 10.3.0.9/24 dev p2"},
	{"an address of IPv6", "-6 addr add fd00:3::9/64 dev p2 nodad", "-6 addr del fd00:3::9/64 dev p2"},
	{"the same address elsewhere", "addr add 10.1.0.1/24 dev p2", "addr del 10.1.0.1/24 dev p2"},
	{"a port in a bridge", "link set p2 master br0", "link set p2 nomaster"},
	{"a port in a stranger's bridge", "link set p2 master hand0", "link set p2 nomaster"},
	{"a bridge", "link add br7 type bridge", "link del br7"},
	{"a route more", "route add 172.21.0.0/16 via 10.1.0.3 proto 250", "route del 172.21.0.0/16"},
	{
		"a route in another table", "route del 172.20.0.0/16; route add 172.20.0.0/16 via 10.1.0.3 table 100 proto 250",
		"route del 172.20.0.0/16 table 100; route add 172.20.0.0/16 via 10.1.0.3 proto 250",
	},
	{
		"a route with a metric", "route del 172.20.0.0/16; route add 172.20.0.0/16 via 10.1.0.3 metric 50 proto 250",
		"route del 172.20.0.0/16; route add 172.20.0.0/16 via 10.1.0.3 proto 250",
	},
	{
		"a route by another link", "route del 172.20.0.0/16; route add 172.20.0.0/16 via 10.1.0.3 dev p2 onlink proto 250",
		"route del 172.20.0.0/16; route add 172.20.0.0/16 via 10.1.0.3 proto 250",
	},
}

// controlReader shows that differs notices what is planted, and nothing when that is gone. The
// kernel has nothing of ours before.
func controlReader(t *testing.T, space *lab.Space, n *network) {
	t.Helper()
	act := func(lines string) { run(t, space, strings.Split(lines, "; ")...) }
	for _, m := range mistakes[:2] { // beside nothing at all
		act(m.plant)
		if differs(Config{}, seen(t, space)) == "" {
			t.Errorf("%s beside nothing was not noticed", m.name)
		}
		act(m.mend)
	}
	c := Config{
		Links:     []Link{{Name: "br0", Kind: Bridge, Members: []string{"p1"}}},
		Addresses: []Address{{"br0", prefix("10.1.0.1/24")}},
		Routes:    []Route{{Dst: prefix("172.20.0.0/16"), Gateway: address("10.1.0.3"), Table: unix.RT_TABLE_MAIN}},
	}
	n.become(t, Config{}, c)
	for _, m := range mistakes {
		act(m.plant)
		if differs(c, seen(t, space)) == "" {
			t.Errorf("%s was not noticed", m.name)
		}
		act(m.mend)
		if why := differs(c, seen(t, space)); why != "" {
			t.Errorf("%s was mended, and still: %s", m.name, why)
		}
	}
	n.become(t, c, Config{})
}
