package netstate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/sys"
	"gateway/lab"
	"gateway/tools/bar"
)

// hostIn asks the kernel of a space.
type hostIn struct{ space *lab.Space }

func (h hostIn) Route(to netip.Addr) (r sys.Route, err error) {
	err = h.space.Do(func() error { r, err = new(sys.Host).Route(to); return err })
	return r, err
}

// visitor is somebody with a session: from, in a network of theirs, to one of our addresses.
type visitor struct {
	name  string
	space *lab.Space
	from  netip.Addr
	to    netip.Addr
}

// cutting changes a network under the sessions of others. The judge of every forecast is a
// connection in the same kernel.
type cutting struct {
	*network
	t        *testing.T
	rand     *rand.Rand
	node     *lab.Space
	visitors []visitor

	made, refused, missed, falseAlarms, astray int
	last                                       time.Duration // that a connection took which came about
}

// servicePort is where the node listens.
const servicePort = 3443

// newCutting is a node with a bridge to a neighbour, a provider behind p1, an address that is
// inside only, and ports that lead nowhere.
func newCutting(t *testing.T) *cutting {
	t.Helper()
	node, near, far, dead := lab.NewSpace(t), lab.NewSpace(t), lab.NewSpace(t), lab.NewSpace(t)
	c := &cutting{t: t, rand: rand.New(rand.NewPCG(14, 4)), node: node, network: &network{pending: make(chan struct{}, 1)}}
	c.Host, c.Open = hostIn{node}, opener(node)
	for i, to := range []*lab.Space{near, far, dead, dead, dead, dead} {
		c.plug(i, to)
	}
	run(t, near, "addr add 10.20.0.9/24 dev q0", "addr add fd20::9/64 dev q0 nodad", "route add 10.22.0.0/24 dev q0")
	run(t, far, "addr add 10.21.0.254/24 dev q1", "addr add fd21::254/64 dev q1 nodad", "addr add 198.51.100.9/32 dev lo", "addr add 2001:db8:9::9/128 dev lo nodad",
		"route add 10.22.0.0/24 dev q1")
	c.visitors = []visitor{
		{"a neighbour", near, address("10.20.0.9"), address("10.20.0.1")},
		{"a neighbour by IPv6", near, address("fd20::9"), address("fd20::1")},
		{"a neighbour to the inner address", near, address("10.20.0.9"), address("10.22.0.1")},
		{"somebody from afar", far, address("198.51.100.9"), address("10.21.0.1")},
		{"somebody from afar by IPv6", far, address("2001:db8:9::9"), address("fd21::1")},
		{"somebody from afar to the inner address", far, address("198.51.100.9"), address("10.22.0.1")},
	}
	c.listen()
	return c
}

// plug leads a cable from a port of the node to another network.
func (c *cutting) plug(i int, to *lab.Space) {
	c.t.Helper()
	run(c.t, c.node, fmt.Sprintf("link add p%d type veth peer name q%d", i, i), fmt.Sprintf("link set p%d up", i))
	err := c.node.Do(func() error {
		l, err := netlink.LinkByName(fmt.Sprintf("q%d", i))
		if err != nil {
			return err
		}
		return netlink.LinkSetNsFd(l, to.FD())
	})
	if err != nil {
		c.t.Fatal(err)
	}
	run(c.t, to, fmt.Sprintf("link set q%d up", i))
}

// atFirst is what the changes begin with.
func atFirst() Config {
	c := Config{
		Links: []Link{{Name: "br0", Kind: Bridge, Members: []string{"p0", "p4"}}},
		Addresses: []Address{
			{"br0", prefix("10.20.0.1/24")},
			{"br0", prefix("fd20::1/64")},
			{"p1", prefix("10.21.0.1/24")},
			{"p1", prefix("fd21::1/64")},
			{"p2", prefix("10.22.0.1/24")},
		},
		Routes: []Route{
			{Dst: prefix("0.0.0.0/0"), Gateway: address("10.21.0.254"), Table: 254},
			{Dst: prefix("::/0"), Gateway: address("fd21::254"), Table: 254},
		},
	}
	for i := range ports {
		c.Links = append(c.Links, Link{Name: fmt.Sprintf("p%d", i), Kind: Ethernet})
	}
	return c
}

// listen answers whoever connects to the node.
func (c *cutting) listen() {
	c.t.Helper()
	var l net.Listener
	err := c.node.Do(func() (err error) {
		l, err = net.Listen("tcp", fmt.Sprintf(":%d", servicePort))
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(conn, "welcome")
			conn.Close()
		}
	}()
}

