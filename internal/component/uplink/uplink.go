package uplink

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/rtnl"
	"gateway/internal/value"
)

// What an uplink has that nobody says otherwise: silence moves new connections after a good
// second, a third of the packets lost within three, and a returning uplink is trusted after ten.
const (
	usualInterval = 100 // ms
	usualWindow   = 2   // s
	usualLoss     = 15  // percent
	usualRTT      = 300 // ms
	usualHold     = 10  // s
	// fewest is how many probes a window must have room for.
	fewest = 10
)

// Uplink is one way out of this node, of one family.
type Uplink struct {
	resource.Meta
	Name            string `json:"name" db:"name"`
	Interface       string `json:"interface" db:"interface"`
	Family          string `json:"family" db:"family"`
	Gateway         string `json:"gateway" db:"gateway"`
	Active          bool   `json:"active" db:"active"`
	Monitor         bool   `json:"monitor" db:"monitor"`
	MonitorAddress  string `json:"monitor_address" db:"monitor_address"`
	IntervalMS      int    `json:"interval_ms" db:"interval_ms"`
	WindowS         int    `json:"window_s" db:"window_s"`
	LossPercentDown int    `json:"loss_percent_down" db:"loss_percent_down"`
	RTTMSDown       int    `json:"rtt_ms_down" db:"rtt_ms_down"`
	HoldS           int    `json:"hold_s" db:"hold_s"`
	Description     string `json:"description" db:"description"`
	Number          int    `json:"number" db:"number" doc:"Number of the uplink in the system: its routing table is 64300 plus this"`
}

// UplinkInput is what create and update take.
type UplinkInput struct {
	Name            string `json:"name" db:"name" minLength:"1" maxLength:"64" doc:"Name of the uplink" example:"fibre"`
	Interface       string `json:"interface" db:"interface" minLength:"1" maxLength:"15" doc:"Network interface that it leaves by; one uplink for each family" example:"eth0"`
	Family          string `json:"family,omitempty" db:"family" enum:",inet,inet6" doc:"inet for IPv4, inet6 for IPv6; default: that of the gateway, otherwise inet"`
	Gateway         string `json:"gateway,omitempty" db:"gateway" maxLength:"64" doc:"Address of the provider's router. Empty: the one that DHCP or router advertisements gave the interface, or none on a point-to-point link" example:"192.0.2.1"`
	Active          *bool  `json:"active,omitempty" db:"active" doc:"Default: true"`
	Monitor         *bool  `json:"monitor,omitempty" db:"monitor" doc:"Judge the uplink by ICMP echo requests; without, by its carrier alone. Default: true"`
	MonitorAddress  string `json:"monitor_address,omitempty" db:"monitor_address" maxLength:"64" doc:"Address that is asked through this uplink, best one beyond the provider; default: the gateway" example:"9.9.9.9"`
	IntervalMS      *int   `json:"interval_ms,omitempty" db:"interval_ms" minimum:"20" maximum:"10000" doc:"Milliseconds between two echo requests; after a lost one it asks four times as often. Default: 100"`
	WindowS         *int   `json:"window_s,omitempty" db:"window_s" minimum:"1" maximum:"300" doc:"Seconds over which loss and round-trip time are measured, at least twice rtt_ms_down; room for at least 10 requests. Default: 2"`
	LossPercentDown *int   `json:"loss_percent_down,omitempty" db:"loss_percent_down" minimum:"1" maximum:"100" doc:"Percentage of lost requests from which the uplink is not used. Default: 15"`
	RTTMSDown       *int   `json:"rtt_ms_down,omitempty" db:"rtt_ms_down" minimum:"0" maximum:"10000" doc:"Median round-trip time in milliseconds from which the uplink is not used; 0 for never. Default: 300"`
	HoldS           *int   `json:"hold_s,omitempty" db:"hold_s" minimum:"1" maximum:"3600" doc:"Seconds that a failed uplink must work before it is used again. Default: 10"`
	Description     string `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`

	number int // of a new one
}

func (u *uplinks) uplinks() resource.Resource[Uplink, UplinkInput] {
	return resource.Resource[Uplink, UplinkInput]{
		Component: multiwan.Name, Noun: "uplink", Path: uplinksPath, Table: "uplink_uplinks", Access: api.Viewer,
		Search: []string{"name", "interface", "gateway", "description"}, Sort: []string{"name", "interface", "family", "active", "created_at", "updated_at"},
		Filter:   []string{"interface", "family", "active"},
		Unique:   map[string]string{"uplink_uplinks_name": "name", "uplink_uplinks_interface": "interface"},
		Name:     func(u Uplink) string { return u.Name },
		Validate: validateUplink,
		Derive: func(_ context.Context, _ string, old *Uplink, in *UplinkInput) (map[string]any, error) {
			if old != nil {
				return nil, nil
			}
			return map[string]any{"number": in.number}, nil
		},
		After: refuseUplinkInUse,
	}
}

