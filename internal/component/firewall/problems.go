package firewall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gateway/internal/db"
	"gateway/internal/problem"
	"gateway/internal/sys"
)

var (
	nameUnresolved = problem.Kind{
		Code: "firewall.name_unresolved", Severity: problem.Warning,
		Message: "The name {name} of address object {object} does not resolve: rules with it match nothing",
		Remedy:  "Correct the name, or check this node's resolver.",
	}
	nameStale = problem.Kind{
		Code: "firewall.name_stale", Severity: problem.Warning,
		Message: "The name {name} of address object {object} no longer resolves: rules use its addresses of {at}",
		Remedy:  "Correct the name, or check this node's resolver.",
	}
	interfaceMissing = problem.Kind{
		Code: "firewall.interface_missing", Severity: problem.Error,
		Message: "This node has no interface {interface}: rules of zone {zone} match nothing there",
		Remedy:  "Plug it in or create it, or correct its name under Network, Interfaces.",
	}
	interfaceDown = problem.Kind{
		Code: "firewall.interface_down", Severity: problem.Error,
		Message: "Interface {interface} of zone {zone} is switched off",
		Remedy:  "Switch it on in the network configuration of this node, or remove it under Network, Interfaces.",
	}
	noCarrier = problem.Kind{
		Code: "firewall.no_carrier", Severity: problem.Error,
		Message: "Interface {interface} of zone {zone} has no carrier",
		Remedy:  "Check the cable and the device at its other end, or remove the interface under Network, Interfaces.",
	}
)

func (f *firewall) problems() problem.Source {
	return problem.Source{
		Kinds:   []problem.Kind{nameUnresolved, nameStale, interfaceMissing, interfaceDown, noCarrier, assertionBroken, assertionUnverified},
		Objects: []string{"address_object", "assertion", "interface"},
		Find:    f.findProblems,
	}
}

// A name is looked up within lookUpEvery, and again after lookAgain; it is stale when that
// has failed more than once.
const (
	newName   = 2*lookUpEvery + lookTime
	staleName = lookAgain + newName
)

type lookedUp struct {
	ID, Name, Value string
	UpdatedAt       time.Time
	At              *time.Time
}

func (f *firewall) findProblems(ctx context.Context) (problem.Report, error) {
	r := problem.Report{States: map[string]problem.States{"address_object": {}, "assertion": {}, "interface": {}}}
	failed := errors.Join(f.judgeInterfaces(ctx, &r), f.judgeAssertions(ctx, &r)) // which hides nothing else
	names, err := db.List[lookedUp](ctx, f.DB, `select o.id, o.name, o.value, o.updated_at, max(r.resolved_at) as at
		from firewall_address_objects o left join firewall_resolved r on r.object_id = o.id
		where o.kind = 'fqdn' group by o.id, o.name, o.value, o.updated_at`)
	if err != nil {
		return r, errors.Join(failed, fmt.Errorf("list names of address objects: %w", err))
	}
	now := f.Now()
	for _, n := range names {
		params := problem.Params{"object": n.Name, "name": n.Value}
		k := nameUnresolved
		switch {
		case n.At == nil && now.Sub(n.UpdatedAt) > newName:
		case n.At != nil && now.Sub(*n.At) > staleName:
			k, params["at"] = nameStale, n.At.UTC()
		default:
			continue
		}
		r.Add(k.On(problem.Subject{Kind: "address_object", ID: n.ID, Name: n.Name}, "/objects?tab=addresses", params))
		r.States["address_object"][n.ID] = k.Because("unresolved", params)
	}
	return r, failed
}

// judgeInterfaces says which interfaces of zones do not carry packets. Those without a zone
// are only described.
func (f *firewall) judgeInterfaces(ctx context.Context, r *problem.Report) error {
	placed, err := db.List[struct{ ID, Name, Role, ZoneID string }](ctx, f.DB, `select i.id, i.name, i.role, z.id
		from network_interfaces i join firewall_zones z on z.name = i.role`)
	if err != nil {
		return fmt.Errorf("list interfaces of zones: %w", err)
	}
	if len(placed) == 0 || f.Host == nil {
		return nil
	}
	links, err := f.Host.Interfaces()
	if err != nil {
		return err
	}
	for _, p := range placed {
		k, state := judgeLink(links, p.Name)
		if state == "" {
			continue
		}
		params := problem.Params{"interface": p.Name, "zone": p.Role}
		r.Add(k.On(problem.Subject{Kind: "interface", ID: p.ID, Name: p.Name}, "/interfaces/"+p.ID, params).
			Affecting([]problem.Subject{{Kind: "zone", ID: p.ZoneID, Name: p.Role}}))
		r.States["interface"][p.ID] = k.Because(state, params)
	}
	return nil
}

// judgeLink is what keeps a link from carrying packets; an empty state where nothing does.
func judgeLink(links []sys.Interface, name string) (k problem.Kind, state string) {
	i := slices.IndexFunc(links, func(l sys.Interface) bool { return l.Name == name })
	if i < 0 {
		return interfaceMissing, "missing"
	}
	has := func(flag string) bool { return slices.Contains(links[i].Flags, flag) }
	switch {
	case !has("UP"):
		return interfaceDown, "down"
	case !has("LOWER_UP") && !has("RUNNING"):
		return noCarrier, "no_carrier"
	}
	return problem.Kind{}, ""
}
