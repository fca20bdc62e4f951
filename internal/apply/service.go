package apply

import (
	"slices"

	"gateway/internal/fault"
)

// Service is a service that an operator may act upon, by the operator's name for it.
type Service string

// The services. Units outside this list cannot be named over the socket.
const (
	ReverseProxy Service = "reverse-proxy"
	ForwardProxy Service = "forward-proxy"
	DNS          Service = "dns"
	NTP          Service = "ntp"
	Scheduler    Service = "scheduler"
	IDS          Service = "ids"
	IDSBouncer   Service = "ids-bouncer"
	WAF          Service = "waf"
)

// Action is what to do with a service.
type Action string

// The actions. On and off last beyond the next boot.
const (
	Restart Action = "restart"
	On      Action = "on"  // enable and start
	Off     Action = "off" // stop and disable
)

// entry is what we know about a service: its unit, its name within a sentence, and what
// may be done to it.
type entry struct {
	unit    string
	name    string
	actions []Action
}

// lookup is the allow list; a service that is not in it has no unit.
func lookup(s Service) (entry, bool) {
	restart, toggle := []Action{Restart}, []Action{On, Off}
	e, ok := map[Service]entry{
		ReverseProxy: {"haproxy.service", "the reverse proxy", restart},
		ForwardProxy: {"squid.service", "the forward proxy", restart},
		DNS:          {"unbound.service", "the DNS resolver", restart},
		NTP:          {"chrony.service", "the NTP daemon", restart},
		Scheduler:    {"gateway-scheduler.service", "the scheduler", restart},
		IDS:          {"crowdsec.service", "the intrusion detection", toggle},
		IDSBouncer:   {"crowdsec-firewall-bouncer.service", "the intrusion detection's firewall bouncer", toggle},
		WAF:          {"gateway-waf.service", "the web application firewall", toggle},
	}[s]
	return e, ok
}

// Services lists the services that the action is allowed for, by name.
func Services(a Action) []Service {
	var out []Service
	for _, s := range []Service{DNS, ForwardProxy, IDS, IDSBouncer, NTP, ReverseProxy, Scheduler, WAF} {
		if e, _ := lookup(s); slices.Contains(e.actions, a) {
			out = append(out, s)
		}
	}
	return out
}

// Unit is the systemd unit behind the service, "" for an unknown one.
func (s Service) Unit() string {
	e, _ := lookup(s)
	return e.unit
}

// permit finds the service, unless it or the action is not on the list.
func permit(a Action, s Service) (entry, error) {
	if a != Restart && a != On && a != Off {
		return entry{}, fault.New(fault.Invalid, "there is no action %q", a)
	}
	e, ok := lookup(s)
	if !ok {
		return entry{}, fault.New(fault.Invalid, "there is no service %q", s)
	}
	if !slices.Contains(e.actions, a) {
		return entry{}, fault.New(fault.Invalid, "the action %q is not available for %s", a, e.name)
	}
	return e, nil
}
