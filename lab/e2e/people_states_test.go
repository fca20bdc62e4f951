package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gateway/tools/bar"
)

// trouble is one state that a test brings about: what happens, how it is mended, and what
// everybody has to say meanwhile.
type trouble struct {
	Name    string `json:"name"`
	Problem string `json:"problem,omitempty"` // code
	Row     *row   `json:"row,omitempty"`

	cause, mend     func()
	kind, id, state string // what the API says of an object
}

// row is an object in a list of the UI.
type row struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Word string `json:"word"` // while it lasts
	// Well is before and after. A resolver without an internet is degraded then: what it is asked fails.
	Well string `json:"well"`
}

// ward is a node with a small shop: two servers behind a domain, a second backend behind a
// routing rule, and a TCP service.
type ward struct {
	*appliance
	c                              *caller
	one, two, api, tcp             *patient
	pool, side, domain, rule, port string
	servers                        map[string]string // id by name
	certificate, record            string
}

// patient is an origin that can be made to fail.
type patient struct {
	*origin
	ill atomic.Bool
}

func (p *patient) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.ill.Load() {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
			return
		}
	}
	p.origin.ServeHTTP(w, r)
}

func (w *ward) patient(name string) *patient {
	p := &patient{origin: w.origin(name)}
	p.server.Handler = p
	return p
}

const shop = "shop.people.example"

func newWard(t *testing.T) *ward {
	a, c := alone(t)
	w := &ward{appliance: a, c: c, servers: map[string]string{}}
	w.one, w.two, w.api = w.patient("one"), w.patient("two"), w.patient("api")
	w.tcp = w.patient("tcp")
	checked := object{"health_check": true, "health_path": "/", "health_interval": 1, "health_status": 200}
	w.pool, w.side = c.pool(checked), c.pool(checked)
	for p, pool := range map[*patient]string{w.one: w.pool, w.two: w.pool, w.api: w.side} {
		w.servers[p.name] = c.post("/backend-servers", p.in(pool)).want(201).id()
	}
	certificate, key := pair(t, shop)
	w.certificate = c.post("/certificates", uploaded(shop, certificate, key)).want(201).id() // nobody renews it
	w.domain = c.site(shop, w.pool, nil)
	w.rule = c.post("/routing-rules", object{"domain_id": w.domain, "path_prefix": "/api/", "backend_id": w.side, "priority": 10}).want(201).id()
	tcp := c.pool(object{"scheme": "tcp", "health_check": true, "health_interval": 1})
	c.post("/backend-servers", w.tcp.in(tcp)).want(201)
	zone := c.post("/dns/zones", object{"name": "people.arpa", "forward_to": []string{}}).want(201).id()
	w.record = c.post("/dns/records", object{"zone_id": zone, "name": "ann", "type": "A", "value": "192.0.2.9"}).want(201).id()
	w.port = c.post("/tcp-services", object{"name": "people tcp", "port": 8123, "backend_id": tcp}).want(201).id()
	return w
}

// change writes some fields of an object.
func (w *ward) change(path string, fields object) func() {
	return func() {
		o := w.c.settings(path)
		for _, derived := range []string{"servers", "proxy_name"} {
			delete(o, derived)
		}
		for k, v := range fields {
			o[k] = v
		}
		w.c.put(path, o).want(200)
	}
}

func (w *ward) line(text string) func() { return func() { w.t.Helper(); w.sh(text) } }

func ill(all ...*patient) func() { return func() { setIll(true, all) } }
func fit(all ...*patient) func() { return func() { setIll(false, all) } }

func setIll(on bool, all []*patient) {
	for _, p := range all {
		p.ill.Store(on)
	}
}

