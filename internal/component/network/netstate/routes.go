package netstate

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/reconcile"
)

// routes adds before it removes. The kernel's own way to replace a route takes the first of
// its key, whoever made it, so it is never used.
func (p *planner) routes() {
	have := keyed(p.have.Routes)
	for _, w := range p.want.Routes {
		r, ok := p.route(w, have)
		if !ok {
			continue
		}
		i, there := have.first[r.Key()]
		switch {
		case !there || have.used[i]:
			// The kernel says what is wrong with a second one.
			p.steps = append(p.steps, Step{What: "route " + w.String(), Msg: rtnl.AddRoute(r), NoRecheck: true})
			continue
		case same(r, have.routes[i]):
			p.drop(have.more[r.Key()]) // what it was before
		default:
			p.change(w, r, have)
		}
		have.used[i] = true
	}
	for i, r := range have.routes {
		if !have.used[i] {
			p.drop([]rtnl.Route{r})
			p.drop(have.more[r.Key()])
		}
	}
}

// routesByKey are our routes. There is more than one of a key only after a kill.
type routesByKey struct {
	routes []rtnl.Route
	used   []bool
	first  map[rtnl.Key]int
	more   map[rtnl.Key][]rtnl.Route
}

func keyed(all []rtnl.Route) routesByKey {
	k := routesByKey{routes: make([]rtnl.Route, 0, len(all)), used: make([]bool, len(all)), first: make(map[rtnl.Key]int, len(all)), more: map[rtnl.Key][]rtnl.Route{}}
	for _, r := range all {
		key := r.Key()
		if _, there := k.first[key]; there {
			k.more[key] = append(k.more[key], r)
			continue
		}
		k.first[key] = len(k.routes)
		k.routes = append(k.routes, r)
	}
	return k
}

// link is the one of the route of a key; 0 for none.
func (k routesByKey) link(key rtnl.Key) int {
	if i, there := k.first[key]; there {
		return k.routes[i].Link
	}
	return 0
}

func (p *planner) drop(routes []rtnl.Route) {
	for _, r := range routes {
		p.steps = append(p.steps, Step{What: "route " + nameOf(r), Msg: rtnl.DelRoute(r), Expected: []error{unix.ESRCH}, NoRecheck: true})
	}
}

// change puts a route in the place of ours. IPv4 takes it behind the one that is there, which
// goes after the next look; IPv6 would send by both, so there the old one goes first.
func (p *planner) change(w Route, r rtnl.Route, have routesByKey) {
	key, what := r.Key(), "route "+w.String()
	old, more := have.routes[have.first[key]], have.more[key]
	switch {
	case slices.ContainsFunc(more, func(o rtnl.Route) bool { return same(r, o) }):
		p.drop([]rtnl.Route{old})
		p.drop(slices.DeleteFunc(more, func(o rtnl.Route) bool { return same(r, o) }))
	case r.Dst.Addr().Is6():
		p.drop(append(more, old))
		p.do(what, rtnl.AddRoute(r))
	case p.have.Foreign[key]:
		p.drop(append(more, old))
		p.trouble(Conflict, what, reconcile.OwnedByOther())
	default:
		p.steps = append(p.steps, Step{What: what, Msg: rtnl.AppendRoute(r), AllowsDuplicate: true})
	}
}

// route is a wanted one as the kernel takes it; have are those of ours that are there.
func (p *planner) route(w Route, have routesByKey) (r rtnl.Route, ok bool) {
	r = w.kernel()
	if w.Dev == "" {
		r.Link = p.reach.link(r, have)
		return r, true
	}
	l, there := p.byName[w.Dev]
	if !there {
		if above := p.wanted[w.Dev]; !above.Made() {
			p.trouble(Missing, "route "+w.String(), fault.Said("there is no interface %s on this node", w.Dev))
		}
		return r, false
	}
	r.Link = l.Index
	return r, true
}

// kernel is the route as the kernel has it, but for its link.
func (r Route) kernel() rtnl.Route {
	k := rtnl.Route{Protocol: rtnl.Protocol, Table: r.Table, Dst: r.Dst, Metric: r.Metric, Type: routeType(r.Type), Gateway: r.Gateway, Onlink: r.Onlink}
	if k.Metric == 0 && r.Dst.Addr().Is6() {
		k.Metric = rtnl.DefaultMetric6
	}
	return k
}

