package e2e

import (
	"strings"
	"time"
)

// trouble is one state that a test brings about: what happens, how it is mended, and what
// everybody has to say meanwhile.
type trouble struct {
	Name    string  `json:"name"`
	Problem string  `json:"problem,omitempty"` // code, perhaps with kind and id of its subject, or several of which it is one
	Sign    string  `json:"sign,omitempty"`    // what the browser shows instead, when it is cut off
	Places  []place `json:"places"`
	// Alone is for what others cannot be judged beside.
	Alone bool `json:"alone"`
	// Lane is for what goes on beside others: states of one lane come one after the other.
	Lane string `json:"lane"`

	cause, mend     func()
	kind, id, state string // what the API says of an object
	// real tells whether it is so, without asking the product.
	real func() bool
	also []string // problems that come along
	// says is what gateway-ctl says when it cannot list problems any more.
	says string
}

// place is where the UI tells of it: a row of a list, or a page.
type place struct {
	Path string `json:"path"`
	Row  string `json:"row,omitempty"`
	Word string `json:"word"`           // while it lasts
	Well string `json:"well,omitempty"` // before and after; else the word is just not there
}

func (w *ward) troubles() []trouble {
	return slicesOf(w.ofServers(), w.ofDomains(), w.ofCertificates(), w.ofTCP(), w.ofDaemons(), w.ofNode(), w.ofChanges(), w.ofNetwork(), w.ofServices(), w.ofOutages(), w.ofKernel())
}

func slicesOf(all ...[]trouble) (out []trouble) {
	for _, some := range all {
		out = append(out, some...)
	}
	return out
}

// inLane puts them into one lane.
func inLane(name string, all ...trouble) []trouble {
	for i := range all {
		all[i].Lane, all[i].Places = name, append([]place{}, all[i].Places...)
	}
	return all
}

// noticeAt is a page that says so in a notice, while it lasts.
func noticeAt(path, notice string) place { return place{path, "", notice, ""} }

// linkAt is an interface that is configured: in the list, and on its page.
func linkAt(name, id, word string) []place {
	return []place{{"/interfaces", name, word, "Up"}, {"/interfaces/" + id, "", word, "Up"}}
}

// Where the parts of the shop are shown.
func (w *ward) domainAt(word string) []place {
	return []place{{"/proxy", shop, word, "Serving"}, {"/proxy/sites/" + w.domain, "", word, "Serving"}}
}

func (w *ward) serverAt(word, pool string) []place {
	path := "/proxy/pools/" + w.pool
	return []place{{path, "one", word, "Up"}, {"/proxy?tab=pools", "people pool", pool, "Up"}}
}

