package netstate

import (
	"strings"
	"testing"
)

// A route whose gateway loses its network stays in the kernel, and is refused at the next boot.
func TestTheNetworkOfAGatewayStays(t *testing.T) {
	space, n := newKernel(t)
	run(t, space, "addr add 10.7.0.1/24 dev p4")
	was := func() Config {
		return Config{
			Links:     []Link{{Name: "p1", Kind: Ethernet}, {Name: "p2", Kind: Ethernet}},
			Addresses: []Address{{"p1", prefix("10.1.0.1/24")}, {"p1", prefix("fd00:1::1/64")}, {"p2", prefix("10.2.0.1/24")}},
			Routes: []Route{
				{Dst: prefix("172.20.0.0/16"), Gateway: address("10.1.0.3"), Table: 254},
				{Dst: prefix("172.21.0.0/16"), Gateway: address("10.2.0.3"), Dev: "p2", Table: 254},
				{Dst: prefix("fd01::/48"), Gateway: address("fd00:1::3"), Table: 254},
				{Dst: prefix("172.22.0.0/16"), Gateway: address("10.7.0.3"), Table: 254},  // by a stranger's address
				{Dst: prefix("172.23.0.0/16"), Gateway: address("192.0.2.3"), Table: 254}, // by none
				{Dst: prefix("fd02::/48"), Gateway: address("fe80::3"), Dev: "p1", Table: 254},
			},
		}
	}
	n.want = was()
	if err := n.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, want string
		act        func(*Config)
	}{
		{"nothing", "", func(*Config) {}},
		{"another address of the network", "", func(c *Config) { c.Addresses[0].Prefix = prefix("10.1.0.9/24") }},
		{"to another interface", "", func(c *Config) { c.Addresses[0].Link = "p2" }},
		{"the address", "10.1.0.3 of the route to 172.20.0.0/16 would be", func(c *Config) { c.Addresses = c.Addresses[1:] }},
		{"a smaller network", "10.1.0.3 of the route to 172.20.0.0/16 would be", func(c *Config) { c.Addresses[0].Prefix = prefix("10.1.0.1/31") }},
		{"the address of IPv6", "fd00:1::3 of the route to fd01::/48 would be", func(c *Config) { c.Addresses[1].Prefix = prefix("fd00:2::1/64") }},
		{"the one of the route's interface", "10.2.0.3 of the route to 172.21.0.0/16 would be", func(c *Config) { c.Addresses[2].Link = "p1" }},
		{"with its route", "", func(c *Config) { c.Addresses, c.Routes = c.Addresses[1:], c.Routes[1:] }},
		{"the gateway becomes ours", "address of this node itself", func(c *Config) { c.Addresses[0].Prefix = prefix("10.1.0.3/24") }},
		{"a new one in the stranger's", "", func(c *Config) {
			c.Routes = append(c.Routes, Route{Dst: prefix("172.24.0.0/16"), Gateway: address("10.7.0.4"), Table: 254})
		}},
		{"a new one in the stranger's elsewhere", "in no network", func(c *Config) {
			c.Routes = append(c.Routes, Route{Dst: prefix("172.24.0.0/16"), Gateway: address("10.7.0.4"), Dev: "p1", Table: 254})
		}},
		{"a new one in what goes", "172.24.0.0/16 is in no network", func(c *Config) {
			c.Addresses, c.Routes = c.Addresses[:2], append(c.Routes[2:], Route{Dst: prefix("172.24.0.0/16"), Gateway: address("10.2.0.4"), Table: 254})
		}},
	} {
		now := was()
		tc.act(&now)
		err := n.guardGateways(func() (Config, error) { return was(), nil }, now)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}
