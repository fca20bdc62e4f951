package radius

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"gateway/internal/component"
	"gateway/internal/component/radius/freeradius"
	"gateway/internal/fault"
	"gateway/internal/problem"
	"gateway/internal/sys"
)

var (
	notAnswering = problem.Kind{
		Code: "radius.not_answering", Severity: problem.Error, Alert: "component.degraded",
		Message: "The RADIUS server does not answer",
		Remedy:  "Switch it off and on in its settings; its log says why (journalctl -u freeradius). A listen address that this node does not have is a common reason.",
	}
	notListening = problem.Kind{
		Code: "radius.not_listening", Severity: problem.Error, Alert: "component.degraded",
		Message: "The RADIUS server is to listen on addresses that this node does not have: {addresses}",
		Remedy:  "Nobody is answered there. Give the address to an interface, or choose another one under RADIUS, Settings.",
	}
	noClients = problem.Kind{
		Code: "radius.no_clients", Severity: problem.Warning,
		Message: "The RADIUS server has no clients: nobody is answered",
		Remedy:  "Add the access points and switches that ask, under RADIUS, Clients.",
	}
	noInterface = problem.Kind{
		Code: "radius.no_interface", Severity: problem.Warning,
		Message: "No interface is in a zone that the RADIUS server is open in: {zones}",
		Remedy:  "Clients cannot reach it unless a firewall rule allows them. Put an interface into such a zone under Interfaces, or choose the zone of the clients under RADIUS, Settings.",
	}
	unsigned = problem.Kind{
		Code: "radius.unsigned", Severity: problem.Warning,
		Message: "Answers to {clients} can be forged: they may ask without a Message-Authenticator",
		Remedy:  "Update the devices, then require the Message-Authenticator for them under RADIUS, Clients.",
	}
)

// mostNamed is how many clients a message names.
const mostNamed = 3

// serverSubject is the service as the list of services names it.
var serverSubject = problem.Subject{Kind: "service", ID: freeradius.Name, Name: "RADIUS server"}

func (h *handlers) problems() problem.Source {
	return problem.Source{
		Kinds:   []problem.Kind{notAnswering, notListening, noClients, noInterface, unsigned},
		Objects: []string{"radius"},
		Find:    h.findProblems,
	}
}

func (h *handlers) findProblems(ctx context.Context) (problem.Report, error) {
	r := problem.Report{States: map[string]problem.States{"radius": {}}}
	add := func(k problem.Kind, state string, params problem.Params) {
		r.Add(k.On(serverSubject, "/radius", params))
		if _, worse := r.States["radius"][freeradius.Name]; !worse {
			r.States["radius"][freeradius.Name] = k.Because(state, params)
		}
	}
	var on bool
	var clients int
	var loose, listen, zones []string
	err := h.DB.QueryRow(ctx, `select enabled, (select count(*) from radius_clients),
		(select coalesce(array_agg(name order by name), '{}') from radius_clients where not require_message_authenticator),
		listen_addresses, zones from radius_settings`).Scan(&on, &clients, &loose, &listen, &zones)
	if err != nil {
		return r, fmt.Errorf("read whether RADIUS is enabled: %w", err)
	}
	if !on {
		r.States["radius"][freeradius.Name] = problem.Chosen("off")
		return r, nil
	}
	_, err = h.probe(ctx, nobody, "-", false)
	switch _, worded := fault.Of(err); {
	case worded:
		add(notAnswering, "failed", nil)
	case err != nil:
		return r, err
	case clients == 0:
		add(noClients, "degraded", nil)
	}
	away, err := h.away(listen)
	if err != nil {
		return r, err
	}
	if len(away) > 0 {
		add(notListening, "degraded", problem.Params{"addresses": strings.Join(away, ", ")})
	}
	closed, err := component.InNoZone(ctx, h.DB, zones)
	if closed != "" && (freeradius.Settings{ListenAddresses: listen}).Reachable() {
		add(noInterface, "degraded", problem.Params{"zones": closed})
	}
	if len(loose) > 0 {
		names := strings.Join(loose[:min(len(loose), mostNamed)], ", ")
		if len(loose) > mostNamed {
			names += ", …"
		}
		add(unsigned, "degraded", problem.Params{"clients": names})
	}
	return r, err
}

// away are the listen addresses that this node does not have. A daemon that runs keeps its sockets when they go, and one
// that starts without them does not start.
func (h *handlers) away(listen []string) ([]string, error) {
	links, err := h.Host.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list the interfaces: %w", err)
	}
	own := sys.Addresses(links)
	return slices.DeleteFunc(slices.Clone(listen), func(text string) bool {
		a, err := netip.ParseAddr(text)
		local := a.Is4() && a.IsLoopback() // all of 127/8 is, whatever is configured
		return err != nil || a.IsUnspecified() || local || slices.Contains(own, a.Unmap())
	}), nil
}
