package dhcp

import (
	"slices"

	"gateway/internal/apply"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

const (
	serverKind = "dhcp-server"
	subnetKind = "dhcp-subnet"
	poolKind   = "dhcp-pool"
)

// applyTime is how long a change may take: what the server does not run on before that is on its way.
const applyTime = `interval '10 seconds'`

// allSubnets gives all active subnets one state.
func allSubnets(subnets []servedSubnet, state problem.State) problem.States {
	out := problem.States{}
	for _, s := range subnets {
		out[s.ID] = state
		if !s.Active {
			out[s.ID] = problem.Chosen("disabled")
		}
	}
	return out
}

// judged is what the states of subnets are derived from.
type judged struct {
	unapplied apply.Unapplied
	status    Status
	running   []string                 // networks that the server serves
	full      map[string]problem.State // by the id of the subnet
	elsewhere map[string]problem.State // also
}

// subnets says in which state each subnet is.
func (j judged) subnets(all []servedSubnet) problem.States {
	out := problem.States{}
	for _, s := range all {
		if state, is := j.subnet(s); is {
			out[s.ID] = state
		}
	}
	return out
}

// applying reports whether the server will run on the subnet, where it is now, in a moment.
func (j judged) applying(s servedSubnet) bool {
	there := slices.Contains(j.running, s.Subnet) && j.listens(s.Interface)
	return s.New && !there && !j.unapplied.Has("", kea.Subject(s.Subnet))
}

func (j judged) listens(name string) bool {
	return slices.ContainsFunc(j.status.Interfaces, func(i InterfaceStatus) bool { return i.Interface == name && i.Listening })
}

// subnet is the state of one; there is none for one whose clients are served.
func (j judged) subnet(s servedSubnet) (state problem.State, is bool) {
	name := problem.Params{"name": fault.Named(kea.Subject(s.Subnet))}
	leftOut := j.unapplied.Has("", kea.Subject(s.Subnet))
	runs := slices.Contains(j.running, s.Subnet)
	switch {
	case j.unapplied.Has(s.ID, ""):
		return notApplied.Because("not_applied", name), true
	case !s.Active:
		return problem.Chosen("disabled"), true
	case j.applying(s):
		return applying.Because("unknown", name), true
	case !j.listens(s.Interface):
		return notListening.Because("down", problem.Params{"interface": s.Interface}), true
	case !runs || leftOut:
		return notApplied.Because("not_applied", name), true
	case j.status.Sockets != "ready":
		return socketsRetrying.Because("degraded", nil), true
	}
	if state, is = j.elsewhere[s.ID]; is {
		return state, is
	}
	state, is = j.full[s.ID]
	return state, is
}