func (w *ward) ofServers() []trouble {
	one, two := "/backend-servers/"+w.servers["one"], "/backend-servers/"+w.servers["two"]
	pool := "/backends/" + w.pool
	set := func(fields object, paths ...string) func() {
		return func() {
			for _, path := range paths {
				w.change(path, fields)()
			}
		}
	}
	unused := func() bool { return !w.uses("one") }
	dead := func() bool { return w.visit("/") != 200 }
	return inLane("proxy",
		trouble{Name: "one of two servers fails", Problem: "proxy.server_down", Places: w.domainAt("Degraded"), cause: ill(w.one), mend: fit(w.one), kind: "server", id: w.servers["one"], state: "down", real: w.one.dead, also: failing},
		trouble{Name: "one of two servers answers with errors", Problem: "proxy.server_down", Places: w.serverAt("Down", "Degraded"), cause: func() { w.one.ill.Store(erring) }, mend: fit(w.one), kind: "backend", id: w.pool, state: "degraded", real: w.one.dead, also: failing},
		trouble{Name: "a server's name does not resolve", Problem: "proxy.server_down", Places: w.serverAt("Down", "Degraded"), cause: set(object{"address": "gone.people.arpa"}, one), mend: set(object{"address": w.one.addr.Addr().String()}, one), kind: "server", id: w.servers["one"], state: "down", real: unused, also: failing},
		trouble{Name: "all servers fail", Problem: "proxy.backend_down", Places: w.domainAt("Down"), cause: ill(w.one, w.two), mend: fit(w.one, w.two), kind: "backend", id: w.pool, state: "down", real: dead, also: failing},
		trouble{Name: "a server drains", Places: w.serverAt("Draining", "Up"), cause: set(object{"drain": true}, one), mend: set(object{"drain": false}, one), kind: "server", id: w.servers["one"], state: "draining", real: unused},
		trouble{Name: "all servers drain", Problem: "proxy.backend_down", Places: w.domainAt("Down"), cause: set(object{"drain": true}, one, two), mend: set(object{"drain": false}, one, two), kind: "backend", id: w.pool, state: "down", real: dead},
		trouble{Name: "a server is disabled", Places: w.serverAt("Disabled", "Up"), cause: set(object{"active": false}, one), mend: set(object{"active": true}, one), kind: "server", id: w.servers["one"], state: "disabled", real: unused},
		trouble{Name: "a backend has no server", Problem: "proxy.backend_empty", Places: w.domainAt("Down"), cause: set(object{"active": false}, one, two), mend: set(object{"active": true}, one, two), kind: "backend", id: w.pool, state: "no_servers", real: dead, also: []string{"proxy.backend_down"}},
		trouble{Name: "a backend in use is disabled", Problem: "proxy.backend_disabled", Places: w.domainAt("Down"), cause: set(object{"active": false}, pool), mend: set(object{"active": true}, pool), kind: "backend", id: w.pool, state: "disabled", real: dead},
		trouble{Name: "nobody checks the servers", Places: w.domainAt("Not checked"), cause: set(object{"health_check": false}, pool), mend: set(object{"health_check": true}, pool), kind: "backend", id: w.pool, state: "unchecked", real: func() bool { return !w.isChecked(w.one) }},
	)
}

// failing is what a server does on its way down.
var failing = []string{"proxy.server_failing", "proxy.server_down"}

func (w *ward) ofDomains() []trouble {
	path, rule := "/domains/"+w.domain, "/routing-rules/"+w.rule
	alone := func(on bool) func() { // a domain with neither a backend nor a rule
		return func() {
			pool := any(w.pool)
			if on {
				pool = nil
			}
			w.change(rule, object{"active": !on})()
			w.change(path, object{"backend_id": pool})()
		}
	}
	renamed := []place{{"/proxy", "people.example", "No certificate", "Serving"}, {"/proxy/sites/" + w.domain, "", "No certificate", "Serving"}}
	not200 := func() bool { return w.visit("/") != 200 }
	return inLane("proxy",
		trouble{Name: "the backend of a rule fails", Problem: "proxy.backend_down", Places: w.domainAt("Degraded"), cause: ill(w.api), mend: fit(w.api), kind: "domain", id: w.domain, state: "degraded", real: func() bool { return w.visit("/api/") != 200 && w.visit("/") == 200 }, also: failing},
		trouble{Name: "a domain is disabled", Places: w.domainAt("Disabled"), cause: w.change(path, object{"active": false}), mend: w.change(path, object{"active": true}), kind: "domain", id: w.domain, state: "disabled", real: not200},
		trouble{Name: "a domain is in maintenance", Places: w.domainAt("Maintenance"), cause: w.change(path, object{"maintenance": true}), mend: w.change(path, object{"maintenance": false}), kind: "domain", id: w.domain, state: "maintenance", real: not200},
		trouble{Name: "a domain leads nowhere", Problem: "proxy.no_backend", Places: w.domainAt("Down"), cause: alone(true), mend: alone(false), kind: "domain", id: w.domain, state: "down", real: not200},
		trouble{Name: "a domain has no certificate", Problem: "proxy.no_certificate", Places: renamed, cause: w.change(path, object{"name": other}), mend: w.change(path, object{"name": shop}), kind: "domain", id: w.domain, state: "no_certificate", real: func() bool {
			return w.handshake(other) == "gateway.invalid" && w.visit("/") != 200
		}},
	)
}