func (w *ward) troubles() []trouble {
	domain := func(word string) *row { return &row{"/proxy", shop, word, "Serving"} }
	pool := func(word string) *row { return &row{"/proxy/pools/" + w.pool, "one", word, "Up"} }
	server := "/backend-servers/" + w.servers["one"]
	kill := func(signal, unit string) func() { return w.line("systemctl kill -s " + signal + " " + unit) }
	return []trouble{
		{Name: "one of two servers fails", Problem: "proxy.server_down", Row: domain("Degraded"), cause: ill(w.one), mend: fit(w.one), kind: "server", id: w.servers["one"], state: "down"},
		{Name: "all servers fail", Problem: "proxy.backend_down", Row: domain("Down"), cause: ill(w.one, w.two), mend: fit(w.one, w.two), kind: "backend", id: w.pool, state: "down"},
		{Name: "the backend of a rule fails", Problem: "proxy.backend_down", Row: domain("Degraded"), cause: ill(w.api), mend: fit(w.api), kind: "domain", id: w.domain, state: "degraded"},
		{Name: "a server drains", Row: pool("Draining"), cause: w.change(server, object{"drain": true}), mend: w.change(server, object{"drain": false}), kind: "server", id: w.servers["one"], state: "draining"},
		{Name: "a server is disabled", Row: pool("Disabled"), cause: w.change(server, object{"active": false}), mend: w.change(server, object{"active": true}), kind: "server", id: w.servers["one"], state: "disabled"},
		{Name: "a backend in use is disabled", Problem: "proxy.backend_disabled", Row: domain("Down"), cause: w.change("/backends/"+w.pool, object{"active": false}), mend: w.change("/backends/"+w.pool, object{"active": true}), kind: "backend", id: w.pool, state: "disabled"},
		{Name: "nobody checks the servers", Row: domain("Not checked"), cause: w.change("/backends/"+w.pool, object{"health_check": false}), mend: w.change("/backends/"+w.pool, object{"health_check": true}), kind: "backend", id: w.pool, state: "unchecked"},
		{Name: "a domain is disabled", Row: domain("Disabled"), cause: w.change("/domains/"+w.domain, object{"active": false}), mend: w.change("/domains/"+w.domain, object{"active": true}), kind: "domain", id: w.domain, state: "disabled"},
		{Name: "a domain is in maintenance", Row: domain("Maintenance"), cause: w.change("/domains/"+w.domain, object{"maintenance": true}), mend: w.change("/domains/"+w.domain, object{"maintenance": false}), kind: "domain", id: w.domain, state: "maintenance"},
		{Name: "a domain has no certificate", Problem: "proxy.no_certificate", Row: &row{"/proxy", "people.example", "No certificate", "Serving"}, cause: w.change("/domains/"+w.domain, object{"name": "other.people.example"}), mend: w.change("/domains/"+w.domain, object{"name": shop}), kind: "domain", id: w.domain, state: "no_certificate"},
		{Name: "a certificate has expired", Problem: "cert.expired", Row: domain("Down"), cause: w.until("-1 day"), mend: w.until("300 days"), kind: "certificate", id: w.certificate, state: "expired"},
		{Name: "a certificate expires soon", Problem: "cert.expiring", Row: domain("Degraded"), cause: w.until("3 days"), mend: w.until("300 days"), kind: "certificate", id: w.certificate, state: "expiring"},
		{Name: "a TCP service has no server", Problem: "proxy.backend_down", Row: &row{"/proxy?tab=services", "people tcp", "Down", "Serving"}, cause: w.closed(), mend: w.reopened(), kind: "tcp_service", id: w.port, state: "down"},
		{Name: "the resolver hangs", Problem: "dns.not_answering", Row: &row{"/system", "Unbound", "Failed", "Running|Degraded"}, cause: kill("STOP", "unbound"), mend: kill("CONT", "unbound"), kind: "resolver", id: "dns", state: "failed"},
		{Name: "the NTP daemon hangs", Problem: "ntp.not_answering", cause: kill("STOP", "chrony"), mend: kill("CONT", "chrony"), kind: "clock", id: "ntp", state: "failed"},
		{Name: "the scheduler is stopped", Problem: "system.service_stopped", cause: w.line("systemctl stop gateway-scheduler"), mend: w.line("systemctl start gateway-scheduler"), kind: "service", id: "scheduler", state: "stopped"},
		{Name: "the applier is away", Problem: "system.applier_down", cause: w.line("systemctl stop gateway-apply.socket gateway-apply"), mend: w.line("systemctl start gateway-apply.socket gateway-apply"), kind: "service", id: "packet-filter", state: "unknown"},
		{Name: "the database is away", Problem: "system.database_down", cause: w.line("systemctl stop postgresql postgresql@17-main"), mend: w.line("systemctl start postgresql")},
		{Name: "maintenance mode is on", Problem: "system.maintenance", cause: w.mode(true), mend: w.mode(false)},
		{Name: "a daemon rejects its configuration", Problem: "change.not_applied", cause: w.rejected(), mend: w.accepted(), kind: "component", id: "dns", state: "failed"},
		{Name: "an edited file is kept", Problem: "change.edits_kept", cause: w.edited(true), mend: w.edited(false), kind: "component", id: "ntp", state: "held"},
		{Name: "a row cannot be rendered", Problem: "change.left_out", cause: w.spoilt("bad value"), mend: w.spoilt("192.0.2.9")},
		{Name: "DNS is switched off", cause: w.change("/dns/settings", object{"enabled": false}), mend: w.change("/dns/settings", object{"enabled": true}), kind: "resolver", id: "dns", state: "off"},
		{Name: "NTP is switched off", cause: w.change("/ntp/settings", object{"enabled": false}), mend: w.change("/ntp/settings", object{"enabled": true}), kind: "clock", id: "ntp", state: "off"},
	}
}

