package multiwan

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"slices"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
	"gateway/internal/value"
)

// row types: the columns in the order of their queries.
type (
	uplinkRow struct {
		ID, Name                                  string
		Number                                    int
		Interface, Family, Gateway                string
		Active, Monitor                           bool
		Target                                    string
		Interval, Window, LossDown, RTTDown, Hold int
	}
	groupRow struct {
		ID, Name string
		Number   int
		Family   string
		Default  bool
	}
	memberRow struct {
		ID, Group, Uplink string
		Tier, Weight      int
	}
)

// state is what the file is made of, and what a change of it is judged beside.
type state struct {
	Config
	others forecast.Rows
}

func (d *uplinks) load(ctx context.Context, q db.DB, _ daemon.Unseal) (state, error) {
	c, err := load(ctx, q)
	return state{c, forecast.Rows{Sources: d.Routing, DB: q}}, err
}

// load reads what is active; there are no secrets among it.
func load(ctx context.Context, q db.DB) (c Config, err error) {
	uplinks, err := db.List[uplinkRow](ctx, q, `select id, name, number, interface, family, gateway, active, monitor, monitor_address, interval_ms, window_s,
		loss_percent_down, rtt_ms_down, hold_s from uplink_uplinks order by number`)
	if err != nil {
		return c, fmt.Errorf("read uplinks: %w", err)
	}
	groups, err := db.List[groupRow](ctx, q, `select id, name, number, family, is_default from uplink_groups order by name`)
	if err != nil {
		return c, fmt.Errorf("read groups of uplinks: %w", err)
	}
	members, err := db.List[memberRow](ctx, q, `select id, group_id, uplink_id, tier, weight from uplink_members order by group_id, tier, uplink_id`)
	if err != nil {
		return c, fmt.Errorf("read members of groups of uplinks: %w", err)
	}
	known := c.uplinks(uplinks)
	for _, r := range groups {
		if !idForm.MatchString(r.ID) || r.Family != IPv4 && r.Family != IPv6 || value.Line(r.Name) != nil || outside(r.Number, 1, MaxNumber) {
			c.skip("group " + r.Name)
			continue
		}
		c.Groups = append(c.Groups, Group{ID: r.ID, Name: r.Name, Number: r.Number, IPv6: r.Family == IPv6, Default: r.Default, Members: []Member{}})
	}
	for _, m := range members {
		c.member(m, known)
	}
	return c, nil
}

// uplinks takes those that are active, and answers the numbers of all by their ids: 0 for one
// that is not used.
func (c *Config) uplinks(rows []uplinkRow) map[string]int {
	known := map[string]int{}
	for _, r := range rows {
		known[r.ID] = 0
		if !r.Active {
			continue
		}
		u, err := r.uplink()
		if err != nil {
			c.skip("uplink " + r.Name)
			continue
		}
		known[r.ID] = u.Number
		c.Uplinks = append(c.Uplinks, u)
	}
	return known
}

// member puts an uplink that is used into its group.
func (c *Config) member(r memberRow, known map[string]int) {
	number, there := known[r.Uplink]
	i := slices.IndexFunc(c.Groups, func(g Group) bool { return g.ID == r.Group })
	if !there || i < 0 || outside(r.Tier, 1, MaxTier) || outside(r.Weight, 1, MaxWeight) {
		c.skip("member " + r.ID + " of a group")
		return
	}
	if u, used := c.numbered(number); used && u.IPv6 == c.Groups[i].IPv6 {
		c.Groups[i].Members = append(c.Groups[i].Members, Member{number, r.Tier, r.Weight})
	}
}

// idForm is what ids look like.
var idForm = regexp.MustCompile(`^[0-9a-f-]{36}$`)

func outside(n, least, most int) bool { return n < least || n > most }

// The families, as the API names them.
const (
	IPv4 = "inet"
	IPv6 = "inet6"
)

// The bounds of what is stored. The kernel has eight bits for a weight.
const (
	MaxTier   = 100
	MaxWeight = 256

	minInterval, maxInterval = 20, 10_000 // ms
	maxWindow                = 300        // s
	maxRTT                   = 10_000     // ms
	maxHold                  = 3600       // s
)

// skip notes a row that is no configuration. The API stores none, but rows may be older than
// its rules, or written by another hand.
func (c *Config) skip(subject string) {
	c.skipped = append(c.skipped, daemon.Problem{Subject: subject, Sentence: fault.Said("has an invalid value")})
}

func (r uplinkRow) uplink() (u Uplink, err error) {
	u = Uplink{
		ID: r.ID, Name: r.Name, Number: r.Number, Interface: r.Interface, IPv6: r.Family == IPv6, Monitor: r.Monitor,
		Interval: r.Interval, Window: r.Window, LossDown: r.LossDown, RTTDown: r.RTTDown, Hold: r.Hold,
	}
	if !idForm.MatchString(r.ID) || !rtnl.ValidName(r.Interface) || r.Family != IPv4 && r.Family != IPv6 || value.Line(r.Name) != nil || outside(r.Number, 1, MaxNumber) {
		return u, fmt.Errorf("uplink %s has an id, name, interface, family or number that there is not", r.Name)
	}
	if outside(r.Interval, minInterval, maxInterval) || outside(r.Window, 1, maxWindow) || outside(r.LossDown, 1, 100) || outside(r.RTTDown, 0, maxRTT) || outside(r.Hold, 1, maxHold) {
		return u, fmt.Errorf("uplink %s is judged by a number that is out of range", r.Name)
	}
	if u.Gateway, err = u.address(r.Gateway); err != nil {
		return u, err
	}
	u.Target, err = u.address(r.Target)
	return u, err
}

// address reads one of the uplink's family, or none.
func (u Uplink) address(s string) (netip.Addr, error) {
	if s == "" {
		return netip.Addr{}, nil
	}
	ip, err := netip.ParseAddr(s)
	if err != nil || ip.Is6() != u.IPv6 || ip.Zone() != "" || ip.Is4In6() || ip.IsMulticast() || ip.IsUnspecified() || ip.IsLoopback() {
		return ip, fmt.Errorf("%q is no address that uplink %s can ask", s, u.Name)
	}
	return ip, nil
}

func render(s state) (daemon.Rendering, error) {
	return daemon.Rendering{Problems: s.skipped, Files: []daemon.File{{Path: Path, Mode: 0o644, Data: s.Text()}}}, nil
}