func (w *ward) ofCertificates() []trouble {
	at := func(word string) []place {
		return []place{{"/certificates", shop, word, "Valid"}, {"/certificates/" + w.certificate, "", word, "Valid"}}
	}
	return inLane("proxy",
		trouble{Name: "a certificate has expired", Problem: "cert.expired", Places: append(at("Expired"), w.domainAt("Down")...), cause: w.until(5 * time.Second), mend: w.until(300 * day), kind: "certificate", id: w.certificate, state: "expired", real: func() bool { return w.left(shop) <= 0 }, also: []string{"cert.expiring"}},
		trouble{Name: "a certificate expires soon", Problem: "cert.expiring", Places: append(at("Expires soon"), w.domainAt("Degraded")...), cause: w.until(3 * day), mend: w.until(300 * day), kind: "certificate", id: w.certificate, state: "expiring", real: func() bool { return w.left(shop) < 14*day }},
	)
}

func (w *ward) ofTCP() []trouble {
	path := "/tcp-services/" + w.port
	at := func(word string) []place { return []place{{"/proxy?tab=services", "people tcp", word, "Serving"}} }
	silent := func() bool { return get("http://"+w.node.IP().String()+":8123/", w.client.DialContext) != 200 }
	// Whoever checks the next configuration says no; HAProxy goes on with the last one.
	refused := func(path string, fields object) func() {
		return func() {
			w.sh("mount --bind /run/no /usr/sbin/haproxy")
			w.change(path, fields)()
		}
	}
	taken := func(path string, fields object) func() {
		return func() {
			w.sh("umount -l /usr/sbin/haproxy")
			w.change(path, fields)()
		}
	}
	// HAProxy listens elsewhere than it is stored.
	elsewhere := func() bool {
		port := w.sql("gateway", "select port from proxy_ports")
		return !strings.Contains(w.command("ss -ltnpH 'sport = :"+port+"'"), "haproxy")
	}
	domain := "/domains/" + w.domain
	return inLane("proxy",
		trouble{Name: "a TCP service has no server", Problem: "proxy.backend_down", Places: at("Down"), cause: w.closed(), mend: w.reopened(), kind: "tcp_service", id: w.port, state: "down", real: silent, also: failing},
		trouble{Name: "a TCP service is disabled", Places: at("Disabled"), cause: w.change(path, object{"active": false}), mend: w.change(path, object{"active": true}), kind: "tcp_service", id: w.port, state: "disabled", real: silent},
		trouble{Name: "the change of a TCP service is rejected", Problem: "change.not_applied component proxy", Places: append(at("Not applied"), place{"/system?tab=components", "Reverse proxy", "Not applied", "Live"}), cause: refused(path, object{"port": 8200}), mend: taken(path, object{"port": 8123}), kind: "tcp_service", id: w.port, state: "not_applied", real: elsewhere},
		trouble{Name: "the change of a domain is rejected", Problem: "change.not_applied component proxy", Places: w.domainAt("Not applied"), cause: refused(domain, object{"maintenance": true}), mend: taken(domain, object{"maintenance": false}), kind: "domain", id: w.domain, state: "not_applied", real: func() bool {
			return w.sql("gateway", "select maintenance from proxy_domains") == "t" && w.visit("/") == 200
		}},
	)
}

