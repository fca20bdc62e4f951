package netstate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"gateway/internal/rtnl"
	"gateway/lab"
)

// events is a subscription to what the kernel says about links, addresses and routes. It says
// so before the change that caused it is answered, so after an apply everything is there.
type events struct {
	t     testing.TB
	fd    int
	buf   []byte
	names map[int]string
}

// event is one message of the kernel's.
type event struct {
	what   string // "link", "address" or "route"
	gone   bool
	link   string
	up     bool         // of a link
	master string       // of a link
	prefix netip.Prefix // the address, or where the route leads
	table  uint32
	metric uint32
}

func (e event) String() string {
	return fmt.Sprintf("%s %s %v (gone %v, up %v, master %q, table %d, metric %d)", e.what, e.link, e.prefix, e.gone, e.up, e.master, e.table, e.metric)
}

func subscribed(t testing.TB, space *lab.Space, n *network) *events {
	t.Helper()
	e := &events{t: t, buf: make([]byte, 64<<10), names: map[int]string{}}
	err := space.Do(func() (err error) {
		e.fd, err = unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(e.fd) })
	to := &unix.SockaddrNetlink{Family: unix.AF_NETLINK}
	for _, group := range []int{unix.RTNLGRP_LINK, unix.RTNLGRP_IPV4_IFADDR, unix.RTNLGRP_IPV6_IFADDR, unix.RTNLGRP_IPV4_ROUTE, unix.RTNLGRP_IPV6_ROUTE} {
		to.Groups |= 1 << (group - 1)
	}
	if err := errors.Join(unix.SetsockoptInt(e.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 8<<20), unix.Bind(e.fd, to)); err != nil {
		t.Fatal(err)
	}
	for name, index := range numbers(t, n) {
		e.names[index] = name
	}
	return e
}

// next are the events since it was asked last.
func (e *events) next() (all []event) {
	e.t.Helper()
	for {
		n, _, err := unix.Recvfrom(e.fd, e.buf, unix.MSG_DONTWAIT)
		if errors.Is(err, unix.EAGAIN) {
			return all
		}
		if err != nil {
			e.t.Fatalf("read the kernel's events: %v", err)
		}
		messages, err := syscall.ParseNetlinkMessage(e.buf[:n])
		if err != nil {
			e.t.Fatal(err)
		}
		for _, m := range messages {
			attrs, err := syscall.ParseNetlinkRouteAttr(&m)
			if err != nil {
				e.t.Fatal(err)
			}
			if got, ok := e.read(m, attrs); ok {
				all = append(all, got)
			}
		}
	}
}

func (e *events) read(m syscall.NetlinkMessage, attrs []syscall.NetlinkRouteAttr) (got event, ok bool) {
	number := func(kind uint16) (n uint32) {
		for _, a := range attrs {
			if a.Attr.Type == kind && len(a.Value) >= 4 {
				n = binary.NativeEndian.Uint32(a.Value)
			}
		}
		return n
	}
	prefix := func(kind uint16) netip.Prefix {
		ip := netip.IPv6Unspecified()
		if m.Data[0] == unix.AF_INET {
			ip = netip.IPv4Unspecified()
		}
		for _, a := range attrs {
			if a.Attr.Type == kind {
				ip, _ = netip.AddrFromSlice(a.Value)
			}
		}
		return netip.PrefixFrom(ip, int(m.Data[1]))
	}
	switch m.Header.Type {
	case unix.RTM_NEWLINK, unix.RTM_DELLINK:
		if m.Data[0] != unix.AF_UNSPEC {
			return got, false // of a port of a bridge, which is said again as of a link
		}
		index := int(binary.NativeEndian.Uint32(m.Data[4:]))
		for _, a := range attrs {
			if a.Attr.Type == unix.IFLA_IFNAME {
				e.names[index] = string(a.Value[:len(a.Value)-1])
			}
		}
		up := binary.NativeEndian.Uint32(m.Data[8:])&unix.IFF_UP != 0
		return event{what: "link", gone: m.Header.Type == unix.RTM_DELLINK, link: e.names[index], up: up, master: e.names[int(number(unix.IFLA_MASTER))]}, true
	case unix.RTM_NEWADDR, unix.RTM_DELADDR:
		index := int(binary.NativeEndian.Uint32(m.Data[4:]))
		return event{what: "address", gone: m.Header.Type == unix.RTM_DELADDR, link: e.names[index], prefix: prefix(unix.IFA_ADDRESS)}, true
	case unix.RTM_NEWROUTE, unix.RTM_DELROUTE:
		return event{
			what: "route", gone: m.Header.Type == unix.RTM_DELROUTE, link: e.names[int(number(unix.RTA_OIF))], prefix: prefix(unix.RTA_DST),
			table: number(unix.RTA_TABLE), metric: number(unix.RTA_PRIORITY),
		}, m.Data[5] == rtnl.Protocol
	}
	return got, false
}

// kept is what two configurations have alike, and what therefore nobody may touch.
type kept struct {
	links     map[string]bool
	masters   map[string]string // of all links
	addresses map[Address]bool
	routes    map[string]bool
}