// reaches reports whether a new connection comes about, by what the links say at this moment:
// what is remembered of neighbours goes first.
func (c *cutting) reaches(v visitor, within time.Duration) bool {
	c.t.Helper()
	run(c.t, c.node, "neigh flush all")
	run(c.t, v.space, "neigh flush all")
	began := time.Now()
	err := v.space.Do(func() error {
		d := net.Dialer{Timeout: within, LocalAddr: &net.TCPAddr{IP: v.from.AsSlice()}}
		conn, err := d.Dial("tcp", netip.AddrPortFrom(v.to, servicePort).String())
		if err != nil {
			return err
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(within))
		_, err = conn.Read(make([]byte, 10))
		return err
	})
	if err == nil {
		c.last = time.Since(began)
	}
	return err == nil
}

// How long a connection may take: soon is enough for one that works, and a machine that is
// busy is asked again, for longer.
const (
	soon   = 400 * time.Millisecond
	repeat = 1500 * time.Millisecond // the kernel asks a second time after one second
	atLast = 5 * time.Second
)

func (c *cutting) works(v visitor) bool { return c.reaches(v, soon) || c.reaches(v, atLast) }

// stillWorks is works for somebody who is said to be cut off, and mostly is: to wait five
// seconds each time is for a machine that took long for the same connection before the change.
func (c *cutting) stillWorks(v visitor) bool {
	within := min(max(repeat, 20*c.last), atLast)
	return c.reaches(v, soon) || c.reaches(v, within)
}

// forecast is what the guard says about a change by a visitor.
func (c *cutting) forecast(v visitor, was, now Config) error {
	ctx := identity.WithOrigin(context.Background(), func() identity.Origin { return identity.Origin{Addr: v.from, Local: v.to, Port: servicePort} })
	return c.guard(ctx, func() (state, error) { return state{Config: was}, nil }, state{Config: now})
}

func TestBarNetwork04Forecast(t *testing.T) {
	c := newCutting(t)
	size := bar.GateSize(24, 200, 2000)
	was := atFirst()
	c.become(t, Config{}, was)
	for _, v := range c.visitors {
		if !c.works(v) {
			t.Fatalf("%s does not get through at the beginning", v.name)
		}
	}
	for drawn := 0; c.made+c.refused < size && drawn < 20*size && !t.Failed(); drawn++ {
		if drawn%12 == 11 {
			c.become(t, was, atFirst())
			was = atFirst()
		}
		was = c.once(was)
	}
	figure := fmt.Sprintf("%d random changes by sessions of IPv4 and IPv6: %d refused, %d made, %d missed, %d false alarms, by a connection in the same kernel; bridges, no VLAN, bond or tunnel",
		c.made+c.refused, c.refused, c.made, c.missed, c.falseAlarms)
	bar.Report(t, "network", 4, figure, "0 missed, 0 false alarms",
		!t.Failed() && c.missed+c.falseAlarms+c.astray == 0 && c.made+c.refused == size && c.refused*10 >= size && c.made*10 >= size)
}

// once draws a change, has it judged, makes it, and looks. It returns what there is then.
func (c *cutting) once(was Config) Config {
	c.t.Helper()
	v := c.visitors[c.rand.IntN(len(c.visitors))]
	now, what := c.draw(was, v)
	if what == "" || twice(now) || !c.reaches(v, soon) { // who is cut off already cannot ask
		return was
	}
	err := c.forecast(v, was, now)
	var f *fault.Fault
	switch {
	case err == nil:
	case errors.As(err, &f) && f.Code == "would_lock_out":
		c.alarm(v, was, now, what, err)
		return was
	default:
		return was // refused for another reason
	}
	if err := c.apply(c.t.Context(), rendering(was), rendering(now)); err != nil || len(c.wrong) > 0 {
		c.become(c.t, now, was) // a change that failed goes back, as the engine has it
		return was
	}
	c.made++
	if !c.works(v) {
		c.missed++
		c.t.Errorf("%s: %s cuts off %s (%s to %s)\nwas:\n%snow:\n%s%s", "missed", what, v.name, v.from, v.to, was.Text(), now.Text(), strings.Join(seen(c.t, c.node), "\n"))
	}
	return now
}

