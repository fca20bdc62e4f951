package network

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"gateway/internal/api"
	"gateway/internal/rtnl"
)

// Neighbour is a machine that the kernel knows on a link.
type Neighbour struct {
	Address string `json:"address" doc:"IPv4 or IPv6 address" example:"192.0.2.7"`
	Family  string `json:"family" enum:"inet,inet6" doc:"inet for IPv4 (ARP), inet6 for IPv6 (NDP)"`
	MAC     string `json:"mac" doc:"Hardware address; empty while it is unknown" example:"02:00:5e:10:00:01"`
	Dev     string `json:"dev" doc:"Interface on which it is" example:"eth0"`
	State   string `json:"state" enum:"incomplete,reachable,stale,delay,probe,failed,permanent,none" doc:"reachable: it answered lately; stale: it did some time ago; delay, probe and incomplete: it is being asked; failed: it does not answer; permanent: set by hand"`
	Router  bool   `json:"router" doc:"It says that it is a router (IPv6 only)"`
}

func neighbourRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-neighbours", Method: http.MethodGet, Path: "/neighbours", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Neighbours of this node: the ARP and NDP tables of the kernel",
		Description: "Machines on the same links with their hardware addresses, as the kernel knows them now.",
	}, listNeighbours)
}

func listNeighbours(_ context.Context, in *LiveQuery) (*api.Page[Neighbour], error) {
	all, err := Neighbours()
	if err != nil {
		return nil, err
	}
	return page(all, in, func(n Neighbour) string {
		return strings.Join([]string{n.Address, n.MAC, n.Dev, n.State}, " ")
	}), nil
}

// page is the part of a list that was asked for; text is what is searched of an entry.
func page[T any](all []T, in *LiveQuery, text func(T) string) *api.Page[T] {
	if q := strings.ToLower(in.Q); q != "" {
		all = slices.DeleteFunc(all, func(v T) bool { return !strings.Contains(strings.ToLower(text(v)), q) })
	}
	out := &api.Page[T]{Total: int64(len(all))}
	from := min(in.Offset, len(all))
	out.Body.Data = append([]T{}, all[from:min(from+in.Limit, len(all))]...)
	return out
}

// Neighbours are those that the kernel knows. What is no machine, as a group that packets are
// sent to, is left out.
func Neighbours() ([]Neighbour, error) {
	c, err := rtnl.Open()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	links, err := c.Links()
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	known, err := c.Neighbours()
	if err != nil {
		return nil, fmt.Errorf("list neighbours: %w", err)
	}
	names := map[int]string{}
	for _, l := range links {
		names[l.Index] = l.Name
	}
	var out []Neighbour
	for _, n := range known {
		if n.State == unix.NUD_NOARP {
			continue
		}
		out = append(out, Neighbour{
			Address: n.Address.String(), Family: familyOf(n.Address), MAC: n.MAC, Dev: names[n.Link], State: stateOf(n.State), Router: n.Router,
		})
	}
	return out, nil
}

var neighbourStates = map[uint16]string{
	unix.NUD_INCOMPLETE: "incomplete", unix.NUD_REACHABLE: "reachable", unix.NUD_STALE: "stale", unix.NUD_DELAY: "delay",
	unix.NUD_PROBE: "probe", unix.NUD_FAILED: "failed", unix.NUD_PERMANENT: "permanent",
}

func stateOf(n uint16) string {
	if s, ok := neighbourStates[n]; ok {
		return s
	}
	return "none"
}
