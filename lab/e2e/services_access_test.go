package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/component/dhcp/dhcptest"
	"gateway/lab"
	"gateway/tools/bar"
)

// zones is a node with DHCP, RADIUS and the forward proxy on, between three zones. Its client in
// lan may use them; a stranger beside it, and those in wan and dmz, may not.
type zones struct {
	*appliance
	c        *caller
	stranger *lab.Client            // in lan
	web      *lab.Client            // in lan, a site
	outside  map[string]*lab.Client // by zone

	eth1, onWan string // ids of the interface that becomes wan, and of its subnet
}

// probe is something that must not pass. Where opens, it passes once the rule is put in.
type probe struct {
	name   string
	opens  bool
	passes func() (bool, error)
}

// round sends probes at the same time, and returns the names of those that passed.
func (z *zones) round(all []probe) (passed []string) {
	z.t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, p := range all {
		wg.Go(func() {
			ok, err := p.passes()
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				z.t.Errorf("%s: %v", p.name, err)
			}
			if ok {
				passed = append(passed, p.name)
			}
		})
	}
	wg.Wait()
	slices.Sort(passed)
	return passed
}

// lacking are the probes that have to pass, and did not.
func lacking(all []probe, passed []string) (names []string, have int) {
	for _, p := range all {
		if !p.opens {
			continue
		}
		if have++; !slices.Contains(passed, p.name) {
			names = append(names, p.name)
		}
	}
	return names, have
}

// What the three services refuse by who asks, and where from.
func TestBarServices08WhoMayUseWhat(t *testing.T) {
	z := newZones(t)
	wan := z.servedOnWan()
	dhcp, proxy, own, radius := z.dhcpProbes(), z.proxyProbes(), z.ownProbes(), z.radiusProbes()
	all := slices.Concat(dhcp, proxy, own, radius)
	passed := z.round(all)
	for _, name := range passed {
		t.Errorf("passes: %s", name)
	}
	controls, through := wan, wan
	for _, of := range []struct {
		open   func()
		probes []probe
	}{{z.openDHCP, dhcp}, {z.openProxy, proxy}, {z.openRADIUS, radius}, {z.openOwn, own}} {
		of.open()
		lack, have := lacking(of.probes, z.round(slices.DeleteFunc(slices.Clone(of.probes), func(p probe) bool { return !p.opens })))
		for _, name := range lack {
			t.Errorf("does not pass with the rule put in: %s", name)
		}
		controls, through = controls+have, through+have-len(lack)
	}
	figure := fmt.Sprintf("%d of %d probes pass (DHCP in wan and dmz %d, proxy from outside %d, own addresses by the proxy %d, RADIUS %d); with the rule or interface put in %d of %d pass",
		len(passed), len(all), len(dhcp), len(proxy), len(own), len(radius), through, controls)
	bar.Report(t, "services", 8, figure, "0 pass; with the rule put in all", len(passed) == 0 && through == controls && wan > 0 && controls > 20)
}

func newZones(t *testing.T) *zones {
	t.Helper()
	l := lab.New(t)
	a := startSetUp(t, l, "wan", "dmz")
	z := &zones{appliance: a, stranger: l.Client("c2", lab.On("lan")), web: l.Client("web", lab.On("lan")), outside: map[string]*lab.Client{}}
	for _, name := range []string{"wan", "dmz"} {
		z.outside[name] = l.Client("in-"+name, lab.On(name))
		z.outside[name].MustRun(t, "ip", "route", "add", "default", "via", a.node.IPOn(name).String())
	}
	z.site()
	a.sh("ip addr add 198.51.100.77/32 dev lo") // an address of the node like any other
	z.c = a.signedIn(a.admin)
	ids := map[string]string{}
	for iface, role := range map[string]string{"eth0": "lan", "eth1": "lan", "eth2": "dmz"} {
		ids[iface] = z.c.post("/network-interfaces", object{"name": iface, "type": "ethernet", "role": role}).want(201).id()
	}
	z.subnet("eth0", "lan")
	z.eth1, z.onWan = ids["eth1"], z.subnet("eth1", "wan")
	z.c.switched("/dhcp/settings", nil)
	z.c.switched("/forward-proxy/settings", object{"allowed_networks": []string{a.client.IP().String(), a.client.IP6().String()}, "zones": []string{"lan"}})
	z.c.post("/radius/clients", object{"name": "known", "address": a.client.IP().String(), "secret": deviceSecret}).want(201)
	z.c.post("/radius/users", object{"name": "ann", "password": "wonder land"}).want(201)
	z.c.switched("/radius/settings", object{"zones": []string{"lan"}})
	a.settles(z.c, patience)
	return z
}

const deviceSecret = "correct-horse-battery"

// site answers on the port that browsers ask first.
func (z *zones) site() {
	z.t.Helper()
	ln, err := z.web.Listen(z.t.Context(), "tcp", net.JoinHostPort(z.web.IP().String(), "80"))
	z.lab.Must(err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "welcome") })}
	go func() { _ = server.Serve(ln) }()
	z.t.Cleanup(func() { _ = server.Close() })
}

