package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"gateway/internal/component/dhcp/dhcptest"
	"gateway/lab"
	"gateway/tools/bar"
)

const (
	laptopName  = "laptop"
	lanDomain   = "lan.example.com"
	farSite     = "www.example.net"
	farText     = "a site of the internet"
	lanUser     = "ann"
	lanPassword = "wonder land"
)

// office is a network that a new node is to serve: a laptop that waits for an address, an access
// point, and the internet at the other side of the node.
type office struct {
	*appliance
	laptop, ap, internet *lab.Client
	dhcp                 *dhcptest.Client
	address, resolver    netip.Addr // that the laptop was given
	took                 time.Duration
	began                time.Time
}

// having is what the people on the network have.
type having struct {
	Address string // of the laptop
	Name    string // what its name is answered with, and its address
	Site    string // by the proxy
	Direct  string // without it
	SignIn  string // at the access point
}

// From the package to a laptop with an address, a name and a way to the internet, and an access
// point where somebody signs in; by what is written on the pages.
func TestBarServices10Browser(t *testing.T) {
	webFolder(t)
	deb := firstDeb(t)
	o := newOffice(t)
	o.began = time.Now()
	o.install(deb)
	var out struct {
		Clicks, Heard    int
		Steps            map[string]int
		Sights, Findings []string
		Looks            int
		After            map[string]having
		Shown            struct{ Lease, SignIn, Test string }
	}
	base := strings.TrimSuffix(o.lab.Network("lan").Prefix().Addr().String(), "0")
	o.browse("lan_services", deeds{
		"setup-code": func(json.RawMessage) (any, error) { return o.run("gateway-ctl", "setup-code"), nil },
		"see":        func(json.RawMessage) (any, error) { return o.see(), nil },
		"done":       func(json.RawMessage) (any, error) { o.took = time.Since(o.began); return nil, nil },
	}, &out, append(shots(t), "NODE="+o.node.IP().String(), "POOL="+base+"200-"+base+"220", "DOMAIN="+lanDomain,
		"USER_NAME="+lanUser, "PASSWORD="+lanPassword, "AP="+o.ap.IP().String(), "SECRET="+deviceSecret, "LAPTOP="+laptopName)...)
	for _, s := range out.Sights {
		t.Log("seen:", s)
	}
	t.Logf("clicks by step: %v; shown: %+v", out.Steps, out.Shown)
	for _, f := range out.Findings {
		t.Errorf("axe: %s", f)
	}
	o.judge(out.After)
	if out.Heard != out.Clicks {
		t.Errorf("the hand made %d clicks, the pages heard %d", out.Clicks, out.Heard)
	}
	if !strings.Contains(out.Shown.Lease, o.address.String()) || !strings.Contains(out.Shown.SignIn, "Accepted") || !strings.Contains(out.Shown.Test, "lets this user in") {
		t.Errorf("the pages show %+v", out.Shown)
	}
	figure := fmt.Sprintf("%s: %s has an address, a name and a site by the proxy, %s signs in, each after its step and not before; %.1f minutes, %d clicks, %d screens; axe %d findings in %d looks",
		verdict(t), laptopName, lanUser, o.took.Minutes(), out.Clicks, len(out.Sights), len(out.Findings), out.Looks)
	bar.Report(t, "services", 10, figure, "passes, axe clean", !t.Failed() && out.Looks > 10 && len(out.Findings) == 0)
}

func newOffice(t *testing.T) *office {
	t.Helper()
	l := lab.New(t)
	a := &appliance{t: t, lab: l, node: l.Node("gw1", lab.On("lan", "wan")), client: l.Client("c1", lab.On("lan"))}
	o := &office{appliance: a, laptop: l.Client(laptopName, lab.On("lan")), ap: l.Client("ap", lab.On("lan")), internet: l.Client("internet", lab.On("wan"))}
	o.connect()
	a.lab.Must(a.node.WriteFile("/etc/resolv.conf", []byte("nameserver "+o.internet.IP().String()+"\n"), 0o644))
	mac := strings.Fields(o.laptop.MustRun(t, "ip", "-br", "link", "show", "eth0"))[2]
	o.laptop.MustRun(t, "ip", "addr", "flush", "dev", "eth0")
	var err error
	o.dhcp, err = dhcptest.NewClient(o.laptop, "eth0", mac)
	a.lab.Must(err)
	o.dhcp.Hostname = laptopName
	t.Cleanup(func() { _ = o.dhcp.Close() })
	return o
}

