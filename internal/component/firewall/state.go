package firewall

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/packetfilter"
)

// managementPort is that of the management page.
const managementPort = 3443

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
)

// state is a policy as stored, and what of it cannot be used.
type state struct {
	policy   packetfilter.Policy
	problems []daemon.Problem
	mixed    map[string]bool     // NAT rules of two families, by id
	expires  *time.Duration      // until the next rule expires
	over     []packetfilter.Rule // that have expired
	asserted []asserted
}

// listed is a network in a rule. It is read once for each version of the rule.
type listed struct{ packetfilter.Selector }

// ScanText lets the database fill it in.
func (l *listed) ScanText(v pgtype.Text) error {
	n, err := prefix(v.String)
	if err != nil {
		l.Broken = fmt.Sprintf("%q is no network", v.String)
		return nil
	}
	l.Listed = packetfilter.Merge([]packetfilter.Range{packetfilter.RangeOf(n)})
	return nil
}

// policy reads the policy as q has it.
func (b *book) policy(ctx context.Context, q db.DB, needed daemon.Needed) (*state, error) {
	r := &reader{state: state{mixed: map[string]bool{}}, services: map[id]serviceRow{}, serviceGroups: map[id][]id{}, asked: map[[2]id]askedServices{}}
	if err := r.read(ctx, q); err != nil {
		return nil, err
	}
	if err := b.load(ctx, q, r.rules); err != nil {
		return nil, err
	}
	r.needed(needed)
	return &r.state, nil
}

// reader puts a policy together.
type reader struct {
	state
	services      map[id]serviceRow
	serviceGroups map[id][]id
	asked         map[[2]id]askedServices
}

// read gets all of which there are few.
func (r *reader) read(ctx context.Context, q db.DB) error {
	var services []serviceRow
	var members []serviceMember
	var zones []zoneRow
	var nat []natRow
	var asserts []assertRow
	var lockout struct{ zones, networks []string }
	var b pgx.Batch
	queue(&b, &asserts, assertQuery)
	queue(&b, &services, `select id, protocol, port, port_end, icmp_type from firewall_services`)
	queue(&b, &members, `select group_id, object_id from firewall_service_members order by group_id, object_id`)
	queue(&b, &zones, `select z.name, array_agg(i.name order by i.name) filter (where i.name is not null)
		from firewall_zones z left join network_interfaces i on i.role = z.name group by z.name`)
	queue(&b, &nat, `select id::text, name, priority, kind, coalesce(in_zone, 'any'), coalesce(out_zone, 'any'), protocol, source_cidr, destination_cidr, target_address,
		coalesce(dest_port, 0), coalesce(dest_port_end, dest_port, 0), coalesce(target_port, 0), coalesce(target_port_end, target_port, 0), pass
		from firewall_nat_rules where enabled order by priority, id`)
	b.Queue(`select lockout_zones, lockout_networks from firewall_settings`).QueryRow(func(row pgx.Row) error { return row.Scan(&lockout.zones, &lockout.networks) })
	if err := q.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("read the packet filter's configuration: %w", err)
	}
	for _, s := range services {
		r.services[s.ID] = s
	}
	for _, m := range members {
		r.serviceGroups[m.Group] = append(r.serviceGroups[m.Group], m.Service)
	}
	for _, a := range asserts {
		r.asserted = append(r.asserted, r.assertion(a))
	}
	r.policy.Zones = make(map[string][]string, len(zones))
	for _, z := range zones {
		if !zoneForm.MatchString(z.Name) {
			r.leaveOut(fmt.Sprintf("zone %q", z.Name), "its name is none")
			continue
		}
		r.policy.Zones[z.Name] = z.Interfaces
	}
	for _, n := range nat {
		r.policy.NAT = append(r.policy.NAT, r.nat(n))
	}
	r.lockout(lockout.zones, lockout.networks)
	return nil
}

func queue[Row any](b *pgx.Batch, into *[]Row, query string) {
	b.Queue(query).Query(func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Row])
		return err
	})
}

// lockout never becomes wider by what cannot be read: no network at all would be all.
func (r *reader) lockout(zones, networks []string) {
	r.policy.Lockout = packetfilter.Lockout{Zones: zones, Management: managementPort}
	for _, z := range zones {
		if _, there := r.policy.Zones[z]; !there {
			r.leaveOut(fmt.Sprintf("zone %q that may always reach the management", z), "there is no such zone")
		}
	}
	for _, text := range networks {
		n, err := prefix(text)
		if err != nil {
			r.leaveOut("the network "+text+" that may always reach the management", err.Error())
			continue
		}
		r.policy.Lockout.Networks = append(r.policy.Lockout.Networks, n)
	}
	if len(networks) > 0 && len(r.policy.Lockout.Networks) == 0 {
		r.policy.Lockout.Networks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
}

func (r *reader) leaveOut(subject, message string) {
	r.problems = append(r.problems, daemon.Problem{Subject: subject, Message: message})
}

// needed adds what the other parts need.
func (r *reader) needed(n daemon.Needed) {
	for _, o := range n.Openings {
		r.open(o)
	}
	for _, t := range n.Tunnels {
		if !t.Server || !t.Active {
			continue
		}
		r.open(daemon.Opening{Protocol: "udp", Port: t.Port, Why: "the tunnel " + t.Iface})
		r.policy.Tunnels = append(r.policy.Tunnels, packetfilter.Tunnel{Interface: t.Iface, Subnet: t.Subnet})
	}
	r.policy.Peers = n.Peers
}

func (r *reader) open(o daemon.Opening) {
	protocol := protocols[o.Protocol]
	if protocol == 0 || o.Port < 1 || o.Port > 65535 {
		r.leaveOut("the opening for "+o.Why, fmt.Sprintf("%s %d is no port", o.Protocol, o.Port))
		return
	}
	interfaces := []string{""}
	if o.Role != "" {
		interfaces = r.policy.Zones[o.Role]
	}
	for _, name := range interfaces {
		r.policy.Openings = append(r.policy.Openings, packetfilter.Opening{Protocol: protocol, Port: uint16(o.Port), Interface: name, Why: o.Why})
	}
}
