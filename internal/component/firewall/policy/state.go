package policy

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/packetfilter"
	"gateway/internal/rtnl/forecast"
	"gateway/internal/value"
)

// ManagementPort is that of the management page.
const ManagementPort = 3443

// The rows that a policy is made of.
type (
	ruleRow struct {
		ID, Name     string
		Priority     int
		From, To     string
		SrcKind      string
		SrcObject    id
		SrcGroup     id
		SrcCIDR      listed
		DstKind      string
		DstObject    id
		DstGroup     id
		DstCIDR      listed
		Service      id
		ServiceGroup id
		Action       string
		Log          bool
		ExpiresAt    *time.Time
		Uplinks      id
	}
	natRow struct {
		ID, Name                    string
		Priority                    int
		Kind, In, Out, Protocol     string
		Source, Destination, Target string
		Port, PortEnd, To, ToEnd    int
		Pass                        bool
	}
	serviceRow struct {
		ID                  id
		Protocol            string
		Port, End, ICMPType *int
	}
	serviceMember struct{ Group, Service id }
	zoneRow       struct {
		Name       string
		Interfaces []string
	}
	uplinkRow struct {
		ID, Name string
		Number   int
		Family   string
	}
)

// State is a policy as stored, and what of it cannot be used. It is not changed any more.
type State struct {
	Policy     packetfilter.Policy
	Problems   []daemon.Problem
	Mixed      map[string]bool     // NAT rules of two families, by id
	Expires    time.Time           // when the next rule does, by the clock of this process; zero for never
	Expired    []packetfilter.Rule // rules that are stored still
	Assertions []Assertion
	// Routing are the stored routes, by which assertions are judged before the kernel has them.
	Routing forecast.Rows
}

// listed is a network in a rule. It is read once for each version of the rule.
type listed struct{ packetfilter.Selector }

// ScanText lets the database fill it in.
func (l *listed) ScanText(v pgtype.Text) error {
	n, err := value.Prefix(v.String)
	if err != nil {
		l.Broken = fmt.Sprintf("%q is not a valid network", v.String)
		return nil
	}
	l.Listed = packetfilter.Merge([]packetfilter.Range{packetfilter.RangeOf(n)})
	return nil
}

// builder puts a policy together.
type builder struct {
	State
	services      map[id]serviceRow
	serviceGroups map[id][]id
	uplinks       map[string]packetfilter.UplinkGroup // by id
	asked         map[[2]id]askedServices
	expiresIn     *time.Duration // the next rule, if there is any
}

func newBuilder() *builder {
	return &builder{State: State{Mixed: map[string]bool{}}, services: map[id]serviceRow{}, serviceGroups: map[id][]id{}, uplinks: map[string]packetfilter.UplinkGroup{}, asked: map[[2]id]askedServices{}}
}

