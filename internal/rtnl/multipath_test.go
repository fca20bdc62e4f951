package rtnl_test

import (
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"gateway/internal/rtnl"
	"gateway/lab"
)

// Of both families: one way becomes two of other weights, and one again.
func TestARouteIsReplacedWithAllOfItsWays(t *testing.T) {
	space := lab.NewSpace(t)
	err := space.Do(func() error {
		for _, line := range []string{
			"link add w1 index 10 type veth peer name w2 index 11", "link set w1 up", "link set w2 up",
			"addr add 192.0.2.1/24 dev w1", "addr add 198.51.100.1/24 dev w2",
			"addr add 2001:db8:1::1/64 dev w1 nodad", "addr add 2001:db8:2::1/64 dev w2 nodad",
		} {
			if out, err := ip(strings.Fields(line)...); err != nil {
				return fmt.Errorf("ip %s: %s", line, out)
			}
		}
		c, err := rtnl.Open()
		if err != nil {
			return err
		}
		defer c.Close()
		for _, f := range []struct {
			all    string
			a, b   string
			metric uint32
		}{{"0.0.0.0/0", "192.0.2.254", "198.51.100.254", 0}, {"::/0", "2001:db8:1::ff", "2001:db8:2::ff", 1024}} {
			m := rtnl.Multipath{Key: rtnl.Key{Table: 64300, Dst: prefix(f.all), Metric: f.metric}, Protocol: rtnl.UplinkProtocol}
			one := []rtnl.NextHop{{Link: 10, Gateway: netip.MustParseAddr(f.a), Weight: 1}}
			two := []rtnl.NextHop{{Link: 10, Gateway: netip.MustParseAddr(f.a), Weight: 3}, {Link: 11, Gateway: netip.MustParseAddr(f.b), Weight: 1}}
			other := []rtnl.NextHop{{Link: 11, Gateway: netip.MustParseAddr(f.b), Weight: 1}}
			for _, hops := range [][]rtnl.NextHop{one, two, other, two, one} {
				m.NextHops = hops
				if refused, err := c.Do([]rtnl.Message{rtnl.ReplaceMultipath(m)}); err != nil || refused != nil {
					return fmt.Errorf("replace by %+v: %v %w", hops, refused, err)
				}
				got, err := c.Multipaths(rtnl.UplinkProtocol)
				if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], m) {
					return fmt.Errorf("routes = %+v (%w), want %+v", got, err, m)
				}
			}
			m.NextHops = two
			if refused, err := c.Do([]rtnl.Message{rtnl.ReplaceMultipath(m), rtnl.DelMultipath(m)}); err != nil || refused != nil {
				return fmt.Errorf("remove: %v %w", refused, err)
			}
			if left, err := c.Multipaths(rtnl.UplinkProtocol); err != nil || len(left) > 0 {
				return fmt.Errorf("left: %+v %w", left, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
