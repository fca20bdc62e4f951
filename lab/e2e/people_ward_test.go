package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway/lab"
	"gateway/tools/bar"
)

// ward is a node with a small shop: two servers behind a domain, a second backend behind a
// routing rule, a TCP service, an interface in a zone, a provider, and a clock that is right.
type ward struct {
	*appliance
	c                              *caller
	one, two, api, tcp             *patient
	pool, side, domain, rule, port string
	servers                        map[string]string // id by name
	certificate, record            string
	puzzled                        atomic.Bool // the name server that others forward to
	source, link, name, waiting    string
	subnet, cable                  string
	uplinks                        map[string]string // id by name

	provider *lab.Client  // at the other end of eth1; nil where nobody judges the network
	callers  chan *caller // for those who ask beside others

	mu       sync.Mutex
	expected map[string]time.Time // problems by code, and until when
}

const (
	shop  = "shop.people.example"
	other = "other.people.example"
	day   = 24 * time.Hour
	// addLink makes an interface with a cable to another one.
	addLink = "ip link add people0 type veth peer name people1 && ip link set people1 up && ip link set people0 up"
)

// How a patient is.
const (
	sick   = iota + 1 // breaks connections off
	erring            // answers with an error
)

// patient is an origin that can be made to fail.
type patient struct {
	*origin
	ill  atomic.Int32
	dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

func (p *patient) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch p.ill.Load() {
	case sick:
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
			return
		}
	case erring:
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	p.origin.ServeHTTP(w, r)
}

// dead asks it directly.
func (p *patient) dead() bool { return get("http://"+p.addr.String()+"/", p.dial) != 200 }

func (w *ward) patient(name string) *patient {
	p := &patient{origin: w.origin(name), dial: w.client.DialContext}
	p.server.Handler = p
	return p
}

func newWard(t *testing.T) *ward {
	w := &ward{appliance: &appliance{t: t}, servers: map[string]string{}, expected: map[string]time.Time{}}
	w.admit(bar.GateSize(0, 1, 1) > 0)
	c := w.c
	w.one, w.two, w.api, w.tcp = w.patient("one"), w.patient("two"), w.patient("api"), w.patient("tcp")
	checked := object{"name": "people pool", "health_check": true, "health_path": "/", "health_interval": 1, "health_status": 200}
	w.pool = c.pool(checked)
	checked["name"] = "people api"
	w.side = c.pool(checked)
	for p, pool := range map[*patient]string{w.one: w.pool, w.two: w.pool, w.api: w.side} {
		w.servers[p.name] = c.post("/backend-servers", p.in(pool)).want(201).id()
	}
	certificate, key := pairUntil(t, shop, 300*day)
	w.certificate = c.post("/certificates", uploaded(shop, certificate, key)).want(201).id() // nobody renews it
	w.domain = c.site(shop, w.pool, nil)
	w.rule = c.post("/routing-rules", object{"domain_id": w.domain, "path_prefix": "/api/", "backend_id": w.side, "priority": 10}).want(201).id()
	tcp := c.pool(object{"name": "people tcp", "scheme": "tcp", "health_check": true, "health_interval": 1})
	c.post("/backend-servers", w.tcp.in(tcp)).want(201)
	w.port = c.post("/tcp-services", object{"name": "people tcp", "port": 8123, "backend_id": tcp}).want(201).id()
	zone := c.post("/dns/zones", object{"name": "people.arpa", "forward_to": []string{}}).want(201).id()
	w.record = c.post("/dns/records", object{"zone_id": zone, "name": "ann", "type": "A", "value": "192.0.2.9"}).want(201).id()
	w.answerNames()
	// Beyond the lab there are no name servers: a resolver that asked those would fail with every name that is not here.
	w.change("/dns/settings", object{"upstream_forwards": []string{w.client.IP().String()}, "dnssec": false})()
	c.post("/dns/zones", object{"name": "forward.arpa", "forward_to": []string{w.client.IP().String()}}).want(201)
	w.sh("printf '#!/bin/sh\\necho no such option >&2\\nexit 1\\n' >/run/no; chmod 755 /run/no; " + addLink)
	w.link = c.post("/network-interfaces", object{"name": "people0", "type": "ethernet", "role": "lan"}).want(201).id()
	w.setClock()
	if w.provider != nil {
		w.connect()
		w.employ()
	}
	return w
}

