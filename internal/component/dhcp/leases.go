package dhcp

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/value"
)

// Lease is an address that a client has.
type Lease struct {
	Address       string    `json:"address" example:"192.0.2.100" doc:"IP address"`
	MAC           string    `json:"mac" example:"02:00:5e:00:53:01" doc:"MAC address of the client"`
	RandomMAC     bool      `json:"random_mac" doc:"Whether the MAC address was chosen by the client and is not its manufacturer's: phones do that, and change it"`
	ClientID      string    `json:"client_id" doc:"Client identifier (option 61) in hexadecimal; empty for none"`
	Hostname      string    `json:"hostname" example:"laptop" doc:"Host name, as the client says; empty for none"`
	State         string    `json:"state" enum:"assigned,declined" doc:"declined: the client found the address in use by somebody else; it is not assigned for a day"`
	SubnetID      string    `json:"subnet_id" doc:"Id of the subnet; empty if the subnet was deleted"`
	ReservationID string    `json:"reservation_id" doc:"Id of the reservation of this address for this client; empty for none"`
	FirstSeen     time.Time `json:"first_seen" doc:"When the client was given the address, as far as known"`
	LastSeen      time.Time `json:"last_seen" doc:"When the client was last given or renewed it"`
	ExpiresAt     time.Time `json:"expires_at" doc:"When the lease ends, unless the client renews it"`
}

// LeaseQuery are the parameters of the list.
type LeaseQuery struct {
	Limit  int    `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"Page size"`
	Offset int    `query:"offset" default:"0" minimum:"0" maximum:"10000000" doc:"Number of entries to skip"`
	Q      string `query:"q" maxLength:"200" doc:"Search text in address, MAC address, client ID and host name"`
	Sort   string `query:"sort" maxLength:"64" doc:"Field to sort by; prefix with - for descending order"`
	Filter string `query:"filter" maxLength:"300" doc:"Only leases of this subnet, as subnet_id:id"`
}

// OneLease names a lease by its address.
type OneLease struct {
	ID string `path:"id" maxLength:"15" doc:"IP address of the lease" example:"192.0.2.100"`
}

func (h *handlers) leaseRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-dhcp-leases", Method: http.MethodGet, Path: "/dhcp/leases", Access: api.Viewer, Switched: true,
		Summary: "List the leases of the DHCP server",
		Description: "Addresses that clients have now. To give a client always the same one, create a reservation with its MAC address; " +
			"409 while the DHCP server is switched off. Sortable by: " + strings.Join(kea.Sorts(), ", ") + ".",
	}, h.listLeases)
	api.Handle(r, api.Op{
		ID: "delete-dhcp-lease", Method: http.MethodDelete, Path: "/dhcp/leases/{id}", Switched: true,
		Summary:     "End a lease",
		Description: "The address becomes free. The client is not told: it uses the address until it renews its lease.",
	}, h.deleteLease)
}

func (h *handlers) listLeases(ctx context.Context, in *LeaseQuery) (*api.Page[Lease], error) {
	subnets, err := h.subnets(ctx)
	if err != nil {
		return nil, err
	}
	q := kea.LeaseQuery{Q: in.Q, Sort: in.Sort, Limit: in.Limit, Offset: in.Offset}
	if by := strings.TrimPrefix(in.Sort, "-"); by != "" && !slices.Contains(kea.Sorts(), by) {
		return nil, fault.At("sort", "must be one of %s", strings.Join(kea.Sorts(), ", "))
	}
	if in.Filter != "" {
		id, ok := strings.CutPrefix(in.Filter, "subnet_id:")
		i := slices.IndexFunc(subnets, func(s servedSubnet) bool { return ok && s.ID == id })
		if i < 0 {
			return nil, fault.At("filter", "must be subnet_id: and the id of a subnet")
		}
		q.Within = subnets[i].network()
	}
	var got kea.LeasePage
	if err := h.Applier.Ask(ctx, kea.Name, kea.LeasesVerb, q, &got); err != nil {
		return nil, h.orOff(ctx, err)
	}
	reserved, err := h.reserved(ctx, got.Leases)
	if err != nil {
		return nil, err
	}
	out := &api.Page[Lease]{Total: int64(got.Total)}
	out.Body.Data = make([]Lease, 0, len(got.Leases))
	for _, l := range got.Leases {
		out.Body.Data = append(out.Body.Data, newLease(l, subnets, reserved))
	}
	return out, nil
}

func newLease(l kea.Lease, subnets []servedSubnet, reserved []reservedRow) Lease {
	out := Lease{
		Address: l.Address.String(), MAC: l.MAC, RandomMAC: random(l.MAC), ClientID: l.ClientID, Hostname: l.Hostname, State: "assigned",
		FirstSeen: l.FirstSeen, LastSeen: l.LastSeen, ExpiresAt: l.ExpiresAt,
	}
	if l.Declined {
		out.State = "declined"
	}
	for _, s := range subnets {
		if s.network().Contains(l.Address) {
			out.SubnetID = s.ID
		}
	}
	for _, r := range reserved {
		if r.Address == out.Address && (r.MAC == l.MAC && l.MAC != "" || r.ClientID == l.ClientID && l.ClientID != "") {
			out.ReservationID = r.ID
		}
	}
	return out
}

// random reports whether a MAC address is one that its owner made up.
func random(mac string) bool {
	n, err := strconv.ParseUint(strings.SplitN(mac, ":", 2)[0], 16, 8)
	return err == nil && n&2 != 0
}

// servedSubnet is a subnet as far as leases are concerned.
type servedSubnet struct {
	ID, Interface, Subnet string
	Pools                 []string
	Active                bool
	New                   bool // it was changed just now
}

func (s servedSubnet) network() netip.Prefix {
	n, _ := netip.ParsePrefix(s.Subnet) // what is none contains nothing
	return n
}

func (h *handlers) subnets(ctx context.Context) ([]servedSubnet, error) {
	rows, err := db.List[servedSubnet](ctx, h.DB, `select id::text, interface, subnet, pools, active, updated_at > now() - `+applyTime+` from dhcp_subnets order by subnet`)
	if err != nil {
		return nil, fmt.Errorf("read the subnets: %w", err)
	}
	return rows, nil
}

type reservedRow struct{ ID, Address, MAC, ClientID string }

// reserved are the reservations of the addresses of the leases.
func (h *handlers) reserved(ctx context.Context, leases []kea.Lease) ([]reservedRow, error) {
	addrs := make([]string, len(leases))
	for i, l := range leases {
		addrs[i] = l.Address.String()
	}
	rows, err := db.List[reservedRow](ctx, h.DB, `select id::text, address, mac, client_id from dhcp_reservations where address = any($1) order by address`, addrs)
	if err != nil {
		return nil, fmt.Errorf("read the reservations: %w", err)
	}
	return rows, nil
}

func (h *handlers) deleteLease(ctx context.Context, in *OneLease) (*api.Body[*api.None], error) {
	addr, err := value.Host(in.ID)
	if err != nil || !addr.Is4() {
		return nil, fault.New(fault.NotFound, "there is no lease of %s", in.ID)
	}
	c := change.Change{Component: kea.Name, Action: "dhcp.lease.delete", Subject: addr.String()}
	err = h.Run.Act(ctx, c, func(ctx context.Context) error { return h.Applier.Ask(ctx, kea.Name, kea.ReleaseVerb, addr, nil) })
	if err != nil {
		return nil, h.orOff(ctx, err)
	}
	return api.Done(), nil
}