func (w *ward) ofDaemons() []trouble {
	kill := func(signal, unit string) func() { return w.line("systemctl kill -s " + signal + " " + unit) }
	service := func(name, word, well string) place { return place{"/system", name, word, well} }
	dns := func(word, notice string) []place {
		return []place{service("Unbound", word, "Running"), {"/dns", "", notice, ""}}
	}
	ntp := func(word, notice string) []place {
		return []place{service("chrony", word, "Running"), {"/ntp", "", notice, ""}}
	}
	mute := func() bool {
		return !strings.Contains(w.command("dig +short +time=1 +tries=1 @127.0.0.1 ann.people.arpa"), "192.0.2.9")
	}
	silent := func() bool { return !strings.Contains(w.command("timeout 2 chronyc -n tracking"), "Leap status") }
	adrift := func() bool { return !strings.Contains(w.command("timeout 2 chronyc -n tracking"), ": Normal") }
	clock := func(address string) func() {
		return func() { w.change("/ntp/pools/"+w.source, object{"address": address})() }
	}
	unsure := []string{"ntp.not_synchronised", "ntp.no_sources", "ntp.not_answering"}
	switched := func(path string, on bool) func() { return w.change(path, object{"enabled": on}) }
	return inLane("system",
		trouble{Name: "the resolver hangs", Problem: "dns.not_answering", Places: dns("Failed", "The DNS resolver does not answer"), cause: kill("STOP", "unbound"), mend: kill("CONT", "unbound"), kind: "resolver", id: "dns", state: "failed", real: mute, also: []string{"dns.resolving_fails"}},
		trouble{Name: "the resolver cannot start", Problem: "system.service_failed|dns.not_answering", Places: dns("Failed", "has failed|does not answer"), cause: w.broken("/usr/sbin/unbound", "unbound"), mend: w.repaired("/usr/sbin/unbound", "unbound"), kind: "resolver", id: "dns", state: "failed", real: mute, also: []string{"dns.not_answering", "change.not_applied", "dns.resolving_fails"}},
		trouble{Name: "forwarders do not answer", Problem: "dns.resolving_fails", Places: dns("Degraded", "could not resolve"), cause: func() { w.puzzled.Store(true) }, mend: func() { w.puzzled.Store(false) }, kind: "resolver", id: "dns", state: "degraded", also: []string{"dns.forwarder_fails"}, real: func() bool {
			return strings.Contains(w.command("dig +time=2 +tries=1 @127.0.0.1 x$(date +%N).forward.arpa"), "SERVFAIL")
		}},
		trouble{Name: "DNS is switched off", Places: []place{service("Unbound", "Switched off", "Running"), {"/dns", "", "The service is switched off", ""}}, cause: switched("/dns/settings", false), mend: switched("/dns/settings", true), kind: "resolver", id: "dns", state: "off", real: mute},
		trouble{Name: "the NTP daemon hangs", Problem: "ntp.not_answering", Places: ntp("Failed", "The NTP daemon does not answer"), cause: kill("STOP", "chrony"), mend: kill("CONT", "chrony"), kind: "clock", id: "ntp", state: "failed", real: silent, also: unsure},
		trouble{Name: "the NTP daemon cannot start", Problem: "system.service_failed|ntp.not_answering", Places: ntp("Failed", "has failed|does not answer"), cause: w.broken("/usr/sbin/chronyd", "chrony"), mend: w.repaired("/usr/sbin/chronyd", "chrony"), kind: "clock", id: "ntp", state: "failed", real: silent, also: append(unsure, "change.not_applied")},
		trouble{Name: "NTP is switched off", Places: []place{service("chrony", "Switched off", "Running"), {"/ntp", "", "The service is switched off", ""}}, cause: switched("/ntp/settings", false), mend: switched("/ntp/settings", true), kind: "clock", id: "ntp", state: "off", real: silent, also: unsure},
		trouble{Name: "the clock is not synchronised", Problem: "ntp.not_synchronised", Places: ntp("Degraded", "The clock is not synchronised"), cause: clock("192.0.2.123"), mend: clock(w.client.IP().String()), kind: "clock", id: "ntp", state: "degraded", real: adrift, also: unsure},
		trouble{Name: "there is no time source", Problem: "ntp.no_sources", Places: ntp("Degraded", "No time source is configured"), cause: w.withoutSource(), mend: w.withSource(), kind: "clock", id: "ntp", state: "degraded", real: adrift, also: unsure},
	)
}