// until sets when the certificate ends, as time would.
func (w *ward) until(from string) func() {
	return func() {
		w.t.Helper()
		w.tamper(fmt.Sprintf("update certificates set not_before = now() - interval '80 days', not_after = now() + interval '%s' where id = '%s'", from, w.certificate))
	}
}

// closed and reopened are the TCP service's server.
func (w *ward) closed() func() {
	return w.line(fmt.Sprintf("nft add table inet people; nft add chain inet people o '{ type filter hook output priority 0; }'; nft add rule inet people o tcp dport %d reject with tcp reset", w.tcp.addr.Port()))
}

func (w *ward) reopened() func() { return w.line("nft delete table inet people") }

func (w *ward) mode(on bool) func() {
	return func() { w.c.post("/system/maintenance", object{"enabled": on}).want(200) }
}

// rejected has the checker say no to whatever it is given, as one does whose disk is broken.
func (w *ward) rejected() func() {
	return func() {
		w.t.Helper()
		w.sh("printf '#!/bin/sh\\necho no such option >&2\\nexit 1\\n' > /run/no; chmod 755 /run/no; mount --bind /run/no /usr/sbin/unbound-checkconf")
		w.tamper("update dns_settings set qname_minimisation = not coalesce(qname_minimisation, true)")
	}
}

func (w *ward) accepted() func() {
	return func() {
		w.t.Helper()
		w.sh("umount /usr/sbin/unbound-checkconf")
		w.tamper("update dns_settings set qname_minimisation = not coalesce(qname_minimisation, true)")
	}
}

// edited keeps a file that somebody edited, or has it overwritten.
func (w *ward) edited(keep bool) func() {
	return func() {
		w.t.Helper()
		w.c.put("/system/components/ntp", object{"keep_edits": keep}).want(200)
		if keep {
			w.sh("echo '# by hand' >> /etc/chrony/conf.d/gateway.conf")
		}
	}
}

func (w *ward) spoilt(value string) func() {
	return func() {
		w.t.Helper()
		w.tamper(fmt.Sprintf("update dns_records set value = '%s' where id = '%s'", value, w.record))
	}
}

