package dhcp

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"gateway/internal/api"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/sys"
	"gateway/internal/value"
)

const (
	settingsPath     = "/dhcp/settings"
	subnetsPath      = "/dhcp/subnets"
	reservationsPath = "/dhcp/reservations"
)

// Settings are the one row of settings.
type Settings struct {
	resource.Meta
	Enabled       bool `json:"enabled" db:"enabled"`
	Authoritative bool `json:"authoritative" db:"authoritative"`
}

// SettingsInput is what update takes of them. It has a name of its own since the API's document
// names it so.
type SettingsInput kea.Settings

// Subnet is a network whose clients are given addresses.
type Subnet struct {
	resource.Meta
	kea.Subnet
	Description string `json:"description" db:"description"`
}

// SubnetInput is what create and update take.
type SubnetInput struct {
	kea.Subnet
	Description string `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
}

// Reservation gives one client always the same address.
type Reservation struct {
	resource.Meta
	SubnetID string `json:"subnet_id" db:"subnet_id"`
	kea.Reservation
	Description string `json:"description" db:"description"`
}

// ReservationInput is what create and update take.
type ReservationInput struct {
	SubnetID string `json:"subnet_id" db:"subnet_id" maxLength:"64" doc:"Id of the subnet"`
	kea.Reservation
	Description string `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
}

func (h *handlers) resources(r api.Router) {
	resource.Single[Settings, SettingsInput]{
		Component: kea.Name, Path: settingsPath, Table: "dhcp_settings", Access: api.Viewer, Summary: "the DHCP server",
		Validate: validateSettings,
	}.Register(r, h.DB, h.Run)
	resource.Resource[Subnet, SubnetInput]{
		Component: kea.Name, Noun: "subnet", Path: subnetsPath, Table: "dhcp_subnets", Access: api.Viewer,
		Search: []string{"subnet", "interface", "domain", "description"}, Sort: []string{"subnet", "interface", "lease_time", "created_at", "updated_at"},
		Filter:   []string{"interface", "active"},
		Unique:   map[string]string{"dhcp_subnets_subnet": "subnet"},
		Name:     func(s Subnet) string { return s.Network },
		Validate: h.validateSubnet,
	}.Register(r, h.DB, h.Run)
	resource.Resource[Reservation, ReservationInput]{
		Component: kea.Name, Noun: "reservation", Path: reservationsPath, Table: "dhcp_reservations", Access: api.Viewer,
		Search: []string{"address", "mac", "client_id", "hostname", "description"}, Sort: []string{"address", "hostname", "mac", "created_at", "updated_at"},
		Filter: []string{"subnet_id"},
		Unique: map[string]string{
			"dhcp_reservations_address": "address", "dhcp_reservations_mac": "mac",
			"dhcp_reservations_client_id": "client_id", "dhcp_reservations_hostname": "hostname",
		},
		Name:     func(r Reservation) string { return r.Address },
		Validate: h.validateReservation,
	}.Register(r, h.DB, h.Run)
}

func validateSettings(_ context.Context, _ db.DB, old *Settings, in *SettingsInput) error {
	if in.Enabled == nil {
		in.Enabled = &old.Enabled
	}
	if in.Authoritative == nil {
		in.Authoritative = &old.Authoritative
	}
	return nil
}

// validateSubnet also puts every value into the one form that is stored.
func (h *handlers) validateSubnet(ctx context.Context, tx db.DB, old *Subnet, in *SubnetInput) error {
	own, err := h.own(ctx, tx)
	if err != nil {
		return err
	}
	in.Active = value.OrTrue(in.Active)
	var p fault.Problems
	in.Validate(&p, own)
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	if err := p.Err(); err != nil {
		return err
	}
	if err := placed(ctx, tx, in.Interface); err != nil {
		return err
	}
	id := ""
	if old != nil {
		id = old.ID
	}
	return besideOthers(ctx, tx, id, in.Subnet, own)
}

// own are this node's addresses, there or to be there.
func (h *handlers) own(ctx context.Context, tx db.DB) ([]netip.Addr, error) {
	links, err := h.Host.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list the interfaces: %w", err)
	}
	configured, err := kea.Configured(ctx, tx)
	return append(sys.Addresses(links), configured...), err
}

