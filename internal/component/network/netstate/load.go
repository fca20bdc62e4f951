package netstate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
)

// row types: the columns in the order of their queries.
type (
	linkRow struct {
		Name, Type, Role, Parent string
		VLANID                   int
		Members                  []string
		Description              string
		MTU                      int
		Mode, LACPRate, Hash     string
		Primary                  string
		Miimon                   int
		STP, VLANFilter          bool
	}
	addressRow struct {
		Link, Address string
		Prefix        int
	}
)

// RouteRow is a static route as it is stored.
type RouteRow struct {
	Destination, Type, Gateway, Dev string
	Metric                          int64
	Table                           string
	Onlink                          bool
}

// routeVersion is a row as it is stored, with what becomes of it: most of ten thousand are those
// of the last time.
type routeVersion struct {
	Destination, Type, Gateway, Dev string
	Metric                          int64
	Table                           string
	Onlink                          bool

	route Route
	line  []byte // of the file
	err   error
}

func (v *routeVersion) row() RouteRow {
	return RouteRow{v.Destination, v.Type, v.Gateway, v.Dev, v.Metric, v.Table, v.Onlink}
}

// before orders routes as the file has them; without a metric it is the kernel's own one, and last.
func (v *routeVersion) before(o *routeVersion) int {
	return cmp.Or(cmp.Compare(v.Table, o.Table), cmp.Compare(v.Destination, o.Destination), cmp.Compare(uint64(v.Metric-1), uint64(o.Metric-1)))
}

func newStored() *db.Sorted[routeVersion] {
	return &db.Sorted[routeVersion]{
		Table: "network_routes", Where: "active", Columns: `destination, type, gateway, dev, coalesce(metric, 0), table_name, onlink`,
		Compare: (*routeVersion).before,
		Made: func(v *routeVersion) {
			if v.route, v.err = v.row().Parse(); v.err == nil {
				v.line = v.route.line(nil)
			}
		},
	}
}

// state is what the files are made of, and what a change of it is judged beside.
type state struct {
	Config
	lines  [][]byte // of the routes
	others forecast.Rows
}

func (n *network) load(ctx context.Context, q db.DB, _ daemon.Unseal) (state, error) {
	s, err := load(ctx, q, n.stored)
	s.others = forecast.Rows{Sources: n.Routing, DB: q}
	return s, err
}

// Forecast is what applying the rows makes of the kernel.
func Forecast() forecast.Source {
	stored := newStored()
	return forecast.Source{
		Name: Name, Tables: Tables(),
		Load: func(ctx context.Context, q db.DB) (forecast.Change, error) {
			s, err := load(ctx, q, stored)
			return s.forecast, err
		},
	}
}

// load reads the rows; there are no secrets among them.
func load(ctx context.Context, q db.DB, stored *db.Sorted[routeVersion]) (c state, err error) {
	links, err := db.List[linkRow](ctx, q, `select name, type, coalesce(role, ''), parent, coalesce(vlan_id, 0), members, description, coalesce(mtu, 0),
		bond_mode, lacp_rate, hash_policy, primary_member, coalesce(miimon, 0), stp, vlan_filtering from network_interfaces order by name`)
	if err != nil {
		return c, fmt.Errorf("read interfaces: %w", err)
	}
	addresses, err := db.List[addressRow](ctx, q, `select i.name, a.address, a.prefix from network_addresses a join network_interfaces i on i.id = a.interface_id
		order by i.name, a.vip_priority, a.address, a.prefix`)
	if err != nil {
		return c, fmt.Errorf("read addresses: %w", err)
	}
	routes, err := stored.Load(ctx, q)
	if err != nil {
		return c, err
	}
	for _, l := range links {
		if why, is := l.flaw(); is {
			c.skip("interface "+l.Name, why)
			continue
		}
		c.Links = append(c.Links, Link{
			Name: l.Name, Kind: l.Type, Role: l.Role, MTU: l.MTU, Parent: l.Parent, VLANID: l.VLANID, Members: l.Members, Alias: oneLine(l.Description),
			Mode: l.Mode, LACPRate: l.LACPRate, Hash: l.Hash, Primary: l.Primary, Miimon: l.Miimon, STP: l.STP, VLANFilter: l.VLANFilter,
		})
	}
	for _, a := range addresses {
		p, err := ParseAddress(a.Address, a.Prefix)
		if err != nil || !ValidName(a.Link) {
			c.skip(fmt.Sprintf("address %s of %s", a.Address, a.Link), fault.Said("is not a valid interface address"))
			continue
		}
		c.Addresses = append(c.Addresses, Address{a.Link, p})
	}
	c.Routes, c.lines = make([]Route, 0, len(routes)), make([][]byte, 0, len(routes))
	for _, r := range routes {
		if r.err != nil {
			c.skip("route "+r.row().String(), fault.Said("has an invalid value"))
			continue
		}
		c.Routes, c.lines = append(c.Routes, r.route), append(c.lines, r.line)
	}
	return c, nil
}

