package firewall

import (
	"context"
	"fmt"
	"time"

	"gateway/internal/db"
	"gateway/internal/problem"
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
)

func (f *firewall) problems() problem.Source {
	return problem.Source{
		Kinds:   []problem.Kind{nameUnresolved, nameStale},
		Objects: []string{"address_object"},
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
	r := problem.Report{States: map[string]problem.States{"address_object": {}}}
	names, err := db.List[lookedUp](ctx, f.DB, `select o.id, o.name, o.value, o.updated_at, max(r.resolved_at) as at
		from firewall_address_objects o left join firewall_resolved r on r.object_id = o.id
		where o.kind = 'fqdn' group by o.id, o.name, o.value, o.updated_at`)
	if err != nil {
		return r, fmt.Errorf("list names of address objects: %w", err)
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
	return r, nil
}