// validateUplink also puts every value into the one form that is stored.
func validateUplink(ctx context.Context, tx db.DB, old *Uplink, in *UplinkInput) error {
	var p fault.Problems
	if err := value.Line(in.Name); err != nil {
		p.AddError("name", err)
	}
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	in.Active, in.Monitor = value.OrTrue(in.Active), value.OrTrue(in.Monitor)
	for field, usual := range map[**int]int{
		&in.IntervalMS: usualInterval, &in.WindowS: usualWindow, &in.LossPercentDown: usualLoss, &in.RTTMSDown: usualRTT, &in.HoldS: usualHold,
	} {
		if *field == nil {
			*field = &usual
		}
	}
	if *in.WindowS*1000 < fewest**in.IntervalMS {
		p.Add("window_s", "must have room for %d requests at the interval", fewest)
	}
	in.addresses(&p)
	if !rtnl.ValidName(in.Interface) {
		p.Add("interface", "must be the name of an interface: at most 15 letters, digits, dots, dashes and underscores")
	}
	if err := p.Err(); err != nil {
		return err
	}
	if err := in.interfaceExists(ctx, tx); err != nil {
		return err
	}
	if old == nil {
		return in.choose(ctx, tx)
	}
	if old.Family == in.Family {
		return nil
	}
	n, err := count(ctx, tx, `select count(*) from uplink_members where uplink_id = $1`, old.ID)
	if err == nil && n > 0 {
		err = fault.At("family", "cannot change while the uplink is a member of a group")
	}
	return err
}

// addresses judges those of the gateway and of whom to ask.
func (in *UplinkInput) addresses(p *fault.Problems) {
	gateway, ok := hostIn(p, "gateway", &in.Gateway)
	if in.Family == "" {
		in.Family = multiwan.IPv4
		if ok && gateway.Is6() {
			in.Family = multiwan.IPv6
		}
	}
	target, asked := hostIn(p, "monitor_address", &in.MonitorAddress)
	for field, ip := range map[string]netip.Addr{"gateway": gateway, "monitor_address": target} {
		if ip.IsValid() && ip.Is6() != (in.Family == multiwan.IPv6) {
			p.Add(field, "must be of the family of the uplink")
		}
	}
	if asked && target.IsLinkLocalUnicast() && target != gateway {
		p.Add("monitor_address", "must not be a link-local address")
	}
}

// hostIn reads the address of a host, or none.
func hostIn(p *fault.Problems, field string, s *string) (ip netip.Addr, ok bool) {
	if *s == "" {
		return ip, false
	}
	ip, err := value.Host(*s)
	if err != nil {
		p.AddError(field, err)
		return netip.Addr{}, false
	}
	if ip.IsLoopback() {
		p.Add(field, "must not be a loopback address")
	}
	*s = ip.String()
	return ip, true
}

func (in *UplinkInput) interfaceExists(ctx context.Context, tx db.DB) error {
	var kind string
	err := tx.QueryRow(ctx, `select coalesce(max(type), '') from network_interfaces where name = $1`, in.Interface).Scan(&kind)
	switch {
	case err != nil:
		return fmt.Errorf("look for the interface %s: %w", in.Interface, err)
	case kind == "":
		return fault.At("interface", "must be an existing network interface")
	case kind == "wireguard": // its own packets would be sent into it
		return fault.At("interface", "must not be a tunnel")
	}
	return nil
}

// choose takes the number after the highest, so that one is not soon used again: connections
// may still have the mark.
func (in *UplinkInput) choose(ctx context.Context, tx db.DB) (err error) {
	if in.number, err = freeNumber(ctx, tx, "uplink_uplinks"); err == nil && in.number == 0 {
		err = fault.New(fault.Conflict, "there are %d uplinks already, and no room for more", multiwan.MaxNumber)
	}
	return err
}

// restTime is for how long the number of a deleted row is not given to another one, while there are others.
const restTime = time.Hour

// freeNumber is one that no row of the table has, or 0 when all are taken.
func freeNumber(ctx context.Context, tx db.DB, table string) (int, error) {
	taken, err := db.List[struct{ Number int }](ctx, tx, `select number from `+table+` order by number`)
	if err != nil {
		return 0, fmt.Errorf("list the numbers of %s: %w", table, err)
	}
	gone, err := change.Deleted(ctx, tx, table, "number", time.Now().Add(-restTime))
	if err != nil {
		return 0, err
	}
	used, rests, highest := map[int]bool{}, map[int]bool{}, 0
	for _, t := range taken {
		used[t.Number], highest = true, max(highest, t.Number)
	}
	for _, text := range gone {
		if number, err := strconv.Atoi(text); err == nil {
			rests[number], highest = true, max(highest, number)
		}
	}
	last := 0 // that is free, and was in use lately
	for i := range multiwan.MaxNumber {
		number := (highest+i)%multiwan.MaxNumber + 1
		switch {
		case used[number]:
		case rests[number]:
			last = number
		default:
			return number, nil
		}
	}
	return last, nil
}

func count(ctx context.Context, tx db.DB, query string, args ...any) (n int, err error) {
	if err := tx.QueryRow(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count rows about uplinks: %w", err)
	}
	return n, nil
}

// refuseUplinkInUse keeps an uplink that a group has.
func refuseUplinkInUse(ctx context.Context, tx change.Tx, old, now *Uplink, _ *UplinkInput) error {
	if now != nil || old == nil {
		return nil
	}
	return resource.RefuseUsed(ctx, tx, func(u fault.Uses) *fault.Fault {
		return fault.New(fault.Conflict, "the uplink %s is a member of %d groups; remove it there first", old.Name, u.UsedByTotal)
	}, `select 'uplink-group', g.id::text, g.name, '`+membersPage+`' || g.id
		from uplink_members m join uplink_groups g on g.id = m.group_id where m.uplink_id = $1`, old.ID)
}

// NameOf is the name of the active uplink on an interface, which has at most one of each family;
// empty without one.
func NameOf(ctx context.Context, q db.DB, link string, v4 bool) (string, error) {
	family := "inet6"
	if v4 {
		family = "inet"
	}
	names, err := db.List[struct{ Name string }](ctx, q, `select name from uplink_uplinks where interface = $1 and family = $2 and active`, link, family)
	if err != nil || len(names) == 0 {
		return "", err
	}
	return names[0].Name, nil
}
