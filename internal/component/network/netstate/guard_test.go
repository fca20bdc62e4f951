package netstate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
)

func TestWhatCarriesTheSession(t *testing.T) {
	kernel := Kernel{
		Links: []rtnl.Link{{Index: 2, Name: "p0", Up: true}, {Index: 3, Name: "p1", Up: true}, {Index: 4, Name: "bond0", Up: true}, {Index: 5, Name: "bond0.7", Up: true}},
		Addrs: []rtnl.Addr{{Link: 5, Prefix: prefix("192.0.2.1/24"), Protocol: rtnl.Protocol}, {Link: 3, Prefix: prefix("203.0.113.1/24")}},
		Routes: []rtnl.Route{
			{Table: 254, Dst: prefix("0.0.0.0/0"), Gateway: address("192.0.2.254"), Link: 5, Type: unix.RTN_UNICAST, Protocol: rtnl.Protocol},
			{Table: 254, Dst: prefix("192.0.2.0/24"), Link: 5, Type: unix.RTN_UNICAST, Protocol: 2},
			{Table: 254, Dst: prefix("203.0.113.0/24"), Link: 3, Type: unix.RTN_UNICAST, Protocol: 2},
		},
	}
	was := func() Config {
		return Config{
			Links: []Link{
				{Name: "p0", Kind: Ethernet},
				{Name: "p1", Kind: Ethernet},
				{Name: "bond0", Kind: Bond, Mode: "802.3ad", Members: []string{"p0"}},
				{Name: "bond0.7", Kind: VLAN, Parent: "bond0", VLANID: 7},
			},
			Addresses: []Address{{"bond0.7", prefix("192.0.2.1/24")}},
			Routes:    []Route{{Dst: prefix("0.0.0.0/0"), Gateway: address("192.0.2.254"), Table: 254}},
		}
	}
	far := session{Caller: address("198.51.100.9"), Link: "bond0.7", Own: address("192.0.2.1")}
	for _, tc := range []struct {
		name string
		act  func(*Config)
		want string
	}{
		{"nothing", func(*Config) {}, ""},
		{"another MTU", func(c *Config) { c.Links[3].MTU = 1400 }, ""},
		{"a second member", func(c *Config) { c.Links[2].Members = []string{"p0", "p1"} }, ""},
		{"one more address", func(c *Config) {
			c.Addresses = append(c.Addresses, Address{"p1", prefix("10.0.0.1/24")})
		}, ""},
		{"a route that does not matter", func(c *Config) {
			c.Routes = append(c.Routes, Route{Dst: prefix("10.9.0.0/16"), Gateway: address("203.0.113.9"), Table: 254})
		}, ""},
		{"another table", func(c *Config) {
			c.Routes = append(c.Routes, Route{Dst: prefix("198.51.100.0/24"), Gateway: address("203.0.113.9"), Table: 100})
		}, ""},
		{"the VLAN is gone", func(c *Config) { c.Links = c.Links[:3] }, "interface bond0.7"},
		{"another id", func(c *Config) { c.Links[3].VLANID = 8 }, "interface bond0.7"},
		{"another mode below it", func(c *Config) { c.Links[2].Mode = "balance-rr" }, "interface bond0"},
		{"the member pulled", func(c *Config) { c.Links[2].Members = []string{"p1"} }, "takes p0 out of bond0"},
		{"a member of several pulled", func(c *Config) { c.Links[2].Members = nil }, "takes p0 out of bond0"},
		{"LACP spoken otherwise", func(c *Config) { c.Links[2].LACPRate = "fast" }, "interface bond0"},
		{"into a bridge", func(c *Config) {
			c.Links = append(c.Links, Link{Name: "br0", Kind: Bridge, Members: []string{"bond0.7"}})
		}, "member of br0"},
		{"what it is made of into a bridge", func(c *Config) {
			c.Links = append(c.Links, Link{Name: "br0", Kind: Bridge, Members: []string{"bond0"}})
		}, "bond0, which carries it, a member of br0"},
		{"another port into a bridge", func(c *Config) {
			c.Links = append(c.Links, Link{Name: "br0", Kind: Bridge, Members: []string{"p1"}})
		}, ""},
		{"a small MTU for IPv4", func(c *Config) { c.Links[2].MTU = 1000 }, ""},
		{"an address in whose network it is", func(c *Config) {
			c.Addresses = append(c.Addresses, Address{"p1", prefix("198.51.100.1/24")})
		}, "elsewhere"},
		{"its own address", func(c *Config) {
			c.Addresses = append(c.Addresses, Address{"p1", prefix("198.51.100.9/24")})
		}, "address of the session"},
		{"the address is gone", func(c *Config) { c.Addresses = nil }, "address 192.0.2.1"},
		{"the address is on another", func(c *Config) { c.Addresses[0].Link = "p1" }, "elsewhere"},
		{"no default route", func(c *Config) { c.Routes = nil }, "no route back"},
		{"another gateway", func(c *Config) { c.Routes[0].Gateway = address("192.0.2.9") }, "elsewhere"},
		{"a closer route elsewhere", func(c *Config) {
			c.Routes = append(c.Routes, Route{Dst: prefix("198.51.100.0/24"), Gateway: address("203.0.113.9"), Table: 254})
		}, "elsewhere"},
		{"a black hole", func(c *Config) {
			c.Routes = append(c.Routes, Route{Dst: prefix("198.51.100.0/24"), Type: "blackhole", Table: 254})
		}, "no route back"},
	} {
		now := was()
		tc.act(&now)
		got := far.lost(was(), now, kernel).Message
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// Others made what the session of IPv6 is on: the kernel knows it, the rows do not.
func TestWhatCarriesASessionOfIPv6(t *testing.T) {
	kernel := Kernel{
		Links: []rtnl.Link{
			{Index: 2, Name: "p0", Up: true, Master: 4},
			{Index: 3, Name: "p1", Up: true, Kind: "veth", Parent: 2},
			{Index: 4, Name: "bond9", Kind: Bond, Up: true},
			{Index: 5, Name: "bond9.7", Kind: VLAN, Parent: 4, Up: true},
		},
		Addrs:  []rtnl.Addr{{Link: 5, Prefix: prefix("2001:db8::1/64")}},
		Routes: []rtnl.Route{{Table: 254, Dst: prefix("::/0"), Gateway: address("2001:db8::fe"), Link: 5, Type: unix.RTN_UNICAST, Metric: 1024}},
	}
	far := session{Caller: address("2001:db8:9::9"), Link: "bond9.7", Own: address("2001:db8::1")}
	for _, tc := range []struct {
		name, want string
		link       Link
	}{
		{"an MTU that IPv6 takes", "", Link{Name: "p0", Kind: Ethernet, MTU: 1280}},
		{"one that it does not take", "ends IPv6 on p0", Link{Name: "p0", Kind: Ethernet, MTU: 1279}},
		{"of the parent", "ends IPv6 on bond9", Link{Name: "bond9", Kind: Ethernet, MTU: 1000}},
		{"of another", "", Link{Name: "p1", Kind: Ethernet, MTU: 1000}},
		{"the parent into a bridge", "bond9, which carries it", Link{Name: "br0", Kind: Bridge, Members: []string{"bond9"}}},
		{"the parent's member into a bond", "p0, which carries it", Link{Name: "bond0", Kind: Bond, Members: []string{"p0"}}},
		{"another into a bond", "", Link{Name: "bond0", Kind: Bond, Members: []string{"p1"}}},
	} {
		got := far.lost(Config{}, Config{Links: []Link{tc.link}}, kernel).Message
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// Answers from the second provider's address go by its own table, which the kernel is asked for.
func TestASessionByRulesAndTables(t *testing.T) {
	space, n := newKernel(t)
	was := func() Config {
		return Config{
			Links:     []Link{{Name: "p1", Kind: Ethernet}, {Name: "p2", Kind: Ethernet}, {Name: "p3", Kind: Ethernet}},
			Addresses: []Address{{"p1", prefix("10.1.0.1/24")}, {"p2", prefix("10.2.0.1/24")}, {"p3", prefix("10.3.0.1/24")}, {"p2", prefix("fd00:2::1/64")}},
			Routes: []Route{
				{Dst: prefix("0.0.0.0/0"), Gateway: address("10.1.0.254"), Table: 254},
				{Dst: prefix("0.0.0.0/0"), Gateway: address("10.2.0.254"), Table: 100},
				{Dst: prefix("0.0.0.0/0"), Gateway: address("10.3.0.254"), Table: 200},
				{Dst: prefix("::/0"), Gateway: address("fd00:2::fe"), Table: 100},
			},
		}
	}
	n.become(t, Config{}, was())
	// From the second provider's address; of what is not marked, as tunnels do; of what is marked.
	run(t, space, "rule add from 10.2.0.1 table 100 priority 500", "-6 rule add from fd00:2::1 table 100 priority 500",
		"rule add not from 10.9.0.1 fwmark 0x7 table 200 priority 600", "rule add fwmark 0x8 table 300 priority 400",
		"rule add table 254 suppress_prefixlength 0 priority 450")
	conn, err := n.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	seen, err := forecast.Read(conn)
	if err != nil {
		t.Fatal(err)
	}
	k := asKernel(seen)
	for _, tc := range []struct {
		name, own, to, link, want string
		act                       func(*Config)
	}{
		{"nothing", "10.2.0.1", "198.51.100.9", "p2", "", func(*Config) {}},
		{"the default of the main table", "10.2.0.1", "198.51.100.9", "p2", "", func(c *Config) { c.Routes = c.Routes[1:] }},
		{"the table's own", "10.2.0.1", "198.51.100.9", "p2", "elsewhere", func(c *Config) { c.Routes = append(c.Routes[:1], c.Routes[2:]...) }},
		{"a closer one in the main table", "10.2.0.1", "198.51.100.9", "p2", "elsewhere", func(c *Config) {
			c.Routes = append(c.Routes, Route{Dst: prefix("198.51.100.0/24"), Dev: "p3", Table: 254})
		}},
		{"a table that nobody asks for this", "10.2.0.1", "198.51.100.9", "p2", "", func(c *Config) {
			c.Routes = append(c.Routes, Route{Dst: prefix("198.51.100.0/24"), Dev: "p3", Table: 300})
		}},
		{"IPv6", "fd00:2::1", "2001:db8::9", "p2", "no route back", func(c *Config) { c.Routes = c.Routes[:3] }},
		{"by a rule that is not judged", "10.1.0.1", "198.51.100.9", "p3", "elsewhere", func(c *Config) { c.Routes = append(c.Routes[:2], c.Routes[3:]...) }},
		{"the main table beside that rule", "10.1.0.1", "198.51.100.9", "p3", "", func(c *Config) { c.Routes = c.Routes[1:] }},
	} {
		s := session{Caller: address(tc.to), Own: address(tc.own), Link: tc.link}
		if s.Back, err = conn.Lookup(s.Caller, s.Own); err != nil {
			t.Fatal(err)
		}
		if got := numbers(t, n)[tc.link]; s.Back.Link != got {
			t.Errorf("%s: the kernel sends by %+v, want %s (%d)", tc.name, s.Back, tc.link, got)
		}
		if !slices.Contains(k.Routes, s.Back) {
			t.Errorf("%s: the kernel's answer %+v is not among its routes", tc.name, s.Back)
		}
		now := was()
		tc.act(&now)
		got := s.lost(was(), now, k).Message
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestAFileIsReadAsItWasWritten(t *testing.T) {
	c := Config{
		Links:     []Link{{Name: "br0", Kind: Bridge, Members: []string{"p0"}, Alias: `a "quoted" <name>`, STP: true}},
		Addresses: []Address{{"br0", prefix("2001:db8::1/64")}},
		Routes:    []Route{{Dst: prefix("::/0"), Gateway: address("2001:db8::2"), Table: 254, Metric: 4294967295}, {Dst: prefix("10.0.0.0/8"), Type: "blackhole", Table: 7}},
	}
	got, err := Parse(append(c.Text(), "# gw-sha256 0\n"...))
	if err != nil || string(got.Text()) != string(c.Text()) {
		t.Errorf("%s%v", got.Text(), err)
	}
	for _, bad := range []string{"link", "linkage {}", "link {},{}", "link {", `address {"link":"a","where":1}`, "rule {}", `route {"destination":"10.0.0.0/99"}`} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestALineOfARouteIsItsJSON(t *testing.T) {
	for _, r := range []Route{
		{},
		{Dst: prefix("10.0.0.0/8"), Table: 254},
		{Dst: prefix("::/0"), Type: "blackhole", Table: 4294967295, Metric: 4294967295},
		{Dst: prefix("2001:db8::/32"), Gateway: address("fe80::1"), Dev: "p0.7", Table: 7, Metric: 1, Onlink: true},
		{Dst: prefix("10.0.0.0/8"), Type: "\"\n<", Dev: "a\\b", Table: 254},
	} {
		var want bytes.Buffer
		lines(&want, "route", []Route{r})
		var got Route
		if all := (Config{Routes: []Route{r}}).Text(); !bytes.HasSuffix(all, r.line(nil)) {
			t.Errorf("%s is not in %s", r.line(nil), all)
		}
		if err := json.Unmarshal(bytes.TrimPrefix(r.line(nil), []byte("route ")), &got); err != nil || got != r {
			t.Errorf("%s is read as %+v, %v", r.line(nil), got, err)
		}
		if r.Type != "" && r.Type != "blackhole" {
			continue // escaped in another way
		}
		if string(r.line(nil)) != want.String() {
			t.Errorf("%s, want %s", r.line(nil), want.String())
		}
	}
}

// A file is read again by what is different in it.
func TestAFileIsReadByItsDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 6))
	var p parsed
	for i := range 300 {
		c := random(r)
		if r.IntN(2) == 0 && i > 0 {
			// The last one with one line more or less.
			c = Config{Links: slices.Clone(p.Links), Addresses: slices.Clone(p.Addresses), Routes: slices.Clone(p.Routes)}
			switch n := len(c.Routes); {
			case n > 0 && r.IntN(2) == 0:
				j := r.IntN(n)
				c.Routes = slices.Delete(c.Routes, j, j+1)
			default:
				c.Routes = slices.Insert(c.Routes, r.IntN(n+1), Route{Dst: prefix("198.51.100.0/24"), Dev: "p1", Table: uint32(1 + r.IntN(99))})
			}
		}
		text := append(c.Text(), fmt.Sprintf("# gw-sha256 %d\n", r.IntN(3))...)
		next, err := p.next(text)
		if err != nil || string(next.Text()) != string(c.Text()) {
			t.Fatalf("%d: %v\n%s\nwant\n%s", i, err, next.Text(), c.Text())
		}
		if _, err := next.next(append(slices.Clone(text), "link {\n"...)); err == nil {
			t.Errorf("%d: half a line was read", i)
		}
		p = next
	}
}
