package dhcp

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/netip"
	"slices"

	"gateway/internal/api"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/db"
)

// PoolUsage is how full a pool is.
type PoolUsage struct {
	SubnetID string `json:"subnet_id" doc:"Id of the subnet"`
	Subnet   string `json:"subnet" example:"192.0.2.0/24" doc:"Network of the subnet"`
	Pool     string `json:"pool" example:"192.0.2.100-192.0.2.199" doc:"First and last address"`
	Counts
	Cells []Cell `json:"cells" doc:"The pool in at most 256 parts of equal size, in order"`
}

// Counts are the addresses of a range by what they are used for.
type Counts struct {
	Size     int `json:"size" doc:"Number of addresses"`
	Leased   int `json:"leased" doc:"Addresses that clients have"`
	Reserved int `json:"reserved" doc:"Reserved addresses that their client does not have now"`
	Declined int `json:"declined" doc:"Addresses that somebody uses without a lease"`
	Free     int `json:"free" doc:"Addresses that can be assigned"`
}

// Cell is a part of a pool.
type Cell struct {
	First string `json:"first" example:"192.0.2.100" doc:"First address of the part"`
	Counts
}

// maxCells is how fine the picture of a pool is.
const maxCells = 256

func (h *handlers) usageRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "dhcp-usage", Method: http.MethodGet, Path: "/dhcp/usage", Access: api.Viewer, AtOnce: 2, Switched: true,
		Summary:     "How full the pools of the DHCP server are",
		Description: "One entry per pool of the active subnets; 409 while the DHCP server is switched off.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[[]PoolUsage], error) {
		all, err := h.usage(ctx)
		if err != nil {
			return nil, h.orOff(ctx, err)
		}
		return api.OK(all), nil
	})
}

// What an address is used for.
const (
	leased = iota + 1
	reserved
	declined
)

func (h *handlers) usage(ctx context.Context) ([]PoolUsage, error) {
	subnets, err := h.subnets(ctx)
	if err != nil {
		return nil, err
	}
	used, err := h.used(ctx)
	if err != nil {
		return nil, err
	}
	out := []PoolUsage{}
	for _, s := range subnets {
		for _, text := range s.Pools {
			if pool, err := kea.ParseRange(text); err == nil && s.Active {
				out = append(out, newUsage(s, pool, used))
			}
		}
	}
	return out, nil
}

// use is what the address of a number is used for.
type use struct{ number, what int }

// within are those of a range. all is sorted: with many pools and many leases, each pool is to
// cost no more than its own leases.
func within(all []use, first, last int) []use {
	byNumber := func(u use, n int) int { return cmp.Compare(u.number, n) }
	from, _ := slices.BinarySearchFunc(all, first, byNumber)
	to, _ := slices.BinarySearchFunc(all, last+1, byNumber)
	return all[from:max(from, to)]
}

// used are the addresses that are not free, in order.
func (h *handlers) used(ctx context.Context) ([]use, error) {
	var got kea.Used
	if err := h.Applier.Ask(ctx, kea.Name, kea.UsedVerb, nil, &got); err != nil {
		return nil, err
	}
	rows, err := db.List[struct{ Address string }](ctx, h.DB, `select address from dhcp_reservations order by address`)
	if err != nil {
		return nil, fmt.Errorf("read the reservations: %w", err)
	}
	used := make(map[int]int, len(rows)+len(got.Leased)/4)
	for _, r := range rows {
		if a, err := netip.ParseAddr(r.Address); err == nil && a.Is4() {
			used[number(a)] = reserved
		}
	}
	for _, a := range got.Leased.All() {
		used[number(a)] = leased
	}
	for _, a := range got.Declined.All() {
		used[number(a)] = declined
	}
	out := make([]use, 0, len(used))
	for n, what := range used {
		out = append(out, use{n, what})
	}
	slices.SortFunc(out, func(a, b use) int { return cmp.Compare(a.number, b.number) })
	return out, nil
}

func number(a netip.Addr) int {
	b := a.As4()
	return int(binary.BigEndian.Uint32(b[:]))
}

func newUsage(s servedSubnet, pool kea.Range, used []use) PoolUsage {
	first, size := number(pool.First), number(pool.Last)-number(pool.First)+1
	per := (size + maxCells - 1) / maxCells
	u := PoolUsage{SubnetID: s.ID, Subnet: s.Subnet, Pool: pool.String(), Counts: Counts{Size: size, Free: size}}
	for at := 0; at < size; at += per {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(first+at))
		n := min(per, size-at)
		u.Cells = append(u.Cells, Cell{netip.AddrFrom4(b).String(), Counts{Size: n, Free: n}})
	}
	for _, one := range within(used, first, number(pool.Last)) {
		u.count(one.what)
		u.Cells[(one.number-first)/per].count(one.what)
	}
	return u
}

func (c *Counts) count(what int) {
	c.Free--
	switch what {
	case leased:
		c.Leased++
	case reserved:
		c.Reserved++
	case declined:
		c.Declined++
	}
}
