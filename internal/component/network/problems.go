package network

import (
	"context"
	"fmt"
	"strings"

	"gateway/internal/apply"
	"gateway/internal/component/network/netstate"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

var (
	missing = problem.Kind{
		Code: "network.missing", Severity: problem.Error,
		Message: "{what} is not applied: {why}",
		Remedy:  "Plug the interface in or correct its name; it is applied as soon as the interface appears.",
	}
	conflict = problem.Kind{
		Code: "network.conflict", Severity: problem.Warning,
		Message: "{what} conflicts with another program: {why}",
		Remedy:  "Remove it from the other program's configuration, or from this one.",
	}
	refused = problem.Kind{
		Code: "network.refused", Severity: problem.Error,
		Message: "{what} is refused by the kernel: {why}",
		Remedy:  "Correct it under Network.",
	}
	notApplied = problem.Kind{
		Code: "network.not_applied", Severity: problem.Error,
		Message: "{what} is saved but not applied: this node runs without this change",
		Remedy:  "See why under System, Configuration. Correct the change, or revert it in the history.",
	}
	absent = problem.Kind{
		Code: "network.absent", Severity: problem.Error,
		Message: "{what} is not in the kernel",
		Remedy:  "It is put back automatically; if it does not return, see the log (journalctl -u gateway-apply).",
	}
	replaced = problem.Kind{
		Code: "network.replaced", Severity: problem.Error,
		Message: "{what} leads elsewhere in the kernel",
		Remedy:  "It is put back automatically; if it does not return, see the log (journalctl -u gateway-apply).",
	}
	applying = problem.Kind{
		Code: "network.applying", Severity: problem.Info,
		Message: "{what} is being applied",
		Remedy:  "Wait some seconds.",
	}
	duplicate = problem.Kind{
		Code: "network.duplicate", Severity: problem.Error,
		Message: "{what} is not used: another device of the network has it",
		Remedy:  "Give one of the two another address.",
	}
	linkDown = problem.Kind{
		Code: "network.link_down", Severity: problem.Error,
		Message: "The interface {interface} is down",
		Remedy:  "Switch it on in the network configuration of this node; one with an address is switched on automatically.",
	}
	noCarrier = problem.Kind{
		Code: "network.no_carrier", Severity: problem.Error,
		Message: "The interface {interface} has no carrier",
		Remedy:  "Check the cable and the device at its other end.",
	}
	memberDown = problem.Kind{
		Code: "network.member_down", Severity: problem.Warning,
		Message: "Members of the bond {interface} do not work: {members}",
		Remedy:  "Check their cables and the switch.",
	}
	memberSettings = problem.Kind{
		Code: "network.member_settings", Severity: problem.Warning,
		Message: "The interface {interface} is a member of {of}: a zone, addresses, routes and uplinks of its own have no effect",
		Remedy:  "Set them for {of} instead, or take {interface} out of it.",
	}
)

// The kinds of objects.
const (
	linkKind    = "network_interface"
	addressKind = "ip_address"
	routeKind   = "route"
)

func (h *handlers) problems() problem.Source {
	return problem.Source{
		Kinds:   []problem.Kind{missing, conflict, refused, notApplied, absent, replaced, applying, duplicate, linkDown, noCarrier, memberDown, memberSettings},
		Objects: []string{linkKind, addressKind, routeKind},
		Find:    h.findProblems,
	}
}

// findProblems asks gateway-apply what is wanted and not there, and the kernel what there is.
// That an interface of a zone carries no packets is package firewall's to tell.
func (h *handlers) findProblems(ctx context.Context) (problem.Report, error) {
	var r problem.Report
	var wrong []netstate.Trouble
	if err := apply.AskSoon(ctx, h.Applier, netstate.Name, netstate.StatusVerb, nil, &wrong); err != nil {
		return r, err
	}
	links, err := db.List[storedLink](ctx, h.DB, `select id::text, name, type, members, updated_at > now() - `+applyTime+` from network_interfaces order by name`)
	if err != nil {
		return r, fmt.Errorf("list interfaces: %w", err)
	}
	ids := map[string]string{}
	for _, l := range links {
		ids[l.Name] = l.ID
	}
	tell(&r, wrong, ids)
	if err := h.burdenedMembers(ctx, &r, ids); err != nil {
		return r, err
	}
	err = h.judge(ctx, &r, links, wrong)
	return r, err
}

// burdenedMembers tells of members that have something of their own: their packets come in at the bridge or the bond. That is
// refused where a member is added, but not where a zone or a route comes later, which a revert or an import may bring.
func (h *handlers) burdenedMembers(ctx context.Context, r *problem.Report, ids map[string]string) error {
	all, err := db.List[struct{ Name, Of string }](ctx, h.DB, `select m.name, i.name from network_interfaces i, unnest(i.members) m(name)
		where exists (select from network_interfaces o where o.name = m.name and o.role is not null)
			or exists (select from network_addresses a join network_interfaces o on o.id = a.interface_id where o.name = m.name)
			or exists (select from network_routes where dev = m.name and active)
			or exists (select from uplink_uplinks where interface = m.name)
		order by 1, 2`)
	if err != nil {
		return fmt.Errorf("look for members with settings of their own: %w", err)
	}
	for _, m := range all {
		subject, page := subjectOf("interface "+m.Name, ids)
		r.Add(memberSettings.On(subject, page, problem.Params{"interface": m.Name, "of": m.Of}))
	}
	return nil
}

// tell adds what is wrong, each cause once: an interface that is missing may be so for itself and
// as a member of another one, and takes the routes with it that leave by it.
func tell(r *problem.Report, wrong []netstate.Trouble, ids map[string]string) {
	told := map[string]bool{}
	for _, t := range wrong {
		told[t.Subject] = false
	}
	affected := map[string][]problem.Subject{}
	for _, t := range wrong {
		link := "interface " + leavesBy(t)
		if _, cause := told[link]; cause {
			subject, _ := subjectOf(t.Subject, ids)
			affected[link] = append(affected[link], subject)
			told[t.Subject] = true
		}
	}
	for _, t := range wrong {
		if told[t.Subject] {
			continue
		}
		told[t.Subject] = true
		subject, page := subjectOf(t.Subject, ids)
		r.Add(kindOf(t).On(subject, page, paramsOf(t)).Affecting(affected[t.Subject]))
	}
}

// leavesBy is the interface that a route is missing for.
func leavesBy(t netstate.Trouble) string {
	if t.Kind == netstate.Missing && strings.HasPrefix(t.Subject, "route ") && len(t.Why.Params) == 1 {
		return t.Why.Params[0]
	}
	return ""
}

func kindOf(t netstate.Trouble) problem.Kind {
	return map[string]problem.Kind{netstate.Missing: missing, netstate.Conflict: conflict, netstate.Refused: refused}[t.Kind]
}

func paramsOf(t netstate.Trouble) problem.Params {
	return problem.Params{"what": fault.Named(t.Subject), "why": t.Why}
}

// subjectOf is what an item of the kernel is to the operator, and the page that has it.
func subjectOf(what string, ids map[string]string) (problem.Subject, string) {
	words := strings.Fields(what)
	if words[0] == "route" {
		return problem.Subject{Kind: "route", ID: what, Name: words[1]}, "/routes"
	}
	name := words[len(words)-1] // "address 192.0.2.1/24 on eth0"
	if words[0] == "interface" {
		name = strings.TrimSuffix(words[1], ":") // "interface bond0: primary"
	}
	id, known := ids[name]
	switch {
	case !known:
		return problem.Subject{Kind: "interface", ID: what, Name: name}, "/interfaces"
	case words[0] == "address":
		return problem.Subject{Kind: "interface", ID: what, Name: name}, "/interfaces/" + id + "?tab=addresses"
	case len(words) == 2:
		return problem.Subject{Kind: "interface", ID: id, Name: name}, "/interfaces/" + id
	}
	return problem.Subject{Kind: "interface", ID: what, Name: name}, "/interfaces/" + id
}