func (z *zones) subnet(iface, network string) (id string) {
	z.t.Helper()
	of := z.lab.Network(network).Prefix()
	base := strings.TrimSuffix(of.Addr().String(), "0")
	return z.c.post("/dhcp/subnets", object{"interface": iface, "subnet": of.String(), "pools": []string{base + "200-" + base + "210"}}).want(201).id()
}

// ask is a client's first message, and whether anybody answered.
func (z *zones) ask(zone string, kind byte, mac string) (bool, error) {
	client, err := dhcptest.NewClient(z.outside[zone], "eth0", mac)
	if err != nil {
		return false, err
	}
	defer client.Close()
	options := map[byte][]byte{}
	if kind == dhcptest.Request {
		addr := z.lab.Network(zone).Prefix().Addr().As4()
		options[50] = []byte{addr[0], addr[1], addr[2], 205}
	}
	_, err = client.Ask(z.t.Context(), kind, options, 2500*time.Millisecond, dhcptest.Offer, dhcptest.ACK, dhcptest.NAK)
	if errors.Is(err, dhcptest.ErrSilence) {
		return false, nil
	}
	return err == nil, err
}

// servedOnWan is the control for wan: in another zone eth1 has a subnet, and clients are answered
// even if a packet filter drops what they send. Then it becomes wan, for which a subnet is refused.
// It returns how many controls passed.
func (z *zones) servedOnWan() (passed int) {
	z.t.Helper()
	z.sh(`nft add table inet probe && nft 'add chain inet probe early { type filter hook prerouting priority -300; }' &&
		nft add rule inet probe early iifname eth1 udp dport 67 drop`)
	passes, err := z.ask("wan", dhcptest.Discover, "02:00:5e:00:53:f0")
	z.lab.Must(err)
	if passes {
		passed++
	} else {
		z.t.Error("does not pass with the interface put in: DHCP in wan")
	}
	z.sh("nft delete table inet probe")
	z.become("wan")
	return passed
}

// become gives eth1 another zone. With a subnet, none that is wan is accepted.
func (z *zones) become(zone string) {
	z.t.Helper()
	wan := object{"name": "eth1", "type": "ethernet", "role": zone}
	z.c.put("/network-interfaces/"+z.eth1, wan).wantCode(400, "not_renderable")
	z.c.do(http.MethodDelete, "/dhcp/subnets/"+z.onWan, nil).want(200)
	z.c.put("/network-interfaces/"+z.eth1, wan).want(200).live()
	of := z.lab.Network("wan").Prefix().String()
	z.c.post("/dhcp/subnets", object{"interface": "eth1", "subnet": of, "pools": []string{}}).want(400)
}

func (z *zones) dhcpProbes() (all []probe) {
	for i, zone := range []string{"wan", "dmz"} {
		for name, kind := range map[string]byte{"discover": dhcptest.Discover, "request": dhcptest.Request, "inform": 8} {
			mac := fmt.Sprintf("02:00:5e:00:53:%x%x", i+1, kind)
			all = append(all, probe{
				"DHCP " + name + " in " + zone, zone == "dmz" && kind == dhcptest.Discover,
				func() (bool, error) { return z.ask(zone, kind, mac) },
			})
		}
	}
	return all
}

func (z *zones) openDHCP() {
	z.subnet("eth2", "dmz")
	z.settles(z.c, patience)
}

// proxied is the status by which the proxy answers a request line: 0 if it cannot be reached, -1 if
// it takes the request and does not answer, as for a destination that is far away.
func (z *zones) proxied(from *lab.Client, proxy netip.AddrPort, method, target string) int {
	ctx, cancel := context.WithTimeout(z.t.Context(), 2500*time.Millisecond)
	defer cancel()
	conn, err := from.DialContext(ctx, "tcp", proxy.String())
	if err != nil {
		return 0
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: site.example\r\nConnection: close\r\n\r\n", method, target)
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return -1
	}
	_ = r.Body.Close()
	return r.StatusCode
}

// refused are the answers of a proxy that did not try: no connection, not understood, denied.
var refused = []int{0, http.StatusBadRequest, http.StatusForbidden}

// others are the places that may use nothing.
func (z *zones) others() map[string]*lab.Client {
	all := maps.Clone(z.outside)
	all["lan, as a stranger"] = z.stranger
	return all
}

// addresses are those of the node that others can reach, by network.
func (z *zones) addresses() (all []netip.Addr) {
	for _, network := range []string{"lan", "wan", "dmz"} {
		all = append(all, z.node.IPOn(network))
	}
	return all
}

// near is the node's IPv6 address in the network of a host.
func (z *zones) near(h *lab.Client) netip.Addr {
	a, node := h.IP6().As16(), z.node.IP6().As16()
	a[15] = node[15]
	return netip.AddrFrom16(a)
}

func (z *zones) proxyProbes() (all []probe) {
	for where, from := range z.others() {
		for _, at := range append(z.addresses(), z.near(from)) {
			if z.stranger == from && at != z.node.IP() && at.Is4() {
				continue // it has no way to the other networks
			}
			for _, port := range []uint16{3128, 13128} {
				to := netip.AddrPortFrom(at, port)
				all = append(all, probe{fmt.Sprintf("a site by %s from %s", to, where), port == 3128, func() (bool, error) {
					return !slices.Contains(refused, z.proxied(from, to, "GET", "http://"+z.web.IP().String()+"/")), nil
				}})
			}
		}
	}
	return all
}