// answerNames has the client be a name server that knows no name, or does not know itself.
func (w *ward) answerNames() {
	w.t.Helper()
	conn, err := w.client.ListenPacket(w.t.Context(), "udp", net.JoinHostPort(w.client.IP().String(), "53"))
	w.lab.Must(err)
	w.t.Cleanup(func() { _ = conn.Close() })
	go func() {
		const isAnswer, noName, failed = 0x80, 0x83, 0x82
		for packet := make([]byte, 1500); ; {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			if n < 4 {
				continue
			}
			packet[2] |= isAnswer
			packet[3] = noName
			if w.puzzled.Load() {
				packet[3] = failed
			}
			_, _ = conn.WriteTo(packet[:n], from) // who asked asks again
		}
	}()
}

// setClock has the client tell the time.
func (w *ward) setClock() {
	w.t.Helper()
	w.client.MustRun(w.t, "chronyd", "-x", "local stratum 1", "allow all", "cmdport 0", "bindcmdaddress /", "pidfile /run/people-chronyd.pid")
	var all []struct{ ID string }
	w.c.get("/ntp/pools").want(200).decode(&all)
	w.withSource()()
	for _, one := range all {
		w.c.do("DELETE", "/ntp/pools/"+one.ID, nil).want(200)
	}
	w.eventually(patience, "the clock is right", func() bool { return strings.Contains(w.command("chronyc -n tracking"), ": Normal") })
}

func (w *ward) withSource() func() {
	return func() {
		w.source = w.c.post("/ntp/pools", object{"kind": "server", "address": w.client.IP().String(), "iburst": true, "minpoll": 0, "maxpoll": 2}).want(201).id()
	}
}

func (w *ward) withoutSource() func() {
	return func() { w.c.do("DELETE", "/ntp/pools/"+w.source, nil).want(200) }
}

// change writes some fields of an object.
func (w *ward) change(path string, fields object) func() {
	return func() {
		w.t.Helper()
		o := w.c.settings(path)
		for _, derived := range []string{"servers", "proxy_name", "records"} {
			delete(o, derived)
		}
		for k, v := range fields {
			o[k] = v
		}
		w.c.put(path, o).want(200)
	}
}

func (w *ward) line(text string) func() { return func() { w.t.Helper(); w.sh(text) } }

// holds tells whether a line of shell ends well on the node.
func (w *ward) holds(line string) bool {
	_, err := w.node.Run(w.t.Context(), "sh", "-c", line)
	return err == nil
}

// command tells what a program says, whatever it ends with.
func (w *ward) command(line string) string {
	out, _ := w.node.Run(w.t.Context(), "sh", "-c", line)
	return strings.TrimSpace(out)
}

func ill(all ...*patient) func() { return func() { setIll(sick, all) } }
func fit(all ...*patient) func() { return func() { setIll(0, all) } }

func setIll(how int32, all []*patient) {
	for _, p := range all {
		p.ill.Store(how)
	}
}

// broken has a program fail whenever it is started, and ends the one that runs.
func (w *ward) broken(program, unit string) func() {
	return w.line("mount --bind /run/no " + program + " && systemctl kill -s KILL " + unit)
}

func (w *ward) repaired(program, unit string) func() {
	return w.line("umount -l " + program + "; systemctl reset-failed " + unit + "; systemctl restart " + unit)
}

// until sets when the certificate ends.
func (w *ward) until(left time.Duration) func() {
	return func() {
		w.t.Helper()
		certificate, key := pairUntil(w.t, shop, left)
		w.c.put("/certificates/"+w.certificate, uploaded(shop, certificate, key)).want(200)
	}
}

