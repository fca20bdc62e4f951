package rtnl_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gateway/internal/rtnl"
	"gateway/lab"
)

func prefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }

// ip is the independent reader.
func ip(args ...string) (string, error) {
	out, err := exec.Command("ip", args...).CombinedOutput()
	return string(out), err
}

func TestWhatIsMadeIsThereAndMarked(t *testing.T) {
	space := lab.NewSpace(t)
	err := space.Do(func() error {
		c, err := rtnl.Open()
		if err != nil {
			return err
		}
		defer c.Close()
		if refused, err := c.Do([]rtnl.Message{rtnl.CreateLink(rtnl.Link{Name: "br7", Kind: "bridge", Bridge: rtnl.Bridge{STP: true}})}); err != nil || refused != nil {
			return fmt.Errorf("create: %v %w", refused, err)
		}
		links, err := c.Links()
		if err != nil {
			return err
		}
		i := slices.IndexFunc(links, func(l rtnl.Link) bool { return l.Name == "br7" })
		if i < 0 || links[i].Group != rtnl.Group || !links[i].Bridge.STP || links[i].Up {
			return fmt.Errorf("links = %+v", links)
		}
		br := links[i].Index
		refused, err := c.Do([]rtnl.Message{
			rtnl.SetAlias(br, "guests"), rtnl.SetUp(br, true), rtnl.SetSTP(br, false),
			rtnl.AddAddr(br, prefix("192.0.2.1/24"), rtnl.Protocol), rtnl.AddAddr(br, prefix("2001:db8::1/64"), rtnl.Protocol), rtnl.AddAddr(br, prefix("192.0.2.1/24"), rtnl.Protocol),
			rtnl.AddRoute(rtnl.Route{Protocol: rtnl.Protocol, Table: 254, Dst: prefix("198.51.100.0/24"), Type: unix.RTN_UNICAST, Gateway: netip.MustParseAddr("192.0.2.254"), Metric: 7}),
			rtnl.AddRoute(rtnl.Route{Protocol: rtnl.Protocol, Table: 7777, Dst: prefix("::/0"), Type: unix.RTN_UNICAST, Gateway: netip.MustParseAddr("2001:db8::ff"), Link: br}),
			rtnl.AddRoute(rtnl.Route{Protocol: rtnl.Protocol, Table: 254, Dst: prefix("203.0.113.0/24"), Type: unix.RTN_BLACKHOLE}),
			rtnl.AddRoute(rtnl.Route{Protocol: rtnl.Protocol, Table: 254, Dst: prefix("198.51.101.0/24"), Type: unix.RTN_UNICAST, Gateway: netip.MustParseAddr("10.9.9.9")}),
		})
		if err != nil {
			return err
		}
		if refused == nil || !errors.Is(refused[5], unix.EEXIST) || !errors.Is(refused[9], unix.ENETUNREACH) || refused[0] != nil || refused[8] != nil {
			return fmt.Errorf("refused = %v, want the address that was there and the gateway that is nowhere", refused)
		}
		addrs, err := c.Addrs()
		if err != nil {
			return err
		}
		ours := slices.DeleteFunc(addrs, func(a rtnl.Addr) bool { return a.Protocol != rtnl.Protocol })
		routes, err := c.Routes(rtnl.Protocol)
		if err != nil || len(ours) != 2 || len(routes) != 3 {
			return fmt.Errorf("addresses %+v, routes %+v, %w", ours, routes, err)
		}
		for what, want := range map[string]string{
			"-d link show br7":           "alias guests",
			"route show 198.51.100.0/24": "via 192.0.2.254 dev br7 proto 250 metric 7",
			"-6 route show table 7777":   "default via 2001:db8::ff dev br7 proto 250 metric 1024",
			"route show type blackhole":  "blackhole 203.0.113.0/24 proto 250",
			"-d link show group 250":     "stp_state 0",
			"-6 addr show dev br7":       "2001:db8::1/64",
			"-4 addr show dev br7":       "192.0.2.1/24",
		} {
			out, err := ip(strings.Fields(what)...)
			if err != nil || !strings.Contains(out, want) {
				return fmt.Errorf("ip %s = %q (%w), want %s", what, out, err, want)
			}
		}
		refused, err = c.Do([]rtnl.Message{rtnl.DelRoute(routes[0]), rtnl.DelAddr(br, prefix("192.0.2.1/24")), rtnl.DeleteLink(br)})
		if err != nil || refused != nil {
			return fmt.Errorf("removal: %v %w", refused, err)
		}
		left, err := c.Routes(rtnl.Protocol)
		if err != nil || len(left) != 1 { // the black hole, which is on no link
			return fmt.Errorf("left: %+v %w", left, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAChangeWakes(t *testing.T) {
	space := lab.NewSpace(t)
	err := space.Do(func() error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		woken, ended := make(chan struct{}, 1), make(chan error, 1)
		ready := make(chan struct{})
		go func() {
			ended <- space.Do(func() error {
				close(ready)
				return rtnl.Watch(ctx, func() {
					select {
					case woken <- struct{}{}:
					default:
					}
				})
			})
		}()
		<-ready
		for done := false; !done; { // the subscription may come after the first of them
			if out, err := ip("link", "add", "x0", "type", "veth", "peer", "name", "x1"); err != nil {
				return fmt.Errorf("%s: %w", out, err)
			}
			if _, err := ip("link", "del", "x0"); err != nil {
				return err
			}
			select {
			case <-woken:
				done = true
			default:
			}
		}
		cancel()
		return <-ended
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRulesAreReadAsTheyWereMade(t *testing.T) {
	space := lab.NewSpace(t)
	err := space.Do(func() error {
		c, err := rtnl.Open()
		if err != nil {
			return err
		}
		defer c.Close()
		want := []rtnl.Rule{
			{Priority: 32000, Protocol: rtnl.TunnelProtocol, Table: 254, Src: prefix("192.0.2.1/32")},
			{Priority: 32001, Protocol: rtnl.TunnelProtocol, Table: 254, MinPrefixLength: 1},
			{Priority: 32001, Protocol: rtnl.TunnelProtocol, Table: 64301, Out: "wan1"},
			{Priority: 32002, Protocol: rtnl.TunnelProtocol, Table: 64251, Mark: 0xfb000000, Mask: 0xff000000, Not: true},
			{IPv6: true, Priority: 32002, Protocol: rtnl.TunnelProtocol, Table: 64251, Mark: 0xfb000000, Mask: 0xff000000, Not: true},
		}
		var add, del []rtnl.Message
		for _, r := range want {
			add, del = append(add, rtnl.AddRule(r)), append(del, rtnl.DelRule(r))
		}
		if refused, err := c.Do(add); err != nil || refused != nil {
			return fmt.Errorf("add: %v %w", refused, err)
		}
		got, err := c.Rules(rtnl.TunnelProtocol)
		if err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("rules = %+v (%w), want %+v", got, err, want)
		}
		out, err := ip("rule", "show")
		if err != nil || !strings.Contains(out, "32002:\tnot from all fwmark 0xfb000000/0xff000000 lookup 64251") || !strings.Contains(out, "lookup main suppress_prefixlength 0") {
			return fmt.Errorf("ip rule show = %q (%w)", out, err)
		}
		if refused, err := c.Do(del); err != nil || refused != nil {
			return fmt.Errorf("remove: %v %w", refused, err)
		}
		got, err = c.Rules(rtnl.TunnelProtocol)
		if err != nil || len(got) != 0 {
			return fmt.Errorf("rules left = %+v (%w)", got, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
