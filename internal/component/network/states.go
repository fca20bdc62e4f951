package network

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"gateway/internal/apply"
	"gateway/internal/component/network/netstate"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/problem"
	"gateway/internal/rtnl"
)

// applyTime is how long a change may take: what is not in the kernel before that is on its way.
const applyTime = `interval '10 seconds'`

type (
	storedLink struct {
		ID, Name, Type string
		Members        []string
		New            bool // it was changed just now
	}
	storedAddress struct {
		ID, LinkID, Link, Address string
		Prefix                    int
		New                       bool
	}
	storedRoute struct {
		ID     string
		Active bool
		netstate.RouteRow
		New bool
	}
)

// judged is what states are derived from.
type judged struct {
	unapplied apply.Unapplied
	wrong     map[string]netstate.Trouble // by subject, the first of each
	links     map[string]rtnl.Link        // of the kernel, by name
	numbers   map[string]int              // of links, by name
	names     map[int]string              // of links, by number
	addresses map[string]map[netip.Prefix]rtnl.Addr
	routes    map[rtnl.Key]rtnl.Route // ours
	states    map[string]problem.States
	report    *problem.Report
}

// judge says in which state each stored interface, address and route is.
func (h *handlers) judge(ctx context.Context, r *problem.Report, links []storedLink, wrong []netstate.Trouble) error {
	addresses, err := db.List[storedAddress](ctx, h.DB, `select a.id::text, i.id::text, i.name, a.address, a.prefix, a.updated_at > now() - `+applyTime+`
		from network_addresses a join network_interfaces i on i.id = a.interface_id order by i.name, a.address`)
	if err != nil {
		return fmt.Errorf("list addresses: %w", err)
	}
	routes, err := h.storedRoutes(ctx)
	if err != nil {
		return err
	}
	j := judged{report: r, wrong: map[string]netstate.Trouble{}, states: map[string]problem.States{linkKind: {}, addressKind: {}, routeKind: {}}}
	j.unapplied, err = apply.ReadUnapplied(ctx, h.DB, h.Applier, netstate.Name, map[string][]string{
		"network_interfaces": {"id"}, "network_addresses": {"id"}, "network_routes": {"id"},
	})
	if err != nil {
		return err
	}
	for _, t := range wrong {
		subject, _, _ := strings.Cut(t.Subject, ": ") // "interface bond0: primary"
		if _, known := j.wrong[subject]; !known {
			j.wrong[subject] = t
		}
	}
	if err := j.look(h.Open, len(routes) > 0); err != nil {
		return err
	}
	byName := map[string]problem.State{}
	for _, l := range links {
		if state, is := j.link(l); is {
			j.states[linkKind][l.ID], byName[l.Name] = state, state
		}
	}
	for _, a := range addresses {
		if state, is := j.address(a, byName[a.Link]); is {
			j.states[addressKind][a.ID] = state
		}
	}
	for _, one := range routes {
		if state, is := j.route(one); is {
			j.states[routeKind][one.ID] = state
		}
	}
	r.States = j.states
	return nil
}

