package network

import (
	"context"
	"net/netip"

	"gateway/internal/api"
	"gateway/internal/component/network/netstate"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/rtnl"
	"gateway/internal/value"
)

// Route is one static route.
type Route struct {
	resource.Meta
	Destination string `json:"destination" db:"destination"`
	Type        string `json:"type" db:"type"`
	Gateway     string `json:"gateway" db:"gateway"`
	Dev         string `json:"dev" db:"dev"`
	Metric      *int64 `json:"metric" db:"metric"`
	TableName   string `json:"table_name" db:"table_name"`
	Onlink      bool   `json:"onlink" db:"onlink"`
	Active      bool   `json:"active" db:"active"`
	Comment     string `json:"comment" db:"comment"`
}

// RouteInput is what create and update take.
type RouteInput struct {
	Destination string `json:"destination" db:"destination" minLength:"2" maxLength:"64" doc:"Network, IPv4 or IPv6; 0.0.0.0/0 or ::/0 for the default route" example:"198.51.100.0/24"`
	Type        string `json:"type,omitempty" db:"type" enum:"unicast,blackhole,unreachable,prohibit" default:"unicast" doc:"unicast leads to a gateway or an interface; the others discard packets, silently or with an ICMP error"`
	Gateway     string `json:"gateway,omitempty" db:"gateway" maxLength:"64" doc:"unicast: address of the next router; gateway, dev or both are required" example:"192.0.2.254"`
	Dev         string `json:"dev,omitempty" db:"dev" maxLength:"15" doc:"unicast: interface to leave by" example:"eth0"`
	Metric      *int64 `json:"metric,omitempty" db:"metric" minimum:"0" maximum:"4294967295" doc:"Of two routes to the same network, the one with the lower number is used; 0 is the kernel's default"`
	TableName   string `json:"table_name,omitempty" db:"table_name" maxLength:"10" default:"main" doc:"Routing table: main, default, or a number" example:"main"`
	Onlink      bool   `json:"onlink,omitempty" db:"onlink" doc:"The gateway is reachable on dev although it is in no network of this node, as some providers have it"`
	Active      *bool  `json:"active,omitempty" db:"active" doc:"Default: true"`
	Comment     string `json:"comment,omitempty" db:"comment" maxLength:"1000" doc:"Free text for other administrators"`
}

func (h *handlers) routes() resource.Resource[Route, RouteInput] {
	return resource.Resource[Route, RouteInput]{
		Component: netstate.Name, Noun: "route", Path: "/routes", Table: "network_routes", Access: api.Viewer,
		Search: []string{"destination", "gateway", "dev", "comment", "table_name"}, Sort: []string{"destination", "gateway", "dev", "metric", "table_name", "created_at", "updated_at"},
		Filter: []string{"dev", "table_name", "active", "type"},
		Unique: map[string]string{"network_routes_once": "destination"},
		Name:   func(r Route) string { return r.Destination }, Validate: validateRoute,
	}
}

func validateRoute(_ context.Context, _ db.DB, _ *Route, in *RouteInput) error {
	var p fault.Problems
	in.Active = value.OrTrue(in.Active)
	if in.Type == "" {
		in.Type = netstate.RouteTypes[0]
	}
	if in.TableName == "" {
		in.TableName = "main"
	}
	if in.Metric != nil && *in.Metric == 0 {
		in.Metric = nil
	}
	dst, err := value.Prefix(in.Destination)
	if err != nil {
		p.AddError("destination", err)
	} else {
		in.Destination = dst.String()
	}
	if n, err := netstate.ParseTable(in.TableName); err != nil {
		p.Add("table_name", "must be main, default, or a number from 1 to 4294967295 other than 255")
	} else if rtnl.Reserved(n) {
		p.Add("table_name", "%d is a table of tunnels or uplinks; choose another", n)
	} else {
		in.TableName = netstate.TableName(n)
	}
	if err := value.Text(in.Comment); err != nil {
		p.AddError("comment", err)
	}
	if dst.IsValid() && dst.Addr().IsMulticast() {
		p.Add("destination", "is a multicast network, which static routes do not lead to")
	}
	in.validateNextHop(&p, dst)
	return p.Err()
}

// validateNextHop holds gateway and interface against the type and the destination.
func (in *RouteInput) validateNextHop(p *fault.Problems, dst netip.Prefix) {
	if in.Type != netstate.RouteTypes[0] {
		if in.Gateway != "" {
			p.Add("gateway", "is allowed only for a unicast route")
		}
		if in.Dev != "" {
			p.Add("dev", "is allowed only for a unicast route")
		}
		if in.Onlink {
			p.Add("onlink", "is allowed only for a unicast route")
		}
		return
	}
	if in.Gateway == "" && in.Dev == "" {
		p.Add("gateway", "is required where there is no interface")
	}
	if in.Dev != "" {
		interfaceName(p, "dev", in.Dev)
	}
	if in.Onlink && (in.Gateway == "" || in.Dev == "") {
		p.Add("onlink", "requires a gateway and an interface")
	}
	if in.Gateway == "" {
		return
	}
	ip, err := value.Host(in.Gateway)
	switch {
	case err != nil:
		p.AddError("gateway", err)
		return
	case dst.IsValid() && ip.Is4() != dst.Addr().Is4():
		p.Add("gateway", "must be of the same family as the destination")
	case ip.IsLinkLocalUnicast() && ip.Is6() && in.Dev == "":
		p.Add("dev", "is required for a link-local gateway")
	}
	in.Gateway = ip.String()
}