func (w *ward) ofNode() []trouble {
	scheduler := []place{{"/system", "Scheduler", "Stopped", "Running"}, noticeAt("/graphs", "is not running")}
	failed := []place{{"/system", "Scheduler", "Failed", "Running"}, noticeAt("/graphs", "has failed")}
	const dropIn = "/run/systemd/system/gateway-scheduler.service.d"
	zone := func(word string) []place {
		return append(linkAt("people0", w.link, word), place{"/system?tab=interfaces", "people0", word, "Up"})
	}
	unresolved := func(name string) []place { return []place{{"/objects?tab=addresses", name, "Not resolved", ""}} }
	var ordered string
	order := func() {
		ordered = w.c.post("/certificates", object{"source": "acme", "names": []string{"order.people.example"}}).want(201).id()
	}
	dropped := func() { w.c.do("DELETE", "/certificates/"+ordered, nil).want(200) }
	link := func(line string) func() bool { return func() bool { return w.holds(line) } }
	return inLane("system",
		trouble{Name: "the scheduler is stopped", Problem: "system.service_stopped", Places: scheduler, cause: w.line("systemctl stop gateway-scheduler"), mend: w.line("systemctl start gateway-scheduler"), kind: "service", id: "scheduler", state: "stopped", real: func() bool { return !w.holds("systemctl is-active gateway-scheduler") }},
		trouble{Name: "the scheduler hangs", Problem: "system.service_silent", Places: []place{{"/system", "Scheduler", "Failed", "Running"}, noticeAt("/graphs", "does not answer")}, cause: w.line("systemctl kill -s STOP gateway-scheduler"), mend: w.line("systemctl kill -s CONT gateway-scheduler"), kind: "service", id: "scheduler", state: "failed", real: w.frozen("gateway-scheduler"), also: []string{"system.service_failed"}},
		trouble{Name: "the scheduler cannot start", Problem: "system.service_failed", Places: failed, cause: w.line("mkdir -p " + dropIn + " && printf '[Service]\nExecStartPre=false\n' >" + dropIn + "/no.conf && systemctl daemon-reload && systemctl kill -s KILL gateway-scheduler"), mend: w.line("rm " + dropIn + "/no.conf; systemctl daemon-reload; systemctl restart gateway-scheduler"), kind: "service", id: "scheduler", state: "failed", real: func() bool { return !w.holds("systemctl is-active gateway-scheduler") }},
		trouble{Name: "a file system is nearly full", Problem: "system.disk_full", Places: []place{noticeAt("/system", "The file system /var/log is [0-9]+ % full")}, cause: w.line("mount -t tmpfs -o size=4m people /var/log && head -c 3900k /dev/zero >/var/log/fill"), mend: w.line("umount -l /var/log"), real: link("df --output=pcent /var/log | grep -E '9[0-9]|100'")},
		trouble{Name: "an interface of a zone is missing", Problem: "network.missing", Places: linkAt("people0", w.link, "Missing"), cause: w.line("ip link del people0"), mend: w.line(addLink), kind: "interface", id: w.link, state: "missing", real: link("! ip link show people0"), also: []string{"firewall.interface_missing"}},
		trouble{Name: "an interface of a zone is switched off", Problem: "firewall.interface_down", Places: zone("Down"), cause: w.line("ip link set people0 down"), mend: w.line("ip link set people0 up"), kind: "interface", id: w.link, state: "down", real: link("! ip link show people0 | grep -q '[<,]UP'")},
		trouble{Name: "an interface of a zone has no link", Problem: "firewall.no_carrier", Places: zone("No carrier"), cause: w.line("ip link set people1 down"), mend: w.line("ip link set people1 up"), kind: "interface", id: w.link, state: "no_carrier", real: link("ip link show people0 | grep -q NO-CARRIER")},
		trouble{Name: "a certificate cannot be ordered", Problem: "cert.acme_unreachable|cert.terms_not_agreed", Places: []place{{"/certificates", "order.people.example", "Failed", ""}}, cause: order, mend: dropped, kind: "certificate", state: "error", real: func() bool {
			return w.sql("gateway", "select count(*) from certificate_status s join certificates c on c.id = s.certificate_id where last_error is not null and chain is null") == "1"
		}},
		trouble{Name: "a name of the packet filter does not resolve", Problem: "firewall.name_unresolved", Places: unresolved("gone.people.arpa"), cause: w.named(), mend: func() { w.c.do("DELETE", "/firewall/address-objects/"+w.name, nil).want(200) }, kind: "address_object", state: "unresolved", real: func() bool {
			return w.sql("gateway", "select count(*) from firewall_address_objects where value = 'gone.people.arpa'") == "1" && w.command("dig +short @127.0.0.1 gone.people.arpa") == ""
		}},
		trouble{Name: "a name of the packet filter no longer resolves", Problem: "firewall.name_stale", Places: unresolved("stale.people.arpa"), cause: w.stale, mend: func() { w.c.do("DELETE", "/firewall/address-objects/"+w.name, nil).want(200) }, kind: "address_object", state: "unresolved", real: func() bool {
			return w.sql("gateway", "select count(*) from firewall_resolved where resolved_at < now() - interval '30 minutes'") == "1" && w.command("dig +short @127.0.0.1 stale.people.arpa") == ""
		}},
	)
}