// alarm makes a change that is said to cut somebody off: it must do so, and its end bring them back.
func (c *cutting) alarm(v visitor, was, now Config, what string, why error) {
	c.t.Helper()
	if err := c.apply(c.t.Context(), rendering(was), rendering(now)); err != nil {
		c.become(c.t, now, was)
		return
	}
	c.refused++
	if c.stillWorks(v) {
		c.falseAlarms++
		c.t.Errorf("false alarm: %s does not cut off %s (%s to %s): %v\nwas:\n%snow:\n%s", what, v.name, v.from, v.to, why, was.Text(), now.Text())
	}
	c.become(c.t, now, was)
	if !c.works(v) {
		c.astray++
		c.t.Errorf("%s was taken back, and %s is still cut off\n%s", what, v.name, strings.Join(seen(c.t, c.node), "\n"))
	}
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// draw changes one object, as the API does; what is empty when that came to nothing.
func (c *cutting) draw(was Config, v visitor) (now Config, what string) {
	now = Config{Links: slices.Clone(was.Links), Addresses: slices.Clone(was.Addresses), Routes: slices.Clone(was.Routes)}
	switch c.rand.IntN(12) {
	case 8, 9, 10, 11:
		return now, c.drawNear(&now, v)
	case 0, 1:
		return now, c.drawAddress(&now)
	case 2, 3, 4:
		return now, c.drawRoute(&now)
	case 5, 6:
		return now, c.drawBridge(&now)
	default:
		l := &now.Links[c.rand.IntN(len(now.Links))]
		if l.Kind == Bridge {
			return now, "" // it goes by the smallest of its members
		}
		l.MTU = pick(c.rand, 1500, 1400, 1280, 1200)
		return now, fmt.Sprintf("an MTU of %d on %s", l.MTU, l.Name)
	}
}

// drawNear changes what a visitor's way is near to: most other changes do not matter to him.
func (c *cutting) drawNear(now *Config, v visitor) string {
	mine := slices.IndexFunc(now.Addresses, func(a Address) bool { return a.Prefix.Addr() == v.to })
	switch n := c.rand.IntN(5); {
	case n == 0 && mine >= 0:
		now.Addresses = slices.Delete(now.Addresses, mine, mine+1)
		return "without " + v.to.String()
	case n == 1 && mine >= 0:
		now.Addresses[mine].Link = c.anyLink(*now)
		return fmt.Sprintf("%s moved to %s", v.to, now.Addresses[mine].Link)
	case n == 2:
		now.Routes = slices.DeleteFunc(now.Routes, func(r Route) bool { return r.Dst.Contains(v.from) })
		return "without the routes to " + v.from.String()
	case n == 3:
		i := slices.IndexFunc(now.Routes, func(r Route) bool { return r.Dst.Contains(v.from) && r.Gateway.IsValid() })
		if i < 0 {
			return ""
		}
		now.Routes[i].Gateway = c.gateway(v.from.Is6())
		return fmt.Sprintf("the gateway %s for %s", now.Routes[i].Gateway, now.Routes[i])
	default:
		network, err := v.from.Prefix(pick(c.rand, 8, 20, 24, v.from.BitLen()))
		if err != nil || slices.ContainsFunc(now.Routes, func(r Route) bool { return r.Dst == network }) {
			return ""
		}
		r := Route{Dst: network, Table: 254, Metric: pick[uint32](c.rand, 0, 300)}
		if r.Type = pick(c.rand, "", "", RouteTypes[1], RouteTypes[2]); r.Type == "" {
			r.Dev = c.anyLink(*now)
		}
		now.Routes = append(now.Routes, r)
		return fmt.Sprintf("the route %s %s %s metric %d", r, r.Type, r.Dev, r.Metric)
	}
}

// twice reports whether two links are in one network, which the API refuses.
func twice(c Config) bool {
	return slices.ContainsFunc(c.Addresses, func(a Address) bool {
		return slices.ContainsFunc(c.Addresses, func(b Address) bool { return a.Link != b.Link && a.Prefix.Masked() == b.Prefix.Masked() })
	})
}

// anyLink is one that can have an address or a route.
func (c *cutting) anyLink(in Config) string {
	return in.Links[c.rand.IntN(len(in.Links))].Name
}

func (c *cutting) drawAddress(now *Config) string {
	if i := c.rand.IntN(len(now.Addresses) + 1); i < len(now.Addresses) {
		a := &now.Addresses[i]
		if c.rand.IntN(2) == 0 {
			a.Link = c.anyLink(*now)
			return fmt.Sprintf("%s moved to %s", a.Prefix, a.Link)
		}
		gone := *a
		now.Addresses = slices.Delete(now.Addresses, i, i+1)
		return fmt.Sprintf("without %s of %s", gone.Prefix, gone.Link)
	}
	a := Address{c.anyLink(*now), prefix(pick(c.rand,
		"10.20.0.2/24", "10.20.0.129/25", "10.20.0.3/28", "10.20.0.9/32", "10.21.0.2/24", "10.22.0.2/24", "10.22.0.5/32", "198.51.100.1/24", "198.51.100.9/24", "203.0.113.1/24",
		"fd20::2/64", "fd20::3/124", "fd20::9/128", "fd21::2/64", "2001:db8:9::1/64", "2001:db8:8::1/64"))}
	if slices.ContainsFunc(now.Addresses, func(o Address) bool { return o.Prefix.Addr() == a.Prefix.Addr() }) {
		return ""
	}
	now.Addresses = append(now.Addresses, a)
	return fmt.Sprintf("%s on %s", a.Prefix, a.Link)
}

func (c *cutting) drawRoute(now *Config) string {
	if i := c.rand.IntN(len(now.Routes) + 3); i < len(now.Routes) {
		gone := now.Routes[i]
		now.Routes = slices.Delete(now.Routes, i, i+1)
		if c.rand.IntN(2) == 0 {
			return "without the route " + gone.String()
		}
		gone.Gateway, gone.Dev, gone.Type = c.gateway(gone.Dst.Addr().Is6()), "", ""
		now.Routes = append(now.Routes, gone)
		return fmt.Sprintf("another way for %s: %v", gone, gone.Gateway)
	}
	r := Route{Table: pick[uint32](c.rand, 254, 254, 254, 100), Metric: pick[uint32](c.rand, 0, 0, 50)}
	r.Dst = prefix(pick(c.rand, "0.0.0.0/0", "198.51.100.0/24", "198.51.100.9/32", "198.51.100.128/25", "10.20.0.0/24", "10.20.0.9/32", "10.20.0.8/29", "203.0.113.0/24",
		"::/0", "2001:db8:9::/48", "2001:db8:9::9/128", "fd20::9/128", "fd20::/64"))
	switch c.rand.IntN(3) {
	case 0:
		r.Type = RouteTypes[1+c.rand.IntN(3)]
	case 1:
		r.Dev = c.anyLink(*now)
	default:
		r.Gateway = c.gateway(r.Dst.Addr().Is6())
	}
	if slices.ContainsFunc(now.Routes, func(o Route) bool { return o.Dst == r.Dst && o.Table == r.Table && o.Metric == r.Metric }) {
		return ""
	}
	now.Routes = append(now.Routes, r)
	return fmt.Sprintf("the route %s %s %v %s metric %d", r, r.Type, r.Gateway, r.Dev, r.Metric)
}

// gateway is the right one, or one that nobody has.
func (c *cutting) gateway(six bool) netip.Addr {
	if six {
		return address(pick(c.rand, "fd21::254", "fd21::254", "fd21::253", "fd20::254"))
	}
	return address(pick(c.rand, "10.21.0.254", "10.21.0.254", "10.21.0.253", "10.22.0.254", "10.20.0.254"))
}

func (c *cutting) drawBridge(now *Config) string {
	free := func(name string) bool { return masterIn(*now, name) == "" }
	if c.rand.IntN(3) == 0 {
		port := fmt.Sprintf("p%d", c.rand.IntN(ports))
		if _, taken := find(*now, "br1"); taken || !free(port) {
			return ""
		}
		now.Links = append(now.Links, Link{Name: "br1", Kind: Bridge, Members: []string{port}})
		return "a bridge of " + port
	}
	i := slices.IndexFunc(now.Links, func(l Link) bool { return l.Kind == Bridge })
	b := &now.Links[i]
	switch c.rand.IntN(4) {
	case 0:
		b.STP = !b.STP
		return fmt.Sprintf("STP %v on %s", b.STP, b.Name)
	case 1:
		if port := fmt.Sprintf("p%d", c.rand.IntN(ports)); free(port) {
			b.Members = append(slices.Clone(b.Members), port)
			return port + " in " + b.Name
		}
		return ""
	default:
		if len(b.Members) < 2 || b.STP { // with which a member needs half a minute to come back
			return ""
		}
		j := c.rand.IntN(len(b.Members))
		gone := b.Members[j]
		b.Members = slices.Delete(slices.Clone(b.Members), j, j+1)
		return gone + " out of " + b.Name
	}
}