// read gets all of which there are few.
func (b *builder) read(ctx context.Context, q db.DB) error {
	var services []serviceRow
	var members []serviceMember
	var zones []zoneRow
	var uplinks []uplinkRow
	var nat []natRow
	var asserts []assertRow
	var lockout struct{ zones, networks []string }
	var batch pgx.Batch
	queue(&batch, &asserts, assertQuery)
	queue(&batch, &services, `select id, protocol, port, port_end, icmp_type from firewall_services`)
	queue(&batch, &members, `select group_id, object_id from firewall_service_members order by group_id, object_id`)
	queue(&batch, &zones, `select z.name, array_agg(i.name order by i.name) filter (where i.name is not null)
		from firewall_zones z left join network_interfaces i on i.role = z.name group by z.name`)
	queue(&batch, &uplinks, `select id::text, name, number, family from uplink_groups`)
	queue(&batch, &nat, `select id::text, name, priority, kind, coalesce(in_zone, 'any'), coalesce(out_zone, 'any'), protocol, source_cidr, destination_cidr, target_address,
		coalesce(dest_port, 0), coalesce(dest_port_end, dest_port, 0), coalesce(target_port, 0), coalesce(target_port_end, target_port, 0), pass
		from firewall_nat_rules where enabled order by priority, id`)
	batch.Queue(`select lockout_zones, lockout_networks from firewall_settings`).QueryRow(func(row pgx.Row) error { return row.Scan(&lockout.zones, &lockout.networks) })
	if err := q.SendBatch(ctx, &batch).Close(); err != nil {
		return fmt.Errorf("read the packet filter's configuration: %w", err)
	}
	for _, s := range services {
		b.services[s.ID] = s
	}
	for _, m := range members {
		b.serviceGroups[m.Group] = append(b.serviceGroups[m.Group], m.Service)
	}
	for _, u := range uplinks {
		b.uplinkGroup(u)
	}
	for _, a := range asserts {
		b.Assertions = append(b.Assertions, b.assertion(a))
	}
	b.Policy.Zones = make(map[string][]string, len(zones))
	for _, z := range zones {
		if !ValidZone(z.Name) {
			b.leaveOut(fmt.Sprintf("zone %q", z.Name), fault.Said("its name is invalid"))
			continue
		}
		b.Policy.Zones[z.Name] = z.Interfaces
	}
	for _, n := range nat {
		b.Policy.NAT = append(b.Policy.NAT, b.nat(n))
	}
	b.lockout(lockout.zones, lockout.networks)
	return nil
}

func queue[Row any](b *pgx.Batch, into *[]Row, query string) {
	b.Queue(query).Query(func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Row])
		return err
	})
}

// lockout never becomes wider by what cannot be read: no network at all would be all.
func (b *builder) lockout(zones, networks []string) {
	b.Policy.Lockout = packetfilter.Lockout{Zones: zones, Management: ManagementPort}
	for _, z := range zones {
		if _, there := b.Policy.Zones[z]; !there {
			b.leaveOut(fmt.Sprintf("zone %q that may always reach the management", z), fault.Said("there is no such zone"))
		}
	}
	for _, text := range networks {
		n, err := value.Prefix(text)
		if err != nil {
			b.leaveOut("the network "+text+" that may always reach the management", fault.SentenceOf(err))
			continue
		}
		b.Policy.Lockout.Networks = append(b.Policy.Lockout.Networks, n)
	}
	if len(networks) > 0 && len(b.Policy.Lockout.Networks) == 0 {
		b.Policy.Lockout.Networks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
}

func (b *builder) leaveOut(subject string, why fault.Sentence) {
	b.Problems = append(b.Problems, daemon.Problem{Subject: subject, Sentence: why})
}

// need adds what the other components need.
func (b *builder) need(n daemon.Needed) {
	for _, o := range n.Openings {
		b.open(o)
	}
	opened := map[string]bool{} // one with two networks is there twice
	for _, t := range n.Tunnels {
		if !t.Server || !t.Active {
			continue
		}
		if !opened[t.Iface] {
			b.open(daemon.Opening{Protocol: "udp", Port: t.Port, Why: "the tunnel " + t.Iface})
		}
		opened[t.Iface] = true
		b.Policy.Tunnels = append(b.Policy.Tunnels, packetfilter.Tunnel{Interface: t.Iface, Subnet: t.Subnet})
	}
	b.Policy.Peers = n.Peers
}

func (b *builder) open(o daemon.Opening) {
	protocol := Protocol(o.Protocol)
	if protocol == 0 || o.Port < 1 || o.Port > 65535 {
		b.leaveOut("the opening for "+o.Why, fault.Said("invalid port: %s %d", o.Protocol, o.Port))
		return
	}
	interfaces := []string{""}
	if o.Role != "" {
		var there bool
		if interfaces, there = b.Policy.Zones[o.Role]; !there {
			b.leaveOut(fmt.Sprintf("the opening for %s in zone %q", o.Why, o.Role), fault.Said("there is no such zone"))
			return
		}
	}
	for _, name := range interfaces {
		b.Policy.Openings = append(b.Policy.Openings, packetfilter.Opening{Protocol: protocol, Port: uint16(o.Port), Interface: name, Why: o.Why})
	}
}
