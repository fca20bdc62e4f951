package netstate

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"gateway/lab"
)

// stacked is a bond with a VLAN and a bridge on it, and a neighbour behind both of its ports.
func stacked() Config {
	return Config{
		Links: []Link{
			{Name: "bond0", Kind: Bond, Mode: "active-backup", Members: []string{"p0", "p1"}},
			{Name: "bond0.7", Kind: VLAN, Parent: "bond0", VLANID: 7},
			{Name: "br0", Kind: Bridge, Members: []string{"bond0.7"}},
			{Name: "p0", Kind: Ethernet},
			{Name: "p1", Kind: Ethernet},
		},
		Addresses: []Address{{"br0", prefix("10.20.0.1/24")}},
	}
}

// For kernels with VLANs and bonds.
func TestASessionThroughABondAndAVLAN(t *testing.T) {
	node, near := lab.NewSpace(t), lab.NewSpace(t)
	err := node.Do(func() error {
		if out, err := exec.Command("ip", "link", "add", "probe", "type", "bond").CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	if err != nil {
		t.Skipf("this kernel has no bonds: %v", err)
	}
	run(t, node, "link del probe")
	c := &cutting{t: t, node: node, network: &network{pending: make(chan struct{}, 1)}}
	c.Host, c.Open = hostIn{node}, opener(node)
	run(t, near, "link add sw type bridge", "link set sw up", "link add link sw name sw.7 type vlan id 7", "link set sw.7 up", "addr add 10.20.0.9/24 dev sw.7")
	for i := range 2 {
		c.plug(i, near)
		run(t, near, fmt.Sprintf("link set q%d master sw", i))
	}
	c.listen()
	v := visitor{"a neighbour", near, address("10.20.0.9"), address("10.20.0.1")}
	c.become(t, Config{}, stacked())
	for _, tc := range []struct {
		name   string
		before string // at the other end
		change func(*Config)
		cuts   bool
	}{
		{"another VLAN id", "link set q1 up", func(c *Config) { c.Links[1].VLANID = 8 }, true},
		{"one of two members pulled", "link set q1 up", func(c *Config) { c.Links[0].Members = []string{"p1"} }, false},
		{"the other one pulled", "link set q1 up", func(c *Config) { c.Links[0].Members = []string{"p0"} }, false},
		{"the one with a carrier pulled", "link set q1 down", func(c *Config) { c.Links[0].Members = []string{"p1"} }, true},
		{"the one without a carrier pulled", "link set q1 down", func(c *Config) { c.Links[0].Members = []string{"p0"} }, false},
		{"the VLAN out of the bridge", "link set q1 up", func(c *Config) {
			c.Links = append(c.Links, Link{Name: "br1", Kind: Bridge, Members: []string{"bond0.7"}})
			c.Links[2].Members = []string{"p3"}
		}, true},
		{"a second VLAN", "link set q1 up", func(c *Config) {
			c.Links = append(c.Links, Link{Name: "bond0.9", Kind: VLAN, Parent: "bond0", VLANID: 9})
		}, false},
	} {
		run(t, near, tc.before)
		if !c.works(v) {
			t.Fatalf("%s: not even before", tc.name)
		}
		now := stacked()
		tc.change(&now)
		err := c.forecast(v, stacked(), now)
		if (err != nil) != tc.cuts {
			t.Errorf("%s: the guard says %v", tc.name, err)
		}
		if err := c.apply(t.Context(), rendering(stacked()), rendering(now)); err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if reached := c.works(v); reached == tc.cuts {
			t.Errorf("%s: reached %v", tc.name, reached)
		}
		if err := c.apply(t.Context(), rendering(now), rendering(stacked())); err != nil || !c.works(v) {
			t.Errorf("%s: it does not come back (%v)\n%s", tc.name, err, strings.Join(seen(t, node), "\n"))
		}
	}
}
