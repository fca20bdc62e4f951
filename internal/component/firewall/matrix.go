package firewall

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"gateway/internal/api"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/db"
	"gateway/internal/packetfilter"
)

// Matrix is the policy at one glance.
type Matrix struct {
	Zones []MatrixZone `json:"zones" doc:"Names of all zones, in display order"`
	Cells []Cell       `json:"cells" doc:"From every zone to every zone and to the gateway. Traffic sent by the gateway itself is not filtered and has no cells"`
}

// MatrixZone is a row of the matrix.
type MatrixZone struct {
	Name       string `json:"name" doc:"Name of the zone"`
	Interfaces int    `json:"interfaces" doc:"Number of interfaces in the zone"`
}

// Cell is what passes from one zone to another, or to the gateway itself.
type Cell struct {
	Src           string   `json:"src" doc:"Source zone"`
	Dst           string   `json:"dst" doc:"Destination zone, or gateway for the gateway itself"`
	Reach         string   `json:"reach" enum:"all,some,none,unknown" doc:"How much of the traffic passes: all of it, some, or none. unknown: the rules overlap in too many ways to decide"`
	Reason        string   `json:"reason,omitempty" enum:"no_interface,no_route" doc:"Why there is no traffic between the two: a zone has no interface, or no route leads to the destination zone"`
	Services      []string `json:"services" doc:"Services that pass, at least between some addresses, such as tcp/443; other stands for all protocols that a service cannot have. At most 50"`
	ServiceCount  int      `json:"service_count" doc:"Number of services that pass"`
	Except        []string `json:"except" doc:"Services that do not pass. At most 50"`
	ExceptCount   int      `json:"except_count" doc:"Number of services that do not pass"`
	SomeAddresses bool     `json:"some_addresses" doc:"A service passes between some addresses only"`
	Decided       []Reason `json:"decided" doc:"What decides between the two, in order. At most 12"`
	More          bool     `json:"more" doc:"More rules decide than are listed"`
}

// Reason is something that decides over packets between two zones.
type Reason struct {
	Kind   string `json:"kind" enum:"rule,translated,opening,lockout,peer,tunnel" doc:"A rule, a DNAT rule that also accepts, a service of the gateway, anti-lockout, cluster peers or a tunnel"`
	ID     string `json:"id,omitempty" doc:"Id of the rule or NAT rule"`
	Name   string `json:"name,omitempty" doc:"Name of the rule, NAT rule or tunnel"`
	Why    string `json:"why,omitempty" doc:"What the port is open for"`
	Action string `json:"action" enum:"accept,drop,reject" doc:"What it does with the packets: accept, drop or reject"`
}

// maxServices is how many of them a cell lists.
const maxServices = 50

func (f *firewall) matrixRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "firewall-matrix", Method: http.MethodGet, Path: "/firewall/matrix", Access: api.Viewer,
		Summary: "What passes from zone to zone",
		Description: "For each pair of zones: whether all, some or none of the traffic passes, which services, and what decides. " +
			"It is computed from the rules, NAT, anti-lockout, open ports and routes of the stored configuration, for the first packets of new connections.",
	}, f.matrix)
}

// matrix is computed one at a time: with odd rules it takes a processor for seconds.
func (f *firewall) matrix(ctx context.Context, _ *struct{}) (*api.Body[Matrix], error) {
	select {
	case f.matrices <- struct{}{}:
		defer func() { <-f.matrices }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	zones, err := db.List[struct{ Name string }](ctx, f.DB, `select name from firewall_zones order by builtin desc, name`)
	if err != nil {
		return nil, fmt.Errorf("list zones: %w", err)
	}
	s, err := f.Policy.Load(ctx, f.DB)
	if err != nil {
		return nil, err
	}
	routes, err := f.forwarded()
	if err != nil {
		return nil, err
	}
	m := Matrix{Zones: []MatrixZone{}, Cells: []Cell{}}
	for _, z := range zones {
		m.Zones = append(m.Zones, MatrixZone{z.Name, len(s.Policy.Zones[z.Name])})
	}
	for _, c := range packetfilter.Matrix(&s.Policy, routes) {
		m.Cells = append(m.Cells, newCell(c))
	}
	return api.OK(m), nil
}

// forwarded are the routes that packets can be forwarded by. An address of one link is on every
// link, and none is forwarded there.
func (f *firewall) forwarded() (packetfilter.Routes, error) {
	if f.Host == nil {
		return nil, nil // nothing is known; then any destination may be anywhere
	}
	hops, err := f.Host.Routes()
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	return slices.DeleteFunc(filter.Routes(hops), func(h packetfilter.Hop) bool {
		return !h.Local && h.Network.Addr().IsLinkLocalUnicast() && h.Network.Addr().Is6()
	}), nil
}

func newCell(c packetfilter.Cell) Cell {
	out := Cell{
		Src: c.From, Dst: c.To, Reach: string(c.Reach), Reason: c.Empty, SomeAddresses: c.Narrow, More: c.More,
		Services: first(c.Services), ServiceCount: len(c.Services), Except: first(c.Except), ExceptCount: len(c.Except), Decided: []Reason{},
	}
	for _, r := range c.By {
		out.Decided = append(out.Decided, Reason{r.Kind, r.ID, r.Name, r.Why, string(r.Action)})
	}
	return out
}

// first are as many services as a cell lists.
func first(list []string) []string { return append([]string{}, list[:min(len(list), maxServices)]...) }
