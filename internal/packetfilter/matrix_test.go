package packetfilter

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// said is a cell as a test writes it down: "some tcp/80 | why".
func (c Cell) said() string {
	text := string(c.Reach)
	switch {
	case c.Empty != "":
		return text + " " + c.Empty
	case c.Reach == ReachSome && len(c.Except) > 0 && len(c.Except) < len(c.Services):
		text += " but " + strings.Join(c.Except, " ")
	case c.Reach == ReachSome:
		text += " " + strings.Join(c.Services, " ")
	}
	if c.Narrow {
		text += " narrow"
	}
	return text
}

func (c Cell) reasons() string {
	var list []string
	for _, r := range c.By {
		list = append(list, r.Kind+r.ID+":"+string(r.Action))
	}
	return strings.Join(list, " ")
}

// cellOf is one cell of a matrix.
func cellOf(t *testing.T, cells []Cell, from, to string) Cell {
	t.Helper()
	i := slices.IndexFunc(cells, func(c Cell) bool { return c.From == from && c.To == to })
	if i < 0 {
		t.Fatalf("there is no cell from %s to %s", from, to)
	}
	return cells[i]
}

func TestMatrixOfAnOffice(t *testing.T) {
	cells := Matrix(office(), officeRoutes())
	for _, tc := range []struct{ name, from, to, want, by string }{
		{"all but what a rule before it rejects", "lan", "wan", "some but tcp/25", "rulea2:reject rulea3:accept"},
		{"what port forwards lead to, unless a rule drops it", "wan", "dmz", "some tcp/80 tcp/7000-7010 narrow", "rulea1:drop translatedc1:accept translatedc2:accept"},
		{"nothing without a rule", "dmz", "lan", "none", ""},
		{"a ping", "lan", "dmz", "some icmp/8", "rulea5:accept"},
		{"the gateway has its management and its openings", "wan", Gateway, "some tcp/22 tcp/443 tcp/3443 tcp/5432 tcp/6379 tcp/8443 udp/53 udp/443 narrow", "peer:accept lockout:accept rulea1:drop opening:accept"},
		{"a zone without an interface sends nothing", "empty", "wan", "none no_interface", ""},
		{"and gets nothing", "lan", "empty", "none no_interface", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := cellOf(t, cells, tc.from, tc.to)
			if got := c.said(); got != tc.want {
				t.Errorf("%s to %s: %s, want %s", tc.from, tc.to, got, tc.want)
			}
			if got := c.reasons(); got != tc.by {
				t.Errorf("%s to %s: decided by %s, want %s", tc.from, tc.to, got, tc.by)
			}
		})
	}
}

func TestMatrixSaysAllOnlyWhenEverythingPasses(t *testing.T) {
	for _, tc := range []struct {
		name  string
		rules []Rule
		want  string
	}{
		{"one rule for all", []Rule{{ID: "a1", From: "a", To: "b", Action: Accept}}, "all"},
		{"two halves of the addresses", []Rule{
			{ID: "a1", From: "a", To: "b", Source: some("0.0.0.0/1", "::/1"), Action: Accept},
			{ID: "a2", From: "a", To: "b", Source: some("128.0.0.0/1", "8000::/1"), Action: Accept},
		}, "all"},
		{"one family", []Rule{{ID: "a1", From: "a", To: "b", Source: some("0.0.0.0/0"), Action: Accept}}, "some but icmpv6 narrow"},
		{"one service", []Rule{{ID: "a1", From: "a", To: "b", Services: ports(TCP, 443), Action: Accept}}, "some tcp/443"},
		{"one service of one host", []Rule{{ID: "a1", From: "a", To: "b", Destination: some("10.0.0.1"), Services: ports(TCP, 443), Action: Accept}}, "some tcp/443 narrow"},
		{"all that a rule before it drops", []Rule{
			{ID: "a1", Priority: 1, From: "a", To: Any, Services: ports(TCP, 443), Action: Drop},
			{ID: "a2", Priority: 2, From: "a", To: "b", Services: ports(TCP, 443), Action: Accept},
		}, "none"},
		{"a rule to the other zone", []Rule{{ID: "a1", From: "b", To: "a", Action: Accept}}, "none"},
		{"a rule that cannot be used", []Rule{{ID: "a1", From: "a", To: "b", Broken: "no such service", Action: Accept}}, "none"},
		{"a rule for all zones", []Rule{{ID: "a1", From: Any, To: Any, Action: Accept}}, "all"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := &Policy{Zones: map[string][]string{"a": {"a0"}, "b": {"b0"}}, Rules: tc.rules}
			if got := cellOf(t, Matrix(p, nil), "a", "b").said(); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

func TestMatrixWithoutARoute(t *testing.T) {
	p := &Policy{Zones: map[string][]string{"a": {"a0"}, "b": {"b0"}}, Rules: []Rule{{ID: "a1", From: Any, To: Any, Action: Accept}}}
	routes := Routes{{Network: prefix("0.0.0.0/0"), Out: "a0"}}
	if got := cellOf(t, Matrix(p, routes), "a", "b").said(); got != "none no_route" {
		t.Errorf("%s, want none no_route", got)
	}
}

// A cell that would take too long is unknown, never a guess.
func TestMatrixGivesUpInTheEnd(t *testing.T) {
	m := newMatrix(&Policy{}, nil)
	all := match{}.region(true)
	m.work = work{regions: maxRegions}
	if _, _, err := m.divide(all, slices.Values([]located{{region: all}})); err == nil {
		t.Error("it was decided beyond the bound")
	}
	if got := (&tally{unknown: true}).cell("a", "b", true).Reach; got != ReachUnknown {
		t.Errorf("reach %s, want unknown", got)
	}
}

func TestServicesAreWorded(t *testing.T) {
	all := everyFlows
	for _, tc := range []struct {
		name  string
		flows []Span[flow]
		want  string
	}{
		{"everything", all, "tcp udp sctp icmp icmpv6 gre esp ah other"},
		{"a port", flowsOf(ports(TCP, 443), true), "tcp/443"},
		{"two ports that touch", flowsOf(ports(TCP, 443, 444), true), "tcp/443-444"},
		{"a message", flowsOf([]Service{icmp(8)}, true), "icmp/8"},
		{"all but one port", without(all, flowsOf(ports(TCP, 25), true)), "tcp/0-24 tcp/26-65535 udp sctp icmp icmpv6 gre esp ah other"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := strings.Join(serviceNames(tc.flows, all), " "); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

func BenchmarkMatrix(b *testing.B) {
	for _, n := range []int{5_000, 10_000} {
		p := manyRules(n, 20)
		for i := range p.Rules { // every tenth rule is about any zone
			if i%10 == 0 {
				p.Rules[i].From = Any
			}
			if i%10 == 5 {
				p.Rules[i].To = Any
			}
		}
		p.Lockout.Management = 3443
		b.Run(fmt.Sprint(n, " rules, 20 zones"), func(b *testing.B) {
			for b.Loop() {
				Matrix(p, nil)
			}
		})
	}
}