// networks are all that there are.
func (z *zones) networks() (all []string) {
	for _, name := range []string{"lan", "wan", "dmz"} {
		n := z.lab.Network(name)
		all = append(all, n.Prefix().String(), n.Prefix6().String())
	}
	return all
}

func (z *zones) openProxy() {
	settings := z.c.settings("/forward-proxy/settings")
	settings["zones"], settings["allowed_networks"] = []string{"lan", "wan", "dmz"}, z.networks()
	z.c.put("/forward-proxy/settings", settings).want(200).live()
	z.settles(z.c, patience)
}

// spellings are hosts that are the node itself: each address of each interface, and loopback, in
// the forms that a URL may have. own are those that the list of own addresses alone refuses.
func (z *zones) spellings() (own, others []string) {
	z.t.Helper()
	for _, text := range strings.Fields(z.sh(`ip -o addr show | awk '{sub("/.*", "", $4); print $4}'`)) {
		a := netip.MustParseAddr(text)
		switch {
		case a.Is6() && (a.IsLoopback() || a.IsLinkLocalUnicast()):
			others = append(others, "["+text+"]")
		case a.Is6():
			own = append(own, "["+text+"]")
		case a.IsLoopback():
			others = append(others, text, "[::ffff:"+text+"]")
		default:
			b := a.As4()
			n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
			own = append(own, text, fmt.Sprint(n), fmt.Sprintf("%#x", n), fmt.Sprintf("%d.%d", b[0], n&0xffffff))
			others = append(others, "[::ffff:"+text+"]")
		}
	}
	for line := range strings.Lines(z.run("cat", "/etc/hosts")) {
		words := strings.Fields(line)
		if a, err := netip.ParseAddr(append(words, "")[0]); err == nil && a.IsLoopback() {
			others = append(others, words[1:]...)
		}
	}
	others = append(others, "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.255.255.254", "0.0.0.0", "0", "[::]", "169.254.169.254", "gateway.invalid")
	return own, others
}

func (z *zones) ownProbes() (all []probe) {
	z.t.Helper()
	own, others := z.spellings()
	proxy := netip.AddrPortFrom(z.node.IP(), 3128)
	add := func(host string, opens bool) {
		for method, target := range map[string]string{"GET": "http://" + host + "/", "CONNECT": host + ":443"} {
			all = append(all, probe{method + " " + target + " by the proxy", opens, func() (bool, error) {
				return !slices.Contains(refused, z.proxied(z.client, proxy, method, target)), nil
			}})
		}
	}
	for _, host := range own {
		add(host, true)
	}
	for _, host := range others {
		add(host, false)
	}
	return all
}

// openOwn takes the refusal of own addresses out of the file that Squid runs on. No setting does.
func (z *zones) openOwn() {
	z.t.Helper()
	z.sh(`systemctl stop gateway-apply.socket gateway-apply.service 2>/dev/null || systemctl stop gateway-apply.service
		sed -i '/^http_access deny own$/d' /etc/squid/gateway/squid.conf && systemctl restart squid.service`)
	z.eventually(patience, "Squid is back", func() bool {
		return z.proxied(z.client, netip.AddrPortFrom(z.node.IP(), 3128), "GET", "http://"+z.web.IP().String()+"/") == 200
	})
}

func (z *zones) radiusProbes() (all []probe) {
	add := func(name string, opens bool, d device, port string) {
		all = append(all, probe{name, opens, func() (bool, error) {
			said, err := d.tries(port, "ann", "wonder land")
			return said != "silence", err
		}})
	}
	for where, from := range z.others() {
		for _, at := range append(z.addresses(), z.near(from)) {
			if z.stranger == from && at != z.node.IP() && at.Is4() {
				continue
			}
			d := device{z.t, from, at.String(), deviceSecret}
			add(fmt.Sprintf("RADIUS at %s from %s", at, where), true, d, "1812")
			add(fmt.Sprintf("RADIUS for the node itself at %s from %s", at, where), false, d, "18120")
		}
	}
	add("RADIUS with another secret", false, device{z.t, z.client, z.node.IP().String(), "another-secret"}, "1812")
	add("RADIUS for the node itself", false, device{z.t, z.client, z.node.IP().String(), deviceSecret}, "18120")
	return all
}

func (z *zones) openRADIUS() {
	z.t.Helper()
	var operations []object
	for i, network := range z.networks() {
		body := object{"name": fmt.Sprint("all-", i), "address": network, "secret": deviceSecret}
		operations = append(operations, object{"method": "POST", "path": "/radius/clients", "body": body})
	}
	z.c.post("/batch", object{"operations": operations}).want(200)
	settings := z.c.settings("/radius/settings")
	settings["zones"] = []string{"lan", "wan", "dmz"}
	z.c.put("/radius/settings", settings).want(200).live()
	z.settles(z.c, patience)
}
