package forwardproxy

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"gateway/internal/component"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

var (
	notAnswering = problem.Kind{
		Code: "forwardproxy.not_answering", Severity: problem.Error, Alert: "component.degraded",
		Message: "The forward proxy does not answer",
		Remedy:  "Switch it off and on in its settings; its log says why (journalctl -u squid).",
	}
	notListening = problem.Kind{
		Code: "forwardproxy.not_listening", Severity: problem.Error,
		Message: "The forward proxy does not listen on {address}",
		Remedy:  "Check that this node has the address and that nothing else uses the port; the log of the proxy says why (journalctl -u squid).",
	}
	nobodyAllowed = problem.Kind{
		Code: "forwardproxy.nobody_allowed", Severity: problem.Warning,
		Message: "The forward proxy has no allowed networks: every request is denied",
		Remedy:  "Add the networks of the clients under Forward proxy, Settings.",
	}
	listEmpty = problem.Kind{
		Code: "forwardproxy.list_empty", Severity: problem.Warning,
		Message: "Lists that access rules use have no names: {lists}",
		Remedy:  "Such a rule applies to nothing. Add the names under Forward proxy, Lists: an export has lists without their names.",
	}
	noInterface = problem.Kind{
		Code: "forwardproxy.no_interface", Severity: problem.Warning,
		Message: "No interface is in a zone that the forward proxy is open in: {zones}",
		Remedy:  "Clients cannot reach it unless a firewall rule allows them. Put an interface into such a zone under Interfaces, or choose the zone of the clients under Forward proxy, Settings.",
	}
	parentAway = problem.Kind{
		Code: "forwardproxy.parent_away", Severity: problem.Error,
		Message: "The parent proxy {parent} cannot be reached",
		Remedy:  "Check its address and port under Forward proxy, Settings, and whether it runs.",
	}
	namesAway = problem.Kind{
		Code: "forwardproxy.dns_away", Severity: problem.Error,
		Message: "DNS servers of the forward proxy do not answer: {servers}",
		Remedy:  "Requests to sites by name fail or take long. Check the DNS servers under Forward proxy, Settings; without DNS servers there, those of this node are asked.",
	}
)

// serverSubject is the service as the list of services names it.
var serverSubject = problem.Subject{Kind: "service", ID: squid.Service, Name: "Forward proxy"}

const object = "forward-proxy"

func (h *handlers) problems() problem.Source {
	return problem.Source{
		Kinds:   []problem.Kind{notAnswering, notListening, nobodyAllowed, listEmpty, noInterface, parentAway, namesAway},
		Objects: []string{object},
		Find:    h.findProblems,
	}
}

func (h *handlers) findProblems(ctx context.Context) (problem.Report, error) {
	r := problem.Report{States: map[string]problem.States{object: {}}}
	add := func(k problem.Kind, state string, params problem.Params) {
		r.Add(k.On(serverSubject, "/forward-proxy", params))
		if _, worse := r.States[object][squid.Service]; !worse {
			r.States[object][squid.Service] = k.Because(state, params)
		}
	}
	var on bool
	var listen, networks, zones []string
	var port, parentPort int
	var parent string
	err := h.DB.QueryRow(ctx, `select enabled, listen_addresses, allowed_networks, port, parent_host, parent_port, zones from forwardproxy_settings`).
		Scan(&on, &listen, &networks, &port, &parent, &parentPort, &zones)
	if err != nil {
		return r, fmt.Errorf("read whether the forward proxy is enabled: %w", err)
	}
	if !on {
		r.States[object][squid.Service] = problem.Chosen("off")
		return r, nil
	}
	peers, err := h.ask(ctx, "server_list")
	if err != nil {
		add(notAnswering, "failed", nil)
		return r, nil
	}
	missing, err := h.missing(ctx, listen, port)
	if err != nil {
		if _, worded := fault.Of(err); !worded {
			return r, err
		}
		add(notAnswering, "failed", nil)
		return r, nil
	}
	if len(missing) > 0 { // in one, since a service has one problem of a kind
		add(notListening, "degraded", problem.Params{"address": strings.Join(missing, ", ")})
	}
	if parent != "" && strings.Contains(peers, "Status     : Down") {
		add(parentAway, "degraded", problem.Params{"parent": net.JoinHostPort(parent, strconv.Itoa(parentPort))})
	}
	page, err := h.ask(ctx, "idns")
	if err != nil {
		add(notAnswering, "failed", nil)
		return r, nil
	}
	if away := h.servers.silent(page, time.Now()); len(away) > 0 {
		add(namesAway, "degraded", problem.Params{"servers": strings.Join(away, ", ")})
	}
	if len(networks) == 0 {
		add(nobodyAllowed, "degraded", nil)
	}
	var empty string
	err = h.DB.QueryRow(ctx, `select coalesce(string_agg(distinct l.name, ', '), '') from forwardproxy_lists l
		join forwardproxy_acls a on a.type = 'list' and a.value = l.name and a.enabled where l.size = 0`).Scan(&empty)
	if err != nil {
		return r, fmt.Errorf("read which lists have no names: %w", err)
	}
	if empty != "" {
		add(listEmpty, "degraded", problem.Params{"lists": empty})
	}
	closed, err := component.InNoZone(ctx, h.DB, zones)
	if closed != "" && (squid.Settings{ListenAddresses: listen}).Reachable() {
		add(noInterface, "degraded", problem.Params{"zones": closed})
	}
	return r, err
}

// missing are the addresses at which nobody listens, asked of the proxy's own list of sockets.
func (h *handlers) missing(ctx context.Context, listen []string, port int) ([]string, error) {
	text, err := h.ask(ctx, "filedescriptors")
	if err != nil {
		return nil, silent(err)
	}
	var missing []string
	if len(listen) == 0 {
		listen = []string{"::"}
	}
	for _, address := range listen {
		a, err := netip.ParseAddr(address)
		if err == nil && !strings.Contains(text, netip.AddrPortFrom(a, uint16(port)).String()) {
			missing = append(missing, net.JoinHostPort(address, strconv.Itoa(port)))
		}
	}
	return missing, nil
}
