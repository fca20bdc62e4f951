package dhcp

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"gateway/internal/apply"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/fault"
	"gateway/internal/problem"
	"gateway/internal/sys"
)

var (
	notAnswering = problem.Kind{
		Code: "dhcp.not_answering", Severity: problem.Error, Alert: "component.degraded",
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
	noAddress = problem.Kind{
		Code: "dhcp.no_address", Severity: problem.Warning,
		Message: "This node has no address in {subnet} on {interface}: clients get none of its addresses, or one that cannot reach this node",
		Remedy:  "Add an address of the network to the interface under Interfaces, or correct the subnet or its interface.",
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
		Kinds:   []problem.Kind{notAnswering, socketsRetrying, notListening, noAddress, notApplied, applying, poolFull},
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
	j := judged{status: s, running: running}
	// What a client is given also depends on the reservations of its subnet.
	j.unapplied, err = apply.ReadUnapplied(ctx, h.DB, h.Applier, kea.Name, map[string][]string{"dhcp_subnets": {"id"}, "dhcp_reservations": {"subnet_id"}})
	if err != nil {
		return r, err
	}
	j.tellDeaf(&r, subnets)
	if j.full, err = h.fullPools(ctx, &r); err != nil {
		return r, err
	}
	if j.elsewhere, err = h.elsewhere(&r, subnets); err != nil {
		return r, err
	}
	r.States[subnetKind] = j.subnets(subnets)
	return r, nil
}

// tellDeaf says where the server does not listen, once: its page and the services tell what is
// wrong with the service. Where it only does not listen yet, nothing is wrong.
func (j judged) tellDeaf(r *problem.Report, subnets []servedSubnet) {
	var names []string
	var unserved []problem.Subject
	for _, i := range j.status.Interfaces {
		if i.Listening {
			continue
		}
		before := len(unserved)
		for _, s := range subnets {
			if s.Active && s.Interface == i.Interface && !j.applying(s) {
				unserved = append(unserved, problem.Subject{Kind: subnetKind, ID: s.ID, Name: s.Subnet})
			}
		}
		if len(unserved) > before {
			names = append(names, i.Interface)
		}
	}
	if len(names) > 0 {
		params := problem.Params{"interface": strings.Join(names, ", ")}
		r.Add(notListening.On(serverSubject, "/dhcp?tab=subnets", params).Affecting(unserved))
		r.States[serverKind][kea.Name] = notListening.Because("degraded", params)
	}
}

// elsewhere returns the states of the subnets that this node has no address in, by their ids: Kea
// gives out those of another subnet of the interface, or those of one that leads nowhere. That an
// interface has no address at all is told of its socket.
func (h *handlers) elsewhere(r *problem.Report, subnets []servedSubnet) (map[string]problem.State, error) {
	links, err := h.Host.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list the interfaces: %w", err)
	}
	states := map[string]problem.State{}
	for _, s := range subnets {
		at := slices.IndexFunc(links, func(l sys.Interface) bool { return l.Name == s.Interface })
		network, err := netip.ParsePrefix(s.Subnet)
		if !s.Active || at < 0 || err != nil {
			continue
		}
		own := slices.DeleteFunc(sys.Addresses(links[at:at+1]), netip.Addr.Is6)
		if len(own) == 0 || slices.ContainsFunc(own, network.Contains) {
			continue
		}
		params := problem.Params{"subnet": s.Subnet, "interface": s.Interface}
		r.Add(noAddress.On(problem.Subject{Kind: subnetKind, ID: s.ID, Name: s.Subnet}, "/dhcp?tab=subnets", params))
		states[s.ID] = noAddress.Because("degraded", params)
		if _, worse := r.States[serverKind][kea.Name]; !worse {
			r.States[serverKind][kea.Name] = states[s.ID]
		}
	}
	return states, nil
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