// placed refuses an interface that is not declared, and one where nobody may be served.
func placed(ctx context.Context, tx db.DB, name string) error {
	rows, err := db.List[struct{ Zone string }](ctx, tx, `select coalesce(role, '') from network_interfaces where name = $1 order by 1`, name)
	switch {
	case err != nil:
		return fmt.Errorf("look for interface %s: %w", name, err)
	case len(rows) == 0:
		return fault.At("interface", "is not a declared interface")
	case rows[0].Zone == "":
		return fault.At("interface", "is in no zone; give the interface a zone first")
	case rows[0].Zone == kea.Wan:
		return fault.At("interface", "is in the zone wan, where DHCP is never served")
	}
	return nil
}

// besideOthers refuses a subnet that overlaps another one, and one that its own reservations no
// longer fit into.
func besideOthers(ctx context.Context, tx db.DB, id string, s kea.Subnet, own []netip.Addr) error {
	network, err := netip.ParsePrefix(s.Network)
	if err != nil {
		return fmt.Errorf("read the subnet %q: %w", s.Network, err)
	}
	others, err := db.List[struct{ Subnet string }](ctx, tx, `select subnet from dhcp_subnets where id::text <> $1 order by subnet`, id)
	if err != nil {
		return fmt.Errorf("read the other subnets: %w", err)
	}
	for _, o := range others {
		if other, err := netip.ParsePrefix(o.Subnet); err == nil && other.Overlaps(network) {
			return fault.At("subnet", "overlaps the subnet %s", other)
		}
	}
	reserved, err := db.List[kea.Reservation](ctx, tx, `select address, mac, client_id, hostname from dhcp_reservations where subnet_id::text = $1 order by address`, id)
	if err != nil {
		return fmt.Errorf("read the reservations: %w", err)
	}
	for _, r := range reserved {
		var p fault.Problems
		if r.Validate(&p, network, s.Gateway, own); p.Err() != nil {
			return fault.New(fault.Conflict, "the reservation of %s no longer fits this subnet; change or delete it first", r.Address)
		}
	}
	return nil
}

// validateReservation also puts every value into the one form that is stored.
func (h *handlers) validateReservation(ctx context.Context, tx db.DB, old *Reservation, in *ReservationInput) error {
	var p fault.Problems
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	if err := resource.MustBe(ctx, tx, &p, "subnet_id", "dhcp_subnets", "subnet", in.SubnetID); err != nil {
		return err
	}
	if err := p.Err(); err != nil {
		return err
	}
	rows, err := db.List[struct {
		Subnet, Gateway, Domain string
		DNSNames                bool
	}](ctx, tx, `select subnet, gateway, domain, dns_names from dhcp_subnets where id = $1 order by 1`, in.SubnetID)
	if err != nil || len(rows) != 1 {
		return fmt.Errorf("read the subnet %s: %d rows: %w", in.SubnetID, len(rows), err)
	}
	network, err := netip.ParsePrefix(rows[0].Subnet)
	if err != nil {
		return fmt.Errorf("read the subnet %q: %w", rows[0].Subnet, err)
	}
	own, err := h.own(ctx, tx)
	if err != nil {
		return err
	}
	in.Validate(&p, network, rows[0].Gateway, own)
	// One that was there before the site stays editable; it is named where it is rendered.
	if same := old != nil && old.Hostname == in.Hostname && old.SubnetID == in.SubnetID; rows[0].DNSNames && !same {
		if err := h.free(ctx, tx, &p, in.Hostname, rows[0].Domain); err != nil {
			return err
		}
	}
	return p.Err()
}

// free refuses a name that leads to this node: its own, and those of its sites.
func (h *handlers) free(ctx context.Context, tx db.DB, p *fault.Problems, label, domain string) error {
	if label == "" || domain == "" {
		return nil
	}
	host, err := h.Hostname()
	if err != nil {
		return fmt.Errorf("ask for the name of this machine: %w", err)
	}
	taken, err := kea.TakenBelow(ctx, tx, host, domain)
	if err != nil {
		return err
	}
	if slices.Contains(taken, label) {
		p.Add("hostname", "is the name of this node or of a site, which the DNS would answer with this address")
	}
	return nil
}