// told is what GET /problems and gateway-ctl problems say.
type told struct {
	Problems []struct{ Code, Message, Remedy, Link string }
	Unknown  []struct{ Component string }
}

func (x told) has(code string) bool {
	return slices.ContainsFunc(x.Problems, func(p struct{ Code, Message, Remedy, Link string }) bool { return p.Code == code })
}

// disagree lists who does not say what is true.
func (w *ward) disagree(d trouble, lasts bool) []string {
	wrong := []string{}
	check := func(who string, says bool) {
		if says != lasts {
			wrong = append(wrong, fmt.Sprintf("%s says %t while it is %t", who, says, lasts))
		}
	}
	if d.Problem != "" {
		var x told
		if r, err := w.c.try("GET", "/problems", nil); err != nil || r.status != 200 || !r.decode(&x) {
			wrong = append(wrong, "GET /problems does not answer")
		}
		check("GET /problems", x.has(d.Problem))
		check("gateway-ctl problems", strings.Contains(w.command("gateway-ctl problems --json"), `"`+d.Problem+`"`))
	}
	if d.kind != "" {
		var x struct {
			Known  bool
			States map[string]struct{ State string }
		}
		r, err := w.c.try("GET", "/problems/states/"+d.kind, nil)
		if err != nil || r.status != 200 || !r.decode(&x) || !x.Known {
			return append(wrong, "GET /problems/states/"+d.kind+" does not answer")
		}
		check("the state of the "+d.kind, x.States[d.id].State == d.state)
	}
	return wrong
}

// command tells what a program says, whatever it ends with.
func (w *ward) command(line string) string {
	out, _ := w.node.Run(w.t.Context(), "sh", "-c", line)
	return out
}

// Lists, dashboard, indicator, API and command line say what is true of a node, while one
// thing after the other breaks and is mended.
func TestBarPeople01States(t *testing.T) {
	webFolder(t)
	w := newWard(t)
	all := w.troubles()
	if n := bar.GateSize(8, len(all), len(all)); n < len(all) {
		all = slices.DeleteFunc(all, func(d trouble) bool { return !slices.Contains(atGate, d.Name) })
	}
	find := func(do func(trouble) (any, error)) deed {
		return ask(func(in struct{ Name string }) (any, error) {
			i := slices.IndexFunc(all, func(d trouble) bool { return d.Name == in.Name })
			if i < 0 {
				return nil, errors.New("no such state")
			}
			return do(all[i])
		})
	}
	do := w.accounts()
	do["cases"] = func(json.RawMessage) (any, error) { return all, nil }
	do["cause"] = find(func(d trouble) (any, error) { d.cause(); return nil, nil })
	do["mend"] = find(func(d trouble) (any, error) { d.mend(); return nil, nil })
	do["check"] = find(func(d trouble) (any, error) {
		return w.disagree(d, true), nil
	})
	do["over"] = find(func(d trouble) (any, error) { return w.disagree(d, false), nil })
	var out struct {
		States, Shown, Gone int
		Wrong               []string
	}
	w.browse("problems", do, &out)
	for _, what := range out.Wrong {
		t.Error(what)
	}
	figure := fmt.Sprintf("%d states on the dashboard, in lists, the API and gateway-ctl: %d wrong, shown after %d ms, gone after %d ms",
		out.States, len(out.Wrong), out.Shown, out.Gone)
	bar.ReportTimed(t, "people", 1, figure, "0 wrong, <=5000 ms, <=5000 ms", out.States == len(all) && len(out.Wrong) == 0, out.Shown <= 5000 && out.Gone <= 5000)
}

// atGate is one of each kind.
var atGate = []string{
	"one of two servers fails", "all servers fail", "a domain is in maintenance", "a domain has no certificate", "a certificate has expired",
	"the resolver hangs", "the scheduler is stopped", "maintenance mode is on",
}
