package kea

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/sys"
)

// Settings are what the node's server does.
type Settings struct {
	Enabled       *bool `json:"enabled,omitempty" db:"enabled" doc:"Run the DHCP server. If off, it is stopped, not started at boot, and its port is closed. Default: unchanged"`
	Authoritative *bool `json:"authoritative,omitempty" db:"authoritative" doc:"Refuse requests for addresses of other networks (NAK), so that clients that move here ask anew at once. Off where another DHCP server serves the same network. Default: unchanged"`
}

// State is everything that is rendered.
type State struct {
	Settings     Settings
	Subnets      []StoredSubnet
	Reservations []StoredReservation
	// Zones are the zones of the interfaces that are declared, by name; empty for none.
	Zones map[string]string
	// Links are the interfaces that there are, and Own the addresses of this node.
	Links []string
	Own   []netip.Addr
	// Taken are the names that no client has.
	Taken Taken
	// Hooks are Kea's libraries that it has and that we use.
	Hooks []string
	// Socket and LeaseFile are where Kea has them.
	Socket, LeaseFile string
}

// StoredSubnet is a row.
type StoredSubnet struct {
	ID string `db:"id"`
	Subnet
}

// StoredReservation is a row.
type StoredReservation struct {
	SubnetID string `db:"subnet_id"`
	Reservation
}

// The columns are in the order of the fields.
const (
	subnetRows = `select id::text, interface, subnet, pools, gateway, dns_servers, ntp_servers, domain, lease_time, options, dns_names, active
		from dhcp_subnets order by subnet, id`
	reservationRows = `select subnet_id::text, address, mac, client_id, hostname from dhcp_reservations order by address, mac, client_id`
)

func (s *server) load(ctx context.Context, q db.DB, _ daemon.Unseal) (State, error) {
	links, err := s.Host.Interfaces()
	if err != nil {
		return State{}, fmt.Errorf("list the interfaces: %w", err)
	}
	out := State{Links: names(links), Own: sys.Addresses(links), Hooks: s.Hooks(), Zones: map[string]string{}, Socket: s.KeaSocket, LeaseFile: s.LeaseFile}
	s.mu.Lock()
	s.listed = out.Links
	s.mu.Unlock()
	settings, err := db.List[Settings](ctx, q, `select enabled, authoritative from dhcp_settings`)
	if err != nil || len(settings) != 1 {
		return State{}, fmt.Errorf("read the DHCP settings: %d rows, want one: %w", len(settings), err)
	}
	out.Settings = settings[0]
	if out.Subnets, err = db.List[StoredSubnet](ctx, q, subnetRows); err != nil {
		return State{}, fmt.Errorf("read the DHCP subnets: %w", err)
	}
	if out.Reservations, err = db.List[StoredReservation](ctx, q, reservationRows); err != nil {
		return State{}, fmt.Errorf("read the DHCP reservations: %w", err)
	}
	zones, err := db.List[struct{ Name, Zone string }](ctx, q, `select name, coalesce(role, '') from network_interfaces order by name`)
	if err != nil {
		return State{}, fmt.Errorf("read the zones of the interfaces: %w", err)
	}
	for _, z := range zones {
		out.Zones[z.Name] = z.Zone
	}
	host, err := s.Hostname()
	if err != nil {
		return State{}, fmt.Errorf("ask for the name of this machine: %w", err)
	}
	if out.Taken, err = loadTaken(ctx, q, host); err != nil {
		return State{}, err
	}
	configured, err := Configured(ctx, q)
	out.Own = append(out.Own, configured...)
	return out, err
}

// Configured are the addresses that this node is to have.
func Configured(ctx context.Context, q db.DB) ([]netip.Addr, error) {
	rows, err := db.List[struct{ Address string }](ctx, q, `select distinct address from network_addresses order by 1`)
	if err != nil {
		return nil, fmt.Errorf("read the addresses of this node: %w", err)
	}
	var out []netip.Addr
	for _, r := range rows {
		if a, err := netip.ParseAddr(r.Address); err == nil && a.Is4() {
			out = append(out, a)
		}
	}
	return out, nil
}

// On reports whether the daemon is to run.
func (s Settings) On() bool { return s.Enabled != nil && *s.Enabled }

func (s Settings) authoritative() bool { return s.Authoritative == nil || *s.Authoritative }

func (s State) has(link string) bool { return slices.Contains(s.Links, link) }
