package tunnel_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"gateway/internal/api/apitest"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/network/netstate"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/tunnel/wgquick"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/intent"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/reconcile"
	"gateway/lab"
	"gateway/tools/bar"
)

// newReal is a rig whose tunnels are real ones, on wireguard-go.
func newReal(t *testing.T, live bool) (rig, *lab.Space) {
	t.Helper()
	space, folder := lab.NewSpace(t), t.TempDir()
	o := wireguardtest.Options(t, space)
	o.ImportFolder = folder
	return rig{folder: folder, Rig: componenttest.New(t, componenttest.Setup{
		Live: live, Schemas: schemas(),
		Daemon: func(*componenttest.Rig) daemon.Daemon { return wireguard.New(o) },
		Component: func(r *componenttest.Rig) component.Component {
			return tunnel.New(tunnel.Options{DB: r.Pool, Run: r.Run, Box: r.Box, Applier: r})
		},
	})}, space
}

// connect lays a cable between two networks.
func connect(t *testing.T, near, far *lab.Space) {
	t.Helper()
	address := func(name, cidr string) error {
		link, err := netlink.LinkByName(name)
		if err != nil {
			return err
		}
		addr, err := netlink.ParseAddr(cidr)
		if err != nil {
			return err
		}
		if err := netlink.AddrAdd(link, addr); err != nil {
			return err
		}
		return netlink.LinkSetUp(link)
	}
	err := near.Do(func() error {
		if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "e0"}, PeerName: "e1"}); err != nil {
			return err
		}
		link, err := netlink.LinkByName("e1")
		if err != nil {
			return err
		}
		if err := netlink.LinkSetNsFd(link, far.FD()); err != nil {
			return err
		}
		return address("e0", "192.0.2.1/24")
	})
	if err == nil {
		err = far.Do(func() error { return address("e1", "192.0.2.2/24") })
	}
	if err != nil {
		t.Fatal(err)
	}
}