func keptBy(old, now Config) kept {
	k := kept{map[string]bool{}, map[string]string{}, map[Address]bool{}, map[string]bool{}}
	down := interrupted(old, now)
	for i := range ports {
		k.links[fmt.Sprintf("p%d", i)] = true
	}
	for _, l := range now.Links {
		if was, ok := find(old, l.Name); ok && was.Kind == l.Kind {
			k.links[l.Name] = true
		}
	}
	for name := range down {
		delete(k.links, name)
	}
	for name := range k.links {
		if m := memberOf(now, name); m == memberOf(old, name) && !down[m] {
			k.masters[name] = m
		}
	}
	for _, a := range now.Addresses {
		if slices.Contains(old.Addresses, a) && !down[a.Link] {
			k.addresses[a] = true
		}
	}
	for _, r := range now.Routes {
		if by := wayOut(now, r); slices.Contains(old.Routes, r) && by == wayOut(old, r) && !down[by] && (r.Dst.Addr().Is6() || !emptied(old, now, by)) {
			k.routes[fmt.Sprint(r.Dst, r.Table, metric(r))] = true
		}
	}
	return k
}

func memberOf(c Config, name string) string {
	for _, l := range c.Links {
		if slices.Contains(l.Members, name) {
			return l.Name
		}
	}
	return ""
}

// emptied reports whether a link has a moment without an address of IPv4: then the kernel takes
// its routes away, and they have to come again. With the first address of a network the others
// of that network go too.
func emptied(old, now Config, link string) bool {
	var gone []netip.Prefix
	had := false
	for _, a := range old.Addresses {
		if a.Link == link && a.Prefix.Addr().Is4() {
			if had = true; !slices.Contains(now.Addresses, a) {
				gone = append(gone, a.Prefix.Masked())
			}
		}
	}
	return had && !slices.ContainsFunc(now.Addresses, func(a Address) bool {
		return a.Link == link && a.Prefix.Addr().Is4() && !slices.Contains(gone, a.Prefix.Masked())
	})
}

func (k kept) size() int { return len(k.links) + len(k.masters) + len(k.addresses) + len(k.routes) }

// touched are the events about what was to be kept. Of an address of IPv6 only its end counts:
// the kernel tells of it again a little after it came.
func (k kept) touched(all []event) (out []event) {
	for _, e := range all {
		var bad bool
		switch e.what {
		case "link":
			m, same := k.masters[e.link]
			bad = k.links[e.link] && (e.gone || !e.up || same && m != e.master)
		case "address":
			bad = k.addresses[Address{e.link, e.prefix}] && (e.gone || e.prefix.Addr().Is4())
		case "route":
			bad = k.routes[fmt.Sprint(e.prefix, e.table, e.metric)]
		}
		if bad {
			out = append(out, e)
		}
	}
	return out
}

// altered is a configuration with a few differences: most of it is to be kept.
func altered(r *rand.Rand, old Config) Config {
	c := Config{Links: slices.Clone(old.Links), Addresses: slices.Clone(old.Addresses), Routes: slices.Clone(old.Routes)}
	l := &c.Links[r.IntN(len(c.Links))]
	if l.Kind == Bridge {
		l.STP, l.Alias = !l.STP, pick(r, "", "guests", "others")
	} else {
		l.MTU = pick(r, 0, 1400, 1500)
	}
	if n := len(c.Addresses); n > 0 && r.IntN(3) == 0 {
		i := r.IntN(n)
		gone := c.Addresses[i].Prefix
		c.Addresses = slices.Delete(c.Addresses, i, i+1)
		c.Routes = slices.DeleteFunc(c.Routes, func(o Route) bool { return o.Gateway.IsValid() && gone.Contains(o.Gateway) })
	}
	if n := len(c.Routes); n > 0 && r.IntN(2) == 0 {
		i := r.IntN(n)
		c.Routes = slices.Delete(c.Routes, i, i+1)
	}
	p := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(30 + r.IntN(10)), 0, 1}), 24)
	if !slices.ContainsFunc(c.Addresses, func(a Address) bool { return a.Prefix.Overlaps(p) }) {
		c.Addresses = append(c.Addresses, Address{c.Links[r.IntN(len(c.Links))].Name, p})
	}
	more := Route{Dst: netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 17, byte(r.IntN(10)), 0}), 24), Dev: c.Links[r.IntN(len(c.Links))].Name, Table: 254}
	if !slices.ContainsFunc(c.Routes, func(o Route) bool { return o.Dst == more.Dst }) {
		c.Routes = append(c.Routes, more)
	}
	return c
}

// controlEvents shows that what is taken away and put back is noticed, and that an apply
// without a difference is quiet. The kernel has nothing of ours before.
func controlEvents(t *testing.T, space *lab.Space, n *network, e *events) {
	t.Helper()
	c := Config{
		Links:     []Link{{Name: "br0", Kind: Bridge, Members: []string{"p1"}}},
		Addresses: []Address{{"br0", prefix("10.1.0.1/24")}, {"br0", prefix("fd00:1::1/64")}},
		Routes: []Route{
			{Dst: prefix("172.20.0.0/16"), Gateway: address("10.1.0.3"), Table: 254},
			{Dst: prefix("fd01::/48"), Gateway: address("fd00:1::3"), Table: 254},
		},
	}
	n.become(t, Config{}, c)
	e.next()
	n.become(t, c, c)
	if got := keptBy(c, c).touched(e.next()); len(got) > 0 {
		t.Errorf("an apply without a difference: %v", got)
	}
	for _, act := range []string{
		"route flush proto 250", "-6 route flush proto 250", "-4 addr flush dev br0", "-6 addr del fd00:1::1/64 dev br0",
		"link set p1 nomaster", "link set p2 master br0", "link set br0 down", "link del br0",
	} {
		run(t, space, act)
		if err := n.repair(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := keptBy(c, c).touched(e.next()); len(got) == 0 {
			t.Errorf("%q was not noticed", act)
		}
	}
	run(t, space, "link set p2 nomaster")
	n.become(t, c, Config{})
	e.next()
}
