package network

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"golang.org/x/sys/unix"

	"gateway/internal/api"
	"gateway/internal/component/network/netstate"
	"gateway/internal/rtnl"
)

// LiveRoute is a route as the kernel has it.
type LiveRoute struct {
	Destination string `json:"destination" doc:"Network that it leads to" example:"0.0.0.0/0"`
	Family      string `json:"family" enum:"inet,inet6" doc:"inet for IPv4, inet6 for IPv6"`
	Type        string `json:"type" doc:"unicast, local, broadcast, anycast, multicast, blackhole, unreachable or prohibit" example:"unicast"`
	Gateway     string `json:"gateway" doc:"Next router; empty for what is on the link"`
	Dev         string `json:"dev" doc:"Interface to leave by; empty for what is discarded"`
	Source      string `json:"source" doc:"Address of this node for packets that it sends itself; empty when the kernel chooses"`
	Metric      uint32 `json:"metric" doc:"The lowest number is used"`
	TableName   string `json:"table_name" doc:"Routing table: main, local, default, or a number"`
	Protocol    string `json:"protocol" doc:"Who made it: kernel, boot, static, ra, dhcp, gateway for routes configured here, gateway-tunnel and gateway-uplink for those of tunnels and uplinks; a number for others"`
	Multipath   bool   `json:"multipath" doc:"It has more next hops than the one that is shown"`
}

// LiveQuery selects a page.
type LiveQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"10000" default:"1000" doc:"Page size"`
	Offset int    `query:"offset" minimum:"0" default:"0" doc:"Number of entries to skip"`
	Q      string `query:"q" maxLength:"200" doc:"Search text in any field"`
}

func liveRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "live-routes", Method: http.MethodGet, Path: "/routes/live", Access: api.Viewer, AtOnce: 2, WithoutDatabase: true,
		Summary:     "Routes of the kernel, in all tables",
		Description: "What is there now, whoever made it. Routes configured here have the protocol gateway (250).",
	}, liveRoutes)
}

func liveRoutes(_ context.Context, in *LiveQuery) (*api.Page[LiveRoute], error) {
	all, err := Live()
	if err != nil {
		return nil, err
	}
	return page(all, in, func(r LiveRoute) string {
		return strings.Join([]string{r.Destination, r.Type, r.Gateway, r.Dev, r.TableName, r.Protocol, r.Source}, " ")
	}), nil
}

// Live are the kernel's routes.
func Live() ([]LiveRoute, error) {
	c, err := rtnl.Open()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	links, err := c.Links()
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	routes, err := c.Routes(0)
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	names := map[int]string{}
	for _, l := range links {
		names[l.Index] = l.Name
	}
	out := make([]LiveRoute, len(routes))
	for i, r := range routes {
		out[i] = newLive(r, names[r.Link])
	}
	return out, nil
}

func newLive(r rtnl.Route, dev string) LiveRoute {
	return LiveRoute{
		Destination: r.Dst.String(), Family: familyOf(r.Dst.Addr()), Type: word(routeTypes, r.Type), Gateway: shown(r.Gateway), Dev: dev, Source: shown(r.Source),
		Metric: r.Metric, TableName: netstate.TableName(r.Table), Protocol: word(protocols, r.Protocol), Multipath: r.Multipath,
	}
}

func familyOf(ip netip.Addr) string {
	if ip.Is4() {
		return "inet"
	}
	return "inet6"
}

func shown(ip netip.Addr) string {
	if !ip.IsValid() {
		return ""
	}
	return ip.String()
}

var (
	routeTypes = map[uint8]string{
		unix.RTN_UNICAST: "unicast", unix.RTN_LOCAL: "local", unix.RTN_BROADCAST: "broadcast", unix.RTN_ANYCAST: "anycast", unix.RTN_MULTICAST: "multicast",
		unix.RTN_BLACKHOLE: "blackhole", unix.RTN_UNREACHABLE: "unreachable", unix.RTN_PROHIBIT: "prohibit",
	}
	// protocols are those of /etc/iproute2/rt_protos that a gateway meets, and ours.
	protocols = map[uint8]string{
		unix.RTPROT_REDIRECT: "redirect", unix.RTPROT_KERNEL: "kernel", unix.RTPROT_BOOT: "boot", unix.RTPROT_STATIC: "static", unix.RTPROT_RA: "ra",
		unix.RTPROT_DHCP: "dhcp", unix.RTPROT_ZEBRA: "zebra", unix.RTPROT_BIRD: "bird", unix.RTPROT_BABEL: "babel", unix.RTPROT_BGP: "bgp",
		unix.RTPROT_ISIS: "isis", unix.RTPROT_OSPF: "ospf", unix.RTPROT_RIP: "rip", rtnl.Protocol: "gateway", rtnl.TunnelProtocol: "gateway-tunnel",
		rtnl.UplinkProtocol: "gateway-uplink",
	}
)

func word(words map[uint8]string, n uint8) string {
	if w, ok := words[n]; ok {
		return w
	}
	return fmt.Sprint(n)
}