// pairUntil is a certificate that ends then, and its key.
func pairUntil(t *testing.T, name string, left time.Duration) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-80 * day), NotAfter: time.Now().Add(left),
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
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
		w.sh("mount --bind /run/no /usr/sbin/unbound-checkconf")
		w.tamper("update dns_settings set qname_minimisation = not coalesce(qname_minimisation, true)")
	}
}

func (w *ward) accepted() func() {
	return func() {
		w.t.Helper()
		w.sh("umount -l /usr/sbin/unbound-checkconf")
		w.tamper("update dns_settings set qname_minimisation = not coalesce(qname_minimisation, true)")
	}
}

// spoilt writes a record past all checks.
func (w *ward) spoilt(value string) func() {
	return func() {
		w.t.Helper()
		w.tamper(fmt.Sprintf("update dns_records set value = '%s' where id = '%s'", value, w.record))
	}
}

// named makes an address object whose name nobody knows, as if that were some time ago.
func (w *ward) named() func() {
	return func() {
		w.t.Helper()
		w.name = w.c.post("/firewall/address-objects", object{"name": "people", "kind": "fqdn", "value": "gone.people.arpa"}).want(201).id()
		w.tamper("update firewall_address_objects set updated_at = now() - interval '1 hour' where id = '" + w.name + "'")
	}
}

// unconfirmed makes a change that somebody has to confirm.
func (w *ward) unconfirmed() func() {
	return func() { w.t.Helper(); w.waiting = w.confirmedWithin("120", "waits", "192.0.2.10") }
}

// confirmedWithin makes a record that goes away unless somebody confirms it in so many seconds, and answers the change.
func (w *ward) confirmedWithin(seconds, name, address string) string {
	w.t.Helper()
	asks := w.c.copy()
	asks.header.Set("Gateway-Confirm-Within", seconds)
	zone := w.sql("gateway", "select id from dns_zones where name = 'people.arpa'")
	return asks.post("/dns/records", object{"zone_id": zone, "name": name, "type": "A", "value": address}).want(201).header.Get("Gateway-Change")
}

// get is the status of an answer; 0 when there is none.
func get(url string, dial func(ctx context.Context, network, addr string) (net.Conn, error)) int {
	status, _ := fetch(url, dial)
	return status
}

func fetch(url string, dial func(ctx context.Context, network, addr string) (net.Conn, error)) (int, received) {
	c := http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{
		DialContext: dial, DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	r, err := c.Get(url)
	if err != nil {
		return 0, received{}
	}
	defer r.Body.Close()
	var got received
	_ = json.NewDecoder(r.Body).Decode(&got) // not everybody answers like an origin
	return r.StatusCode, got
}

// atNode leads whatever name to the node.
func (w *ward) atNode(ctx context.Context, network, addr string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	return w.client.DialContext(ctx, network, net.JoinHostPort(w.node.IP().String(), port))
}

// visit is what the shop answers to a visitor.
func (w *ward) visit(path string) int { return get("https://"+shop+path, w.atNode) }

// uses tells whether visitors of the shop come to a server.
func (w *ward) uses(server string) bool {
	for range 6 {
		if _, got := fetch("https://"+shop+"/", w.atNode); got.Origin == server {
			return true
		}
	}
	return false
}

// isChecked tells whether anybody asks a server while nobody visits it.
func (w *ward) isChecked(p *patient) bool {
	before := p.served.Load()
	time.Sleep(1300 * time.Millisecond)
	return p.served.Load() > before
}

// served is the certificate that visitors are shown for a name.
func (w *ward) served(name string) *x509.Certificate {
	raw, err := w.atNode(w.t.Context(), "tcp", name+":443")
	if err != nil {
		return &x509.Certificate{}
	}
	defer raw.Close()
	conn := tls.Client(raw, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err := conn.HandshakeContext(w.t.Context()); err != nil {
		return &x509.Certificate{}
	}
	return conn.ConnectionState().PeerCertificates[0]
}

func (w *ward) handshake(name string) string { return w.served(name).Subject.CommonName }

func (w *ward) left(name string) time.Duration { return time.Until(w.served(name).NotAfter) }