// hold gives a network addresses of its own, behind the tunnel.
func hold(t *testing.T, space *lab.Space, all ...netip.Addr) {
	t.Helper()
	err := space.Do(func() error {
		lo, err := netlink.LinkByName("lo")
		if err != nil {
			return err
		}
		for _, a := range all {
			if err := netlink.AddrAdd(lo, &netlink.Addr{IPNet: netlink.NewIPNet(net.IP(a.AsSlice()))}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// device is a phone with a configuration. It is read as wg-quick(8) says, not by package wgquick:
// what the writer of a text gets wrong, our own reader may take for right.
func device(t *testing.T, space *lab.Space, text string) *wireguardtest.Client {
	t.Helper()
	values, section := map[string]string{}, ""
	for line := range strings.Lines(text) {
		name, value, is := strings.Cut(strings.TrimSpace(line), " = ")
		switch {
		case strings.HasPrefix(name, "["):
			section = name
		case is:
			values[section+name] = value
		}
	}
	key := func(name string) (k wgtypes.Key) {
		text, is := values[name]
		if name == "[Peer]PresharedKey" && !is {
			return k
		}
		k, err := wgtypes.ParseKey(text)
		if err != nil {
			t.Fatalf("%s is %q: %v", name, text, err)
		}
		return k
	}
	address, _, _ := strings.Cut(values["[Interface]Address"], ",")
	return wireguardtest.NewClientFor(t, space, key("[Interface]PrivateKey"), netip.MustParsePrefix(address).Addr(), key("[Peer]PublicKey"), key("[Peer]PresharedKey"),
		netip.MustParseAddrPort(values["[Peer]Endpoint"]), strings.Split(values["[Peer]AllowedIPs"], ", ")...)
}

// Both ends are wireguard-go, which is what WireGuard's apps run on: the claim is about the text
// and the packets, and whether the kernel has the other end does not matter to them.
//
// shows TUN-19
func TestBarNetwork09Config(t *testing.T) {
	bar.NotShort(t)
	r, near := newReal(t, true)
	far := lab.NewSpace(t)
	connect(t, near, far)
	r.MustSync()
	served, beside := netip.MustParseAddr("10.77.0.1"), netip.MustParseAddr("10.78.0.1")
	hold(t, near, served, beside)
	wg := r.server(wireguardtest.Name(), "10.8.0.1/24", object{"endpoint": "192.0.2.1", "client_routes": "10.77.0.0/24"})
	ann, bob, gone := r.peer(wg, "ann"), r.peer(wg, "bob", object{"generate_preshared_key": true, "keepalive": 25}), r.peer(wg, "gone")
	text := func(p tunnel.Peer) string { return r.Do("GET", "/peers/"+p.ID+"/config", nil).Want(200).Text }
	former := text(gone)
	r.Do("DELETE", "/tunnel/peers/"+gone.ID, nil).Want(200)
	wireguardtest.AwaitBound(t, near, *wg.ListenPort)
	own := netip.MustParseAddr("10.8.0.1")
	reaches := func(text string) bool {
		phone := device(t, far, text)
		return phone.Reach(own, 10*time.Second) && phone.Reach(served, 5*time.Second) && !phone.Reach(beside, time.Second)
	}
	byText := reaches(text(ann))
	byCode := reaches(scan(t, r.Do("GET", "/peers/"+bob.ID+"/qr", nil).Want(200).Text))
	control := device(t, far, former).Reach(own, time.Second)
	status := apitest.Data[map[string]tunnel.PeerStatus](r.As("viewer", "GET", "/tunnel/status", nil).Want(200))
	seen := status[ann.PublicKey].LastHandshake != nil && status[bob.PublicKey].Rx > 0 && len(status) == 2

	imported, broken, wrong := corpus(t)
	figure := fmt.Sprintf("up by text %v, by QR code %v, and for the networks in it alone; status %v; control: a removed peer gets through: %v; corpus: %d imported, %d broken ones skipped with reasons, %d otherwise",
		byText, byCode, seen, control, imported, broken, wrong)
	bar.Report(t, "network", 9, figure, "all up, all imported, no command run", byText && byCode && seen && !control && imported >= 20 && broken >= 10 && wrong == 0)
}

// corpus imports files as people write them.
func corpus(t *testing.T) (imported, broken, wrong int) {
	t.Helper()
	r := newRig(t)
	names := r.putAll()
	done := apitest.Data[tunnel.ImportResult](r.Do("POST", "/tunnel/import", nil).Want(200))
	for _, one := range done.Imported {
		if imported++; strings.ContainsAny(one.Name[:1], "xy") {
			wrong++
		}
	}
	for _, one := range done.Skipped {
		if broken++; one.Reason == "" || !strings.ContainsAny(one.Name[:1], "xy") {
			wrong++
		}
	}
	if _, err := os.Stat("/tmp/wg-quick-ran"); err == nil || imported+broken != len(names) {
		wrong++
	}
	return imported, broken, wrong
}

// shows TUN-25, TUN-26
func TestStatusIsThatOfWireGuard(t *testing.T) {
	r, near := newReal(t, true)
	r.MustSync()
	if got := r.Do("GET", "/tunnel/status", nil).Want(200); string(got.Data) != "{}" {
		t.Errorf("without tunnels it is %s", got.Data)
	}
	wg := r.server(wireguardtest.Name(), "10.8.0.1/24", object{"endpoint": "127.0.0.1"})
	ann := r.peer(wg, "ann")
	r.peer(wg, "off", object{"active": false})
	phone := device(t, near, r.Do("GET", "/peers/"+ann.ID+"/config", nil).Want(200).Text)
	if !phone.Reach(netip.MustParseAddr("10.8.0.1"), 10*time.Second) {
		t.Fatal("ann does not get through")
	}
	all := apitest.Data[map[string]tunnel.PeerStatus](r.Do("GET", "/tunnel/status", nil).Want(200))
	got, ok := all[ann.PublicKey]
	if !ok || len(all) != 1 || got.Interface != wg.Name || !strings.HasPrefix(got.Endpoint, "127.0.0.1:") || got.AllowedIPs[0] != "10.8.0.2/32" ||
		got.Rx == 0 || got.Tx == 0 || got.LastHandshake == nil || time.Since(*got.LastHandshake) > time.Minute {
		t.Errorf("the status is %+v", all)
	}
}

// mutator makes hostile values. What it makes follows from its seed.
type mutator struct{ *rand.Rand }

var seeds = []string{
	"", "wg0", "10.8.0.1/24", "10.8.0.9", "0.0.0.0/0", "::/0", "fd00::1/64", "fe80::1/10", "ff02::1/128", "255.255.255.255/32", "224.0.0.0/4", "127.0.0.1/8", "0.0.0.1/8",
	"240.0.0.1/4", "::ffff:10.0.0.1/96", "::1/128", "169.254.0.1/16", "10.8.0.1/0", "10.8.0.1/33", "010.8.0.1/24", "10.8.0.1/24,fd00::1/64", "10.8.0.0/32", "10.8.0.255/24", "vpn.example.com:51820",
	"[2001:db8::1]:51820", "192.0.2.1:0", "192.0.2.1:65535", "0.0.0.0:1", "a\nPostUp = id", "$(id)", "`id`", "'; drop table x; --", "../../etc/passwd", "%s%n", "\x00", "\u202eevil", "ä", strings.Repeat("x", 300),
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "/////////////////////////////////////////38=", "eth*", "lo", "all", "-x",
}

func (m mutator) text() string { return m.mutate(seeds[m.IntN(len(seeds))]) }

// mutate changes up to two places of a text.
func (m mutator) mutate(text string) string {
	s := []byte(text)
	for range m.IntN(3) {
		switch i := m.IntN(len(s) + 1); m.IntN(4) {
		case 0:
			s = append(s[:i:i], append([]byte{byte(m.IntN(256))}, s[i:]...)...)
		case 1:
			s = append(s[:i:i], s[min(i+1, len(s)):]...)
		case 2:
			s = append(s[:i:i], seeds[m.IntN(len(seeds))]...)
		default:
			s = append(s[:i:i], append([]byte("0123456789./:,"[m.IntN(14):][:1]), s[min(i+1, len(s)):]...)...)
		}
	}
	return string(s)
}

func (m mutator) number() any {
	return []any{0, 1, -1, 53, 576, 1279, 1280, 1420, 9000, 65534, 65535, 65536, 1 << 40, 1.5, "7", nil, m.IntN(70000)}[m.IntN(17)]
}

// some replaces one or two fields.
func (m mutator) some(body object, fields map[string]func() any) object {
	names := slices.Sorted(maps.Keys(fields))
	out := apitest.With(body)
	for range 1 + m.IntN(2) {
		name := names[m.IntN(len(names))]
		out[name] = fields[name]()
	}
	return out
}

// hostile counts what came of mutants.
type hostile struct {
	rig
	mutator
	space                           *lab.Space
	tunnel                          tunnel.Interface
	sent, taken, refused, unhandled int
	renamed                         map[string]bool // names that the tunnel had in the kernel
}

// settle has WireGuard take what was stored.
func (h *hostile) settle(what any) {
	h.T.Helper()
	came := h.Sync()
	var report wireguard.Report
	if err := h.Ask(h.T.Context(), wireguard.Name, wireguard.StatusVerb, nil, &report); err != nil {
		h.T.Fatal(err)
	}
	bad := came.State != intent.Live || len(h.Installed.Problems) > 0 || !h.named(report)
	for _, w := range report.Wrong {
		bad = bad || w.Kind == netstate.Refused
	}
	var want int
	if err := h.Pool.QueryRow(h.T.Context(), `select count(*) from tunnel_peers p join tunnel_interfaces i on i.id = p.interface_id where p.active and i.active`).Scan(&want); err != nil {
		h.T.Fatal(err)
	}
	if bad || len(report.Peers) != want {
		h.refused++
		h.T.Logf("after 2xx: %+v, left out %+v, wrong %+v, %d of %d peers, of %.300v", came, h.Installed.Problems, report.Wrong, len(report.Peers), want, what)
	}
}

// named reports whether the kernel has a link of ours for each tunnel, but for one whose name a
// stranger has, such as lo: that is said, and the stranger stays.
func (h *hostile) named(report wireguard.Report) bool {
	h.T.Helper()
	names, err := db.List[struct{ Name string }](h.T.Context(), h.Pool, `select name from tunnel_interfaces where active`)
	if err != nil {
		h.T.Fatal(err)
	}
	ours := map[string]bool{}
	err = h.space.Do(func() error {
		links, err := netlink.LinkList()
		for _, l := range links {
			ours[l.Attrs().Name] = l.Attrs().Group == rtnl.Group
		}
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	for _, n := range names {
		isOurs, is := ours[n.Name]
		said := slices.ContainsFunc(report.Wrong, func(w reconcile.Trouble) bool { return w.Kind == reconcile.Conflict && w.Subject == "tunnel "+n.Name })
		if !isOurs && (!is || !said) {
			return false
		}
		if isOurs {
			h.renamed[n.Name] = true
		}
	}
	return true
}

// count sorts an answer.
func (h *hostile) count(a apitest.Answer) bool {
	h.sent++
	switch {
	case a.Status >= 500:
		h.unhandled++
		h.T.Logf("answered %d %+v", a.Status, a.Error)
	case a.Status < 300:
		h.taken++
		return true
	}
	return false
}

// peers posts mutants of peers, and has WireGuard take those that were stored, many at once.
func (h *hostile) peers(n int) {
	text := func() any { return h.text() }
	base := object{"interface_id": h.tunnel.ID, "name": "x"}
	var stored []object
	for i := range n {
		body := h.some(apitest.With(base, object{"name": fmt.Sprintf("p%d", i)}), map[string]func() any{
			"name": text, "public_key": text, "preshared_key": text, "endpoint": text, "description": text, "interface_id": text,
			"allowed_ips": func() any { return []any{h.text(), h.text()}[:1+h.IntN(2)] }, "keepalive": h.number, "expires_at": text, "active": func() any { return h.IntN(2) == 0 },
		})
		if h.count(h.Do("POST", "/tunnel/peers", body)) {
			stored = append(stored, body)
		}
		if len(stored) == 50 || i == n-1 {
			h.settle(stored)
			h.Restore(`delete from tunnel_peers`)
			stored = nil
		}
	}
}

// interfaces puts mutants of the tunnel.
func (h *hostile) interfaces(n int) {
	text := func() any { return h.text() }
	base := object{"name": h.tunnel.Name, "mode": "server", "address_cidr": "10.8.0.1/24"}
	// Half of the names are made of one that no other test has: the sockets of wireguard-go are in
	// one folder.
	name := func() any { return h.mutate([]string{wireguardtest.Name(), seeds[h.IntN(len(seeds))]}[h.IntN(2)]) }
	link := map[string]func() any{"name": name, "listen_port": h.number}
	all := map[string]func() any{
		"name": name, "listen_port": h.number, "address_cidr": text, "mtu": h.number, "client_routes": text, "endpoint": text,
		"dns": text, "private_key": text, "description": text, "mode": text,
	}
	for i := range n {
		fields := all
		if i%3 == 0 { // among so many, few would be of the link alone
			fields = link
		}
		body := h.some(base, fields)
		if h.count(h.Do("PUT", "/tunnel/interfaces/"+h.tunnel.ID, body)) {
			h.settle(body)
		}
	}
	h.Do("PUT", "/tunnel/interfaces/"+h.tunnel.ID, base).Want(200)
}

// files imports mutants of the corpus: all are read, and some go the whole way.
func (h *hostile) files(n, whole int) {
	var texts []string
	for _, name := range h.putAll() {
		text, err := os.ReadFile(filepath.Join(h.folder, name+".conf"))
		if err != nil {
			h.T.Fatal(err)
		}
		texts = append(texts, string(text))
		_ = os.Remove(filepath.Join(h.folder, name+".conf"))
	}
	name := wireguardtest.Name()
	for range n {
		text := texts[h.IntN(len(texts))]
		for range 1 + h.IntN(3) {
			i := h.IntN(len(text) + 1)
			text = text[:i] + h.text() + text[min(i+h.IntN(9), len(text)):]
		}
		h.sent++
		if _, err := wgquick.Parse(text); err != nil || whole == 0 {
			continue
		}
		whole--
		h.put(name+".conf", text)
		if h.count(h.Do("POST", "/tunnel/import", object{"names": []string{name}})) {
			h.settle(text)
			h.Restore(`delete from tunnel_peers`)
			h.Restore(`delete from tunnel_interfaces where id <> $1`, h.tunnel.ID)
		}
	}
}

func TestBarNetwork12Hostile(t *testing.T) {
	bar.NotShort(t)
	r, space := newReal(t, false)
	h := &hostile{rig: r, space: space, mutator: mutator{rand.New(rand.NewPCG(12, 14))}, renamed: map[string]bool{}}
	r.MustSync()
	h.tunnel = r.server(wireguardtest.Name(), "10.8.0.1/24", object{"endpoint": ""})
	r.MustSync()
	n := bar.Size(5000, 100000)
	h.peers(n / 5)
	h.interfaces(n / 10)
	h.files(n*3/4, n/100)
	figure := fmt.Sprintf("%d mutants by API and import, %d stored and applied under %d names: %d refused by WireGuard or the kernel, %d answered 5xx", h.sent, h.taken, len(h.renamed), h.refused, h.unhandled)
	bar.Report(t, "network", 12, figure, "0 refused after 2xx, 0 panics", h.refused == 0 && h.unhandled == 0 && h.taken > 50 && len(h.renamed) > 10)
}