func (w *ward) ofChanges() []trouble {
	at := func(name, word string) []place { return []place{{"/system?tab=components", name, word, "Live"}} }
	hand := func(file string) func() bool { return func() bool { return w.holds("grep -q 'by hand' " + file) } }
	edited := func(component, file string, keep bool) func() {
		return func() {
			w.t.Helper()
			w.c.put("/system/components/"+component, object{"keep_edits": keep}).want(200)
			if keep {
				w.sh("echo '# by hand' >>" + file)
			}
		}
	}
	return inLane("system",
		trouble{Name: "a daemon rejects its configuration", Problem: "change.not_applied component dns", Places: append(at("DNS resolver", "Not applied"), place{"/dns", "", "is saved but not applied", ""}), cause: w.rejected(), mend: w.accepted(), kind: "component", id: "dns", state: "failed", real: func() bool {
			return !w.holds("unbound-checkconf >/dev/null")
		}},
		trouble{Name: "an edited file of chrony is kept", Problem: "change.edits_kept", Places: append(at("Time server", "On hold"), noticeAt("/ntp", "was edited manually")), cause: edited("ntp", ntpFile, true), mend: edited("ntp", ntpFile, false), kind: "component", id: "ntp", state: "held", real: hand(ntpFile), also: []string{"ntp.not_synchronised"}},
		trouble{Name: "an edited file of Unbound is kept", Problem: "change.edits_kept", Places: append(at("DNS resolver", "On hold"), noticeAt("/dns", "was edited manually")), cause: edited("dns", dnsFile, true), mend: edited("dns", dnsFile, false), kind: "component", id: "dns", state: "held", real: hand(dnsFile)},
		trouble{Name: "a row cannot be rendered", Problem: "change.left_out", Places: append(at("DNS resolver", "Partly live"), noticeAt("/dns", "is left out of the configuration")), cause: w.spoilt("bad value"), mend: w.spoilt("192.0.2.9"), real: func() bool {
			return w.command("dig +short +time=1 +tries=1 @127.0.0.1 ann.people.arpa") == ""
		}},
		trouble{Name: "a change waits to be confirmed", Places: []place{{"/changes", "waits", "Waiting for confirmation", "Live"}}, cause: w.unconfirmed(), mend: func() { w.c.post("/changes/"+w.waiting+"/confirm", nil).want(200) }, real: func() bool {
			return w.sql("gateway", "select count(*) from changes where confirm_state = 'waiting'") == "1" && w.command("dig +short @127.0.0.1 waits.people.arpa") != ""
		}},
	)
}