// aliasBytes is less than what the kernel takes.
const aliasBytes = 200

// oneLine is what of a description fits beside the name of a link.
func oneLine(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "")
	for len(s) > aliasBytes {
		s = s[:strings.LastIndexFunc(s, func(rune) bool { return true })]
	}
	return s
}

// ParseAddress is an address with the length of its network.
func ParseAddress(address string, bits int) (netip.Prefix, error) {
	return rtnl.ParseAddress(address, bits)
}

// Parse is the route of a row.
func (r RouteRow) Parse() (w Route, err error) {
	if w.Dst, err = netip.ParsePrefix(r.Destination); err != nil {
		return w, err
	}
	w.Dst = w.Dst.Masked()
	if w.Table, err = ParseTable(r.Table); err != nil {
		return w, err
	}
	if r.Gateway != "" {
		if w.Gateway, err = netip.ParseAddr(r.Gateway); err != nil {
			return w, err
		}
	}
	if r.Type != RouteTypes[0] {
		w.Type = r.Type
	}
	if (r.Dev != "" && !ValidName(r.Dev)) || !slices.Contains(RouteTypes, r.Type) || r.Metric < 0 || r.Metric > math.MaxUint32 {
		return w, fmt.Errorf("route %s has a device, type or metric that there is not", r.Destination)
	}
	w.Dev, w.Metric, w.Onlink = r.Dev, uint32(r.Metric), r.Onlink
	return w, nil
}

// ParseTable is the kernel's number of a routing table.
func ParseTable(name string) (uint32, error) {
	switch name {
	case "main":
		return unix.RT_TABLE_MAIN, nil
	case "default":
		return unix.RT_TABLE_DEFAULT, nil
	}
	n, err := strconv.ParseUint(name, 10, 32)
	if err != nil || n == unix.RT_TABLE_UNSPEC || n == unix.RT_TABLE_LOCAL {
		return 0, fmt.Errorf("%q is no routing table", name)
	}
	return uint32(n), nil
}

// TableName is what ParseTable reads.
func TableName(n uint32) string {
	switch n {
	case unix.RT_TABLE_MAIN:
		return "main"
	case unix.RT_TABLE_DEFAULT:
		return "default"
	case unix.RT_TABLE_LOCAL:
		return "local"
	default:
		return strconv.FormatUint(uint64(n), 10)
	}
}

// text is what Text makes of the configuration.
func (s state) text() []byte {
	head := Config{Links: s.Links, Addresses: s.Addresses}.Text()
	return slices.Concat(append([][]byte{head}, s.lines...)...)
}

func render(s state) (daemon.Rendering, error) {
	r := daemon.Rendering{Problems: s.skipped}
	r.Files = []daemon.File{
		{Path: Path, Mode: 0o644, Data: s.text()},
		{Path: SysctlPath, Mode: 0o644, Data: sysctls(s.Config)},
	}
	return r, nil
}
