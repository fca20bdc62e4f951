package dhcp

import (
	"context"
	"fmt"

	"gateway/internal/component/dhcp/kea"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

var (
	notAnswering = problem.Kind{
		Code: "dhcp.not_answering", Severity: problem.Error,
		Message: "The DHCP server does not answer",
		Remedy:  "Its log says why (journalctl -u kea-dhcp4-server); switch it off and on under DHCP, Settings.",
	}
	socketsRetrying = problem.Kind{
		Code: "dhcp.sockets_retrying", Severity: problem.Warning,
		Message: "The DHCP server cannot listen on all of its interfaces",
		Remedy:  "An interface is down or has no IPv4 address: check its cable and its addresses under Interfaces.",
	}
	notListening = problem.Kind{
		Code: "dhcp.not_listening", Severity: problem.Error,
		Message: "Clients at {interface} get no addresses: the server does not listen there",
		Remedy:  "Check that the interface exists and is in a zone other than wan.",
	}
	notApplied = problem.Kind{
		Code: "dhcp.not_applied", Severity: problem.Error,
		Message: "{name} is saved but not applied: the DHCP server runs without this change",
		Remedy:  "See why under System, Configuration. Correct the change, or revert it in the history.",
	}
	applying = problem.Kind{
		Code: "dhcp.applying", Severity: problem.Info,
		Message: "{name} is being applied",
		Remedy:  "Wait some seconds.",
	}
	poolFull = problem.Kind{
		Code: "dhcp.pool_full", Severity: problem.Warning,
		Message: "The pool {pool} has {free} of {size} addresses left",
		Remedy:  "Make the pool larger or the lease time shorter.",
	}
)

// serverSubject is the service as the list of services names it.
var serverSubject = problem.Subject{Kind: "service", ID: kea.Name, Name: "DHCP server"}

func (h *handlers) problems() problem.Source {
	return problem.Source{
		Kinds:   []problem.Kind{notAnswering, socketsRetrying, notListening, notApplied, applying, poolFull},
		Objects: []string{serverKind, subnetKind},
		Find:    h.findProblems,
	}
}

func (h *handlers) findProblems(ctx context.Context) (problem.Report, error) {
	server := problem.States{}
	r := problem.Report{States: map[string]problem.States{serverKind: server}}
	var on bool
	if err := h.DB.QueryRow(ctx, `select enabled from dhcp_settings`).Scan(&on); err != nil {
		return r, fmt.Errorf("read whether DHCP is enabled: %w", err)
	}
	subnets, err := h.subnets(ctx)
	if err != nil {
		return r, err
	}
	if !on {
		server[kea.Name] = problem.Chosen("off")
		r.States[subnetKind] = allSubnets(subnets, problem.Chosen("off"))
		return r, nil
	}
	s, running, err := h.status(ctx)
	switch f, ok := fault.Of(err); {
	case ok && f.Code == kea.Unavailable:
		r.Add(notAnswering.On(serverSubject, "/dhcp", nil))
		server[kea.Name] = notAnswering.Because("failed", nil)
		r.States[subnetKind] = allSubnets(subnets, notAnswering.Because("unknown", nil))
		return r, nil
	case err != nil:
		return r, err
	}
	if s.Sockets != "ready" {
		r.Add(socketsRetrying.On(serverSubject, "/interfaces", nil))
		server[kea.Name] = socketsRetrying.Because("degraded", nil)
	}
	for _, i := range s.Interfaces {
		if !i.Listening {
			params := problem.Params{"interface": i.Interface}
			r.Add(notListening.On(problem.Subject{Kind: "interface", ID: i.Interface, Name: i.Interface}, "/dhcp?tab=subnets", params))
			server[kea.Name] = notListening.Because("degraded", params)
		}
	}
	full, err := h.fullPools(ctx, &r)
	if err != nil {
		return r, err
	}
	r.States[subnetKind], err = h.judge(ctx, subnets, judged{status: s, running: running, full: full})
	return r, err
}

// A pool is nearly full when a tenth of it is left, and few of them.
const (
	fullShare = 10
	fullLeft  = 20
)

// fullPools returns the states of the subnets with a pool that is nearly full, by their ids.
func (h *handlers) fullPools(ctx context.Context, r *problem.Report) (map[string]problem.State, error) {
	pools, err := h.usage(ctx)
	if err != nil {
		return nil, err
	}
	states, left := map[string]problem.State{}, map[string]int{}
	for _, p := range pools {
		if p.Free*fullShare > p.Size || p.Free >= fullLeft {
			continue
		}
		params := problem.Params{"pool": p.Pool, "free": p.Free, "size": p.Size}
		// Each pool is a subject of its own: since when it is full is remembered by that.
		found := poolFull.On(problem.Subject{Kind: poolKind, ID: p.Pool, Name: p.Subnet}, "/dhcp?tab=subnets", params)
		r.Add(found.Affecting([]problem.Subject{{Kind: subnetKind, ID: p.SubnetID, Name: p.Subnet}}))
		if least, known := left[p.SubnetID]; !known || p.Free < least {
			states[p.SubnetID], left[p.SubnetID] = poolFull.Because("degraded", params), p.Free
		}
	}
	return states, nil
}