// Find is our route of the same key among the kernel's; is says whether it leads where it should.
// links are the numbers of interfaces by name.
func (r Route) Find(ours map[rtnl.Key]rtnl.Route, links map[string]int) (found rtnl.Route, there, is bool) {
	want := r.kernel()
	found, there = ours[want.Key()]
	want.Link = links[r.Dev]
	return found, there, there && same(want, found) && (r.Dev == "" || want.Link != 0)
}

// same compares what was said with what the kernel made of it: it fills in the link.
func same(want, have rtnl.Route) bool {
	if want.Link == 0 || want.Type != unix.RTN_UNICAST {
		want.Link = have.Link
	}
	return want == have
}

// reach are the networks that this node will be in, and the links that they are on. The kernel
// looks for a gateway's link when a route is added and never again.
type reach struct {
	links   map[within][]int
	lengths map[int]bool
	found   map[asked][]int // what was asked already: many routes have few gateways
}

type asked struct {
	table   uint32
	gateway netip.Addr
}

// within is a network in a routing table; 0 for what all tables may use.
type within struct {
	table   uint32
	network netip.Prefix
}

func (p *planner) networks() reach {
	n := reach{map[within][]int{}, map[int]bool{}, map[asked][]int{}}
	add := func(table uint32, network netip.Prefix, link int) {
		key := within{table, network.Masked()}
		if !slices.Contains(n.links[key], link) {
			n.links[key] = append(n.links[key], link)
			n.lengths[network.Bits()] = true
		}
	}
	for _, a := range p.want.Addresses {
		if l, there := p.byName[a.Link]; there {
			add(0, a.Prefix, l.Index)
		}
	}
	for _, a := range p.have.Addrs {
		if l := p.byName[p.byID[a.Link]]; a.Protocol != rtnl.Protocol && l.Up {
			add(0, a.Prefix, a.Link)
		}
	}
	for _, r := range p.want.Routes {
		if l, there := p.byName[r.Dev]; there && !r.Gateway.IsValid() {
			add(table(r.Table), r.Dst, l.Index)
		}
	}
	return n
}

// table is 0 for the main one, which every route's gateway is looked up in.
func table(n uint32) uint32 {
	if n == unix.RT_TABLE_MAIN {
		return 0
	}
	return n
}

// link is the one that a gateway will be on: in the smallest network, and where it is if more
// than one link is in that. It is 0 for nobody knows.
func (n reach) link(r rtnl.Route, have routesByKey) int {
	if !r.Gateway.IsValid() {
		return 0
	}
	at := asked{r.Table, r.Gateway}
	links, known := n.found[at]
	if !known {
		links = n.look(at)
		n.found[at] = links
	}
	switch len(links) {
	case 0:
		return 0
	case 1:
		return links[0]
	}
	if old := have.link(r.Key()); slices.Contains(links, old) {
		return old
	}
	return links[0]
}

func (n reach) look(at asked) (links []int) {
	longest := -1
	for bits := range n.lengths {
		p, err := at.gateway.Prefix(bits)
		if err != nil || bits <= longest {
			continue
		}
		if found := slices.Concat(n.links[within{0, p}], n.links[within{at.table, p}]); len(found) > 0 {
			longest, links = bits, found
		}
	}
	return links
}

func (r Route) String() string {
	return routeName(r.Dst.String(), TableName(r.Table), int64(r.Metric))
}

func (r RouteRow) String() string { return routeName(r.Destination, r.Table, r.Metric) }

// nameOf is what String of the wanted route would be.
func nameOf(r rtnl.Route) string {
	if r.Dst.Addr().Is6() && r.Metric == rtnl.DefaultMetric6 {
		r.Metric = 0
	}
	return routeName(r.Dst.String(), TableName(r.Table), int64(r.Metric))
}

// routeName tells a route from the others to the same destination, by what may differ then.
func routeName(destination, table string, metric int64) string {
	var of []string
	if table != TableName(unix.RT_TABLE_MAIN) {
		of = append(of, "table "+table)
	}
	if metric != 0 {
		of = append(of, fmt.Sprintf("metric %d", metric))
	}
	if len(of) == 0 {
		return destination
	}
	return destination + " (" + strings.Join(of, ", ") + ")"
}
