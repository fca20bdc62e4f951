package e2e

import "fmt"

// What the network behind the node is given: addresses, sign-ins and a way out.
const (
	addPort = "ip link add people4 type veth peer name people5 && ip link set people5 up && ip link set people4 up"
	leased  = "203.0.113.0/24"
	device1 = "people-ap"
)

// employ has DHCP, RADIUS and the forward proxy serve the zone lan.
func (w *ward) employ() {
	w.t.Helper()
	w.sh(addPort)
	port := w.c.post("/network-interfaces", object{"name": "people4", "type": "ethernet", "role": "lan"}).want(201).id()
	w.c.post("/ip-addresses", object{"interface_id": port, "address": "203.0.113.1", "prefix": 24}).want(201)
	w.subnet = w.c.post("/dhcp/subnets", object{"interface": "people4", "subnet": leased, "pools": []string{"203.0.113.100-203.0.113.200"}}).want(201).id()
	w.asked()
	w.change("/dhcp/settings", object{"enabled": true})()
	w.change("/radius/settings", object{"enabled": true, "zones": []string{"lan"}})()
	w.change("/forward-proxy/settings", object{"enabled": true, "zones": []string{"lan"}, "allowed_networks": []string{leased}})()
}

// asked has a device ask the RADIUS server, and unasked none.
func (w *ward) asked() {
	w.c.post("/radius/clients", object{"name": device1, "address": "203.0.113.9", "secret": "correct-horse-battery"}).want(201)
}

func (w *ward) unasked() {
	w.t.Helper()
	w.c.do("DELETE", "/radius/clients/"+w.sql("gateway", "select id from radius_clients"), nil).want(200)
}

// frozen tells whether a unit was stopped by a signal.
func (w *ward) frozen(unit string) func() bool {
	return func() bool {
		return w.holds("grep -q '^State:.T' /proc/$(systemctl show -p MainPID --value " + unit + ")/status")
	}
}

// employed is a service that the ward switched on.
type employed struct {
	component, kind, id string // of its configuration, and of its state
	page, row, noun     string // where it is shown, and its name in sentences
	unit, program       string
}

func (w *ward) ofServices() (all []trouble) {
	if w.provider == nil {
		return nil
	}
	dhcp := employed{"dhcp", "dhcp-server", "dhcp", "/dhcp", "Kea", "DHCP server", "kea-dhcp4-server", "/usr/sbin/kea-dhcp4"}
	radius := employed{"radius", "radius", "radius", "/radius", "FreeRADIUS", "RADIUS server", "freeradius", "/usr/sbin/freeradius"}
	proxy := employed{"forwardproxy", "forward-proxy", "forward-proxy", "/forward-proxy", "Squid", "forward proxy", "squid", "/usr/sbin/squid"}
	for _, s := range []employed{dhcp, radius, proxy} {
		all = append(all, w.ofService(s)...)
	}
	open := func(port string) func() bool {
		return func() bool { return !w.holds("nft list table inet gateway | grep -q 'dport.*" + port + "'") }
	}
	zones := func(s employed, zone string) func() {
		return w.change(s.page+"/settings", object{"zones": []string{zone}})
	}
	subnet := []place{{"/dhcp?tab=subnets", leased, "Down", "Serving"}, dhcp.at("Degraded", "Running")}
	return append(all, inLane("system",
		trouble{Name: "the interface of a subnet is missing", Problem: "dhcp.not_listening", Places: subnet, cause: w.line("ip link del people4"), mend: w.line(addPort), kind: "dhcp-subnet", id: w.subnet, state: "down", real: func() bool { return w.holds("! ip link show people4") }, also: []string{"network.missing", "firewall.interface_missing", "dhcp.sockets_retrying", "dhcp.no_address", "change.left_out"}},
		trouble{Name: "nobody asks the RADIUS server", Problem: "radius.no_clients", Places: radius.places("Degraded"), cause: w.unasked, mend: w.asked, kind: radius.kind, id: radius.id, state: "degraded", real: func() bool { return w.sql("gateway", "select count(*) from radius_clients") == "0" }},
		trouble{Name: "the RADIUS server is open in an empty zone", Problem: "radius.no_interface", Places: radius.places("Degraded"), cause: zones(radius, "dmz"), mend: zones(radius, "lan"), kind: radius.kind, id: radius.id, state: "degraded", real: open("1812")},
		trouble{Name: "the forward proxy is open in an empty zone", Problem: "forwardproxy.no_interface", Places: proxy.places("Degraded"), cause: zones(proxy, "dmz"), mend: zones(proxy, "lan"), kind: proxy.kind, id: proxy.id, state: "degraded", real: open("3128")},
		trouble{Name: "the forward proxy serves nobody", Problem: "forwardproxy.nobody_allowed", Places: proxy.places("Degraded"), cause: w.change("/forward-proxy/settings", object{"allowed_networks": []string{}}), mend: w.change("/forward-proxy/settings", object{"allowed_networks": []string{leased}}), kind: proxy.kind, id: proxy.id, state: "degraded", real: func() bool { return !w.holds("grep -q 203.0.113.0 /etc/squid/gateway/squid.conf") }},
	)...)
}

// at is the row of a service in the list of services.
func (s employed) at(word, well string) place { return place{"/system", s.row, word, well} }

// places are that, and its own page.
func (s employed) places(word string) []place {
	return []place{s.at(word, "Running"), {s.page, "", word, "Running"}}
}

// ofService is what becomes of any of them.
func (w *ward) ofService(s employed) []trouble {
	silent := s.component + ".not_answering"
	noticed := func(word, notice string) []place { return []place{s.at(word, "Running"), {s.page, "", notice, ""}} }
	active := func() bool { return w.holds("systemctl is-active -q " + s.unit) }
	kill := func(signal string) func() { return w.line(fmt.Sprintf("systemctl kill -s %s %s", signal, s.unit)) }
	also := []string{silent, "system.service_failed", "system.service_stopped", "change.not_applied"}
	switched := func(on bool) func() { return w.change(s.page+"/settings", object{"enabled": on}) }
	return inLane("system",
		trouble{Name: "the " + s.noun + " hangs", Problem: silent, Places: noticed("Failed", "does not answer"), cause: kill("STOP"), mend: kill("CONT"), kind: s.kind, id: s.id, state: "failed", real: w.frozen(s.unit), also: also},
		trouble{Name: "the " + s.noun + " cannot start", Problem: "system.service_failed|" + silent, Places: noticed("Failed", "has failed|does not answer"), cause: w.broken(s.program, s.unit), mend: w.repaired(s.program, s.unit), kind: s.kind, id: s.id, state: "failed", real: func() bool { return !active() }, also: also},
		trouble{Name: "the " + s.noun + " is switched off", Places: noticed("Switched off", "The service is switched off"), cause: switched(false), mend: switched(true), kind: s.kind, id: s.id, state: "off", real: func() bool { return !active() }},
	)
}