func (h *handlers) storedRoutes(ctx context.Context) (all []storedRoute, err error) {
	rows, err := h.DB.Query(ctx, `select id::text, active, destination, type, gateway, dev, coalesce(metric, 0), table_name, onlink, updated_at > now() - `+applyTime+`
		from network_routes order by table_name, destination, metric`)
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var r storedRoute
		if err := rows.Scan(&r.ID, &r.Active, &r.Destination, &r.Type, &r.Gateway, &r.Dev, &r.Metric, &r.Table, &r.Onlink, &r.New); err != nil {
			return nil, fmt.Errorf("read a route: %w", err)
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// look reads what the kernel has.
func (j *judged) look(open func() (*rtnl.Conn, error), withRoutes bool) error {
	conn, err := open()
	if err != nil {
		return err
	}
	defer conn.Close()
	links, err := conn.Links()
	if err != nil {
		return fmt.Errorf("list links: %w", err)
	}
	addrs, err := conn.Addrs()
	if err != nil {
		return fmt.Errorf("list addresses: %w", err)
	}
	var routes []rtnl.Route
	if withRoutes {
		if routes, err = conn.Routes(rtnl.Protocol); err != nil {
			return fmt.Errorf("list routes: %w", err)
		}
	}
	j.links, j.numbers, j.names = map[string]rtnl.Link{}, map[string]int{}, map[int]string{}
	j.addresses, j.routes = map[string]map[netip.Prefix]rtnl.Addr{}, make(map[rtnl.Key]rtnl.Route, len(routes))
	for _, l := range links {
		j.links[l.Name], j.numbers[l.Name], j.names[l.Index] = l, l.Index, l.Name
		j.addresses[l.Name] = map[netip.Prefix]rtnl.Addr{}
	}
	for _, a := range addrs {
		if on, known := j.addresses[j.names[a.Link]]; known {
			on[a.Prefix] = a
		}
	}
	for _, r := range routes {
		j.routes[r.Key()] = r
	}
	return nil
}

// said is the state of something that gateway-apply could not bring into the kernel.
func (j *judged) said(subject string) (problem.State, bool) {
	t, is := j.wrong[subject]
	if !is {
		return problem.State{}, false
	}
	return kindOf(t).Because("not_applied", paramsOf(t)), true
}

// gone is the state of something that is not in the kernel, for a reason that nobody knows.
func (j *judged) gone(kind problem.Kind, subject problem.Subject, what, link string, isNew bool) problem.State {
	params := problem.Params{"what": fault.Named(what)}
	if isNew {
		return applying.Because("unknown", params)
	}
	j.report.Add(kind.On(subject, link, params))
	return kind.Because("not_applied", params)
}

// link is the state of an interface; there is none for one that carries packets.
func (j *judged) link(s storedLink) (state problem.State, is bool) {
	what := "interface " + s.Name
	params := problem.Params{"interface": s.Name}
	l, there := j.links[s.Name]
	said, isSaid := j.said(what)
	switch {
	case j.unapplied.Has(s.ID, what):
		return notApplied.Because("not_applied", problem.Params{"what": fault.Named(what)}), true
	case !there && isSaid:
		said.State = "missing"
		return said, true
	case isSaid:
		return said, true
	case !there:
		state = j.gone(absent, problem.Subject{Kind: "interface", ID: s.ID, Name: s.Name}, what, "/interfaces/"+s.ID, s.New)
		if state.State == "not_applied" {
			state.State = "missing"
		}
		return state, true
	case !l.Up:
		return linkDown.Because("down", params), true
	case !l.Carrier:
		return noCarrier.Because("no_carrier", params), true
	}
	return j.bond(s)
}

// bond is the state of an interface by its parts: a bridge may have ports that nobody uses, but
// each member of a bond is there to be used.
func (j *judged) bond(s storedLink) (state problem.State, is bool) {
	if s.Type != netstate.Bond {
		return state, false
	}
	broken := slices.DeleteFunc(slices.Clone(s.Members), func(name string) bool { l := j.links[name]; return l.Up && l.Carrier })
	if len(broken) == 0 {
		return state, false
	}
	return memberDown.Because("degraded", problem.Params{"interface": s.Name, "members": strings.Join(broken, ", ")}), true
}

// address is the state of an address; above is that of its interface. There is none for one that
// this node answers at.
func (j *judged) address(s storedAddress, above problem.State) (state problem.State, is bool) {
	text := fmt.Sprintf("%s/%d", s.Address, s.Prefix)
	what := fmt.Sprintf("address %s on %s", text, s.Link)
	if j.unapplied.Has(s.ID, fmt.Sprintf("address %s of %s", s.Address, s.Link)) {
		return notApplied.Because("not_applied", problem.Params{"what": fault.Named(what)}), true
	}
	var have rtnl.Addr
	prefix, err := netstate.ParseAddress(s.Address, s.Prefix)
	there := err == nil
	if there {
		have, there = j.addresses[s.Link][prefix]
	}
	said, isSaid := j.said(what)
	subject, page := problem.Subject{Kind: addressKind, ID: s.ID, Name: text}, "/interfaces/"+s.LinkID+"?tab=addresses"
	switch {
	case isSaid && there: // another program has set it, or the kernel refuses a change
		said.State = "degraded"
		return said, true
	case isSaid:
		return said, true
	case above.State == "missing", above.State == "down":
		return above, true
	case !there:
		return j.gone(absent, subject, what, page, s.New), true
	case have.Flags&unix.IFA_F_DADFAILED != 0:
		params := problem.Params{"what": fault.Named(what)}
		j.report.Add(duplicate.On(subject, page, params))
		return duplicate.Because("down", params), true
	case above.State == "no_carrier":
		return above, true
	}
	return state, false
}

// route is the state of a route; there is none for one that the kernel follows.
func (j *judged) route(s storedRoute) (state problem.State, is bool) {
	stored := "route " + s.String()
	if j.unapplied.Has(s.ID, stored) {
		return notApplied.Because("not_applied", problem.Params{"what": fault.Named(stored)}), true
	}
	if !s.Active {
		return problem.Chosen("disabled"), true
	}
	want, err := s.Parse()
	if err != nil { // which the rendering leaves out
		return notApplied.Because("not_applied", problem.Params{"what": fault.Named(stored)}), true
	}
	what := "route " + want.String()
	found, there, same := want.Find(j.routes, j.numbers)
	if !same {
		if said, isSaid := j.said(what); isSaid {
			return said, true
		}
		kind := absent
		if there {
			kind = replaced
		}
		return j.gone(kind, problem.Subject{Kind: routeKind, ID: s.ID, Name: s.Destination}, what, "/routes", s.New), true
	}
	if l, leaves := j.links[j.names[found.Link]]; leaves && found.Type == unix.RTN_UNICAST && !l.Carrier {
		return noCarrier.Because("no_carrier", problem.Params{"interface": l.Name}), true
	}
	return state, false
}