// connect makes the internet: a site, and who knows its address.
func (o *office) connect() {
	o.t.Helper()
	at := o.internet.IP().String()
	ln, err := o.internet.Listen(o.t.Context(), "tcp", net.JoinHostPort(at, "80"))
	o.lab.Must(err)
	site := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, farText) })}
	go func() { _ = site.Serve(ln) }()
	o.t.Cleanup(func() { _ = site.Close() })
	conn, err := o.internet.ListenPacket(o.t.Context(), "udp", net.JoinHostPort(at, "53"))
	o.lab.Must(err)
	names := &dns.Server{PacketConn: conn, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		if len(q.Question) == 1 && q.Question[0].Qtype == dns.TypeA && q.Question[0].Name == farSite+"." {
			m.Answer = append(m.Answer, &dns.A{Hdr: dns.RR_Header{Name: farSite + ".", Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: net.ParseIP(at)})
		}
		_ = w.WriteMsg(m) // who asked asks again
	})}
	go func() { _ = names.ActivateAndServe() }()
	o.t.Cleanup(func() { _ = names.Shutdown() })
}

// see tries all that people on the network want to do.
func (o *office) see() having {
	if !o.address.IsValid() {
		o.ask()
	}
	var got having
	if o.address.IsValid() {
		got.Address = o.address.String()
		got.Name = o.named()
		_, got.Site = browse(o.t, o.laptop, net.JoinHostPort(o.node.IP().String(), "3128"), "http://"+farSite+"/")
		got.Direct = o.direct()
	}
	said, err := device{o.t, o.ap, o.node.IP().String(), deviceSecret}.tries("1812", lanUser, lanPassword)
	if got.SignIn = said; err != nil {
		got.SignIn = err.Error()
	}
	return got
}

// ask is the laptop that is plugged in, and uses what it is told.
func (o *office) ask() {
	lease, err := o.dhcp.Obtain(o.t.Context(), 2*time.Second)
	if err != nil {
		return
	}
	router, routed := netip.AddrFromSlice(lease.Options[3])
	resolver, named := netip.AddrFromSlice(lease.Options[6])
	if !routed || !named {
		o.t.Errorf("the laptop is told the router %v and the resolver %v", lease.Options[3], lease.Options[6])
		return
	}
	o.laptop.MustRun(o.t, "ip", "addr", "add", lease.Address.String()+"/24", "dev", "eth0")
	o.laptop.MustRun(o.t, "ip", "route", "add", "default", "via", router.String())
	o.address, o.resolver = lease.Address, resolver
}

// named is what the laptop's resolver answers to its name, and to its address. A name comes within a
// second of the lease.
func (o *office) named() string {
	look := func(what ...string) string {
		out, err := o.laptop.Run(o.t.Context(), append([]string{"dig", "+short", "+time=1", "+tries=1", "@" + o.resolver.String()}, what...)...)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(out)
	}
	var name string
	for end := time.Now().Add(2 * time.Second); name == "" && time.Now().Before(end); {
		name = look(laptopName + "." + lanDomain)
	}
	return name + " " + look("-x", o.address.String())
}

// direct is the same site without the proxy.
func (o *office) direct() string {
	ctx, cancel := context.WithTimeout(o.t.Context(), time.Second)
	defer cancel()
	conn, err := o.laptop.DialContext(ctx, "tcp", net.JoinHostPort(o.internet.IP().String(), "80"))
	if err != nil {
		return "silence"
	}
	_ = conn.Close()
	return "somebody"
}

// judge holds what there was after each step against what had been done by then.
func (o *office) judge(after map[string]having) {
	o.t.Helper()
	named := o.address.String() + " " + laptopName + "." + lanDomain + "."
	for _, tc := range []struct {
		step                           string
		addressed, named, sited, known bool
	}{
		{step: "setUp"},
		{step: "zones"},
		{step: "addresses", addressed: true},
		{step: "names", addressed: true, named: true},
		{step: "proxy", addressed: true, named: true, sited: true},
		{step: "signIns", addressed: true, named: true, sited: true, known: true},
	} {
		got := after[tc.step]
		if has := got.Address != ""; has != tc.addressed {
			o.t.Errorf("after %s the laptop has the address %q", tc.step, got.Address)
		}
		if has := got.Name == named; has != tc.named {
			o.t.Errorf("after %s the laptop's name is answered %q, want %q: %v", tc.step, got.Name, named, tc.named)
		}
		if has := got.Site == farText; has != tc.sited || got.Direct == "somebody" {
			o.t.Errorf("after %s the site is %q by the proxy, and %q without", tc.step, got.Site, got.Direct)
		}
		if want := map[bool]string{false: "silence", true: "accept"}[tc.known]; got.SignIn != want {
			o.t.Errorf("after %s a sign-in is answered %q, want %s", tc.step, got.SignIn, want)
		}
	}
}
