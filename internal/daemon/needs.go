package daemon

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"gateway/internal/db"
)

// Needs is what the packet filter must do for a component, beside what operators ask of it.
type Needs struct {
	// Tables are those of the component whose rows decide it.
	Tables   []string
	Openings func(ctx context.Context, q db.DB) ([]Opening, error)
	Tunnels  func(ctx context.Context, q db.DB) ([]Tunnel, error)
	// Peers are the other nodes of the cluster.
	Peers func(ctx context.Context, q db.DB) ([]netip.Addr, error)
}

// Opening is a port that must be reachable while a component serves it.
type Opening struct {
	Protocol string `json:"protocol"` // tcp or udp
	Port     int    `json:"port"`
	Why      string `json:"why"`            // in the operator's words: "NTP for clients"
	Role     string `json:"role,omitempty"` // the zone it is open in; empty for every interface, those of wan too
	Page     string `json:"-"`              // of the UI, where that zone is chosen
}

// Tunnel is an interface to others. Where they dial in, its port is open, what comes from
// them may pass, and what goes to them is masqueraded; where we dial, or while it is off,
// nothing of that. One with a network of each family is there twice.
type Tunnel struct {
	Iface          string
	Subnet         netip.Prefix
	Port           int // udp
	Server, Active bool
}

// Needed is what several components need together.
type Needed struct {
	Openings []Opening
	Tunnels  []Tunnel
	Peers    []netip.Addr
}

// Needing are the components that need something of the packet filter.
func Needing(all []Daemon) []string {
	var names []string
	for _, c := range all {
		if len(c.Needs.Tables) > 0 {
			names = append(names, c.Name)
		}
	}
	return names
}

// NeedsOf are the needs of all components as one: the tables they depend on, and how to read them.
func NeedsOf(all []Daemon) (tables []string, read func(ctx context.Context, q db.DB) (Needed, error)) {
	for _, c := range all {
		tables = append(tables, c.Needs.Tables...)
	}
	return tables, func(ctx context.Context, q db.DB) (needed Needed, err error) {
		for _, c := range all {
			if err := c.Needs.read(ctx, q, &needed); err != nil {
				return Needed{}, fmt.Errorf("read what %s needs of the packet filter: %w", c.Name, err)
			}
		}
		return needed, nil
	}
}

func (n Needs) read(ctx context.Context, q db.DB, all *Needed) error {
	return firstError(
		more(ctx, q, n.Openings, &all.Openings),
		more(ctx, q, n.Tunnels, &all.Tunnels),
		more(ctx, q, n.Peers, &all.Peers),
	)
}

func more[T any](ctx context.Context, q db.DB, read func(context.Context, db.DB) ([]T, error), list *[]T) error {
	if read == nil {
		return nil
	}
	found, err := read(ctx, q)
	*list = append(*list, found...)
	return err
}

func firstError(all ...error) error {
	if i := slices.IndexFunc(all, func(err error) bool { return err != nil }); i >= 0 {
		return all[i]
	}
	return nil
}
