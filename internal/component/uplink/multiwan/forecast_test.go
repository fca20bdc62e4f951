package multiwan

import (
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gateway/internal/daemon"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
	"gateway/internal/sys"
	"gateway/lab"
)

// What is forecast of a configuration is what the kernel has when it is applied.
func TestTheForecastIsWhatTheKernelHas(t *testing.T) {
	space := lab.NewSpace(t)
	for _, line := range []string{
		"link add wan1 type veth peer name far1", "link set wan1 up", "link set far1 up", "addr add 192.0.2.2/24 dev wan1",
		"link add wan2 type veth peer name far2", "link set wan2 up", "link set far2 up", "addr add 198.51.100.2/24 dev wan2",
		"addr add 2001:db8:2::2/64 dev wan2 nodad", "route add default via 198.51.100.1 dev wan2 proto dhcp metric 100",
	} {
		if err := space.Do(func() error { return exec.Command("ip", strings.Fields(line)...).Run() }); err != nil {
			t.Fatal(line, err)
		}
	}
	open := func() (c *rtnl.Conn, err error) {
		err = space.Do(func() (err error) { c, err = rtnl.Open(); return err })
		return c, err
	}
	d := newUplinks(Options{Open: open, Log: slog.New(slog.DiscardHandler), Exec: func(context.Context, sys.Command) (sys.Result, error) { return sys.Result{}, nil }})
	fibre := Uplink{ID: "a", Name: "fibre", Number: 1, Interface: "wan1", Gateway: addr("192.0.2.1")}
	mobile := Uplink{ID: "b", Name: "mobile", Number: 2, Interface: "wan2"} // its gateway is the other program's to say
	six := Uplink{ID: "c", Name: "six", Number: 3, Interface: "wan2", IPv6: true, Gateway: addr("2001:db8:2::1")}
	away := Uplink{ID: "d", Name: "away", Number: 4, Interface: "wan9", Gateway: addr("203.0.113.1")}
	group := func(members ...Member) []Group {
		return []Group{{ID: "g", Name: "out", Default: true, Members: members}}
	}
	moved := fibre
	moved.Gateway = addr("192.0.2.9")
	for _, c := range []Config{
		{Uplinks: []Uplink{fibre, mobile, six, away}, Groups: group(Member{1, 1, 1}, Member{2, 2, 1})},
		{Uplinks: []Uplink{moved, mobile}, Groups: group(Member{1, 1, 1}, Member{2, 1, 3})},
		{Uplinks: []Uplink{mobile}, Groups: group(Member{2, 1, 1})},
		{Uplinks: []Uplink{fibre}},
		{},
	} {
		want := own(c.forecast(network(t, open)))
		if err := d.apply(t.Context(), daemon.Rendering{}, daemon.Rendering{Files: []daemon.File{{Path: Path, Data: c.Text()}}}); err != nil {
			t.Fatal(err)
		}
		if got := own(network(t, open)); !slices.Equal(got, want) {
			t.Errorf("%s\nthe kernel has\n%s\nthe forecast was\n%s", c.Text(), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func network(t *testing.T, open func() (*rtnl.Conn, error)) forecast.Network {
	t.Helper()
	conn, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	n, err := forecast.Read(conn)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// own is what of a network is the uplinks', as text.
func own(n forecast.Network) (out []string) {
	for _, r := range n.Routes {
		if r.Protocol == rtnl.UplinkProtocol {
			r.Multipath = false // how many take new connections is the monitor's to say
			out = append(out, fmt.Sprintf("%+v", r))
		}
	}
	for _, r := range n.Rules {
		if r.Protocol == rtnl.UplinkProtocol {
			out = append(out, fmt.Sprintf("%+v", r))
		}
	}
	slices.Sort(out)
	return out
}