// ofOutages is what takes others along.
func (w *ward) ofOutages() []trouble {
	kill := func(signal, unit string) func() { return w.line("systemctl kill -s " + signal + " " + unit) }
	database, store := "postgresql@17-main", "/var/lib/gateway/setup.json"
	noBase := append(w.domainAt("Unknown"), place{"/certificates", shop, "Unknown", "Valid"}, place{"/certificates/" + w.certificate, "", "Unknown", "Valid"})
	noApplier := append(w.domainAt("Unknown"), place{"/system?tab=components", "DNS resolver", "Unknown", "Live"}, place{"/system", "Configuration applier", "Failed|Stopped", "Running"})
	noAnswer := func() bool { return !w.holds("pg_isready -q -t 1") }
	off := func() bool { return get("https://"+w.node.IP().String()+":3443/", w.client.DialContext) == 0 }
	restarted := []string{"system.service_failed", "system.service_stopped", "change.not_applied", "proxy.server_failing", "proxy.server_down"}
	all := inLane("outage",
		trouble{Name: "the database is away", Problem: "system.database_down", Places: noBase, cause: w.line("systemctl stop postgresql " + database), mend: w.line("systemctl start postgresql"), real: noAnswer, also: []string{"system.service_stopped"}},
		trouble{Name: "the database hangs", Problem: "system.database_down", Places: noBase, cause: kill("STOP", database), mend: kill("CONT", database), real: noAnswer},
		trouble{Name: "the applier is away", Problem: "system.applier_down", Places: noApplier, cause: w.line("systemctl stop gateway-apply.socket gateway-apply"), mend: w.line("systemctl start gateway-apply.socket gateway-apply"), kind: "service", id: "apply", state: "failed", real: func() bool { return !w.holds("systemctl is-active gateway-apply") }, also: []string{"system.service_stopped"}},
		trouble{Name: "the applier hangs", Problem: "system.applier_down", Places: noApplier, cause: kill("STOP", "gateway-apply"), mend: kill("CONT", "gateway-apply"), kind: "service", id: "apply", state: "failed", real: w.frozen("gateway-apply")},
		trouble{Name: "HAProxy hangs", Problem: "proxy.not_running", Sign: "app connection", Places: w.domainAt("Unknown"), cause: kill("STOP", "haproxy"), mend: kill("CONT", "haproxy"), real: off, also: restarted},
		trouble{Name: "HAProxy cannot start", Problem: "proxy.not_running", Sign: "app connection", Places: w.domainAt("Unknown"), cause: w.broken("/usr/sbin/haproxy", "haproxy"), mend: w.repaired("/usr/sbin/haproxy", "haproxy"), real: off, also: restarted},
		trouble{Name: "the setup store is damaged", Problem: "system.setup_unreadable", Places: []place{noticeAt("/system", "The setup store of this node cannot be read")}, says: "setup.json is damaged", cause: w.line("cp -p " + store + " /run/store && echo broken >" + store), mend: w.line("cat /run/store >" + store), real: func() bool { return !w.holds("grep -q '{' " + store) }},
		trouble{Name: "maintenance mode is on", Problem: "system.maintenance", Places: []place{noticeAt("/system?tab=settings", "Maintenance mode is on")}, cause: w.mode(true), mend: w.mode(false), real: func() bool {
			return w.holds(`grep -q '"maintenance": *true' ` + store)
		}},
	)
	for i := range all {
		all[i].Alone = true
	}
	return all
}

// atGate is one of each kind.
var atGate = []string{
	"one of two servers fails", "all servers fail", "a domain is in maintenance", "a domain has no certificate", "a certificate has expired",
	"a TCP service has no server", "the resolver hangs", "the scheduler is stopped", "an edited file of Unbound is kept",
	"a file system is nearly full", "an interface of a zone is switched off", "the database is away",
}

// lies are states that the judge is told while the node is well. Everybody has to contradict.
var lies = []string{"one of two servers fails", "a certificate has expired", "the scheduler is stopped"}
