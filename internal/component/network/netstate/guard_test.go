package netstate

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gateway/internal/rtnl"
)

func TestWhatCarriesTheSession(t *testing.T) {
	kernel := Kernel{
		Links: []rtnl.Link{{Index: 2, Name: "p0"}, {Index: 3, Name: "p1"}, {Index: 4, Name: "bond0"}, {Index: 5, Name: "bond0.7"}},
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
	far := session{caller: address("198.51.100.9"), link: "bond0.7", own: address("192.0.2.1")}
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
		{"the member pulled", func(c *Config) { c.Links[2].Members = []string{"p1"} }, "interface bond0"},
		{"a member of several pulled", func(c *Config) { c.Links[2].Members = nil }, "interface bond0"},
		{"LACP spoken otherwise", func(c *Config) { c.Links[2].LACPRate = "fast" }, "interface bond0"},
		{"into a bridge", func(c *Config) {
			c.Links = append(c.Links, Link{Name: "br0", Kind: Bridge, Members: []string{"bond0.7"}})
		}, "member of br0"},
		{"the address is gone", func(c *Config) { c.Addresses = nil }, "address 192.0.2.1"},
		{"the address is on another", func(c *Config) { c.Addresses[0].Link = "p1" }, "address 192.0.2.1"},
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
		got := far.lost(was(), now, kernel)
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
	for _, bad := range []string{"link", "link {", `address {"link":"a","where":1}`, "rule {}", `route {"destination":"10.0.0.0/99"}`} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
