package dhcp

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"gateway/internal/api"
	"gateway/internal/component"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/db"
)

// Status is how the DHCP server is doing.
type Status struct {
	Uptime     int64             `json:"uptime" doc:"Seconds since it started"`
	Sockets    string            `json:"sockets" enum:"ready,retrying,failed" doc:"State of its sockets. retrying: an interface is down or has no address, and is tried again every second"`
	Interfaces []InterfaceStatus `json:"interfaces" doc:"Interfaces of the active subnets"`
}

// InterfaceStatus is whether clients at one interface are served.
type InterfaceStatus struct {
	Interface string   `json:"interface" example:"eth1" doc:"Name of the interface"`
	Zone      string   `json:"zone" example:"lan" doc:"Zone of the interface, in which UDP port 67 is open; empty without one"`
	Listening bool     `json:"listening" doc:"Whether the server listens there"`
	Subnets   []string `json:"subnets" doc:"Active subnets of the interface" example:"[\"192.0.2.0/24\"]"`
}

func (h *handlers) statusRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "dhcp-status", Method: http.MethodGet, Path: "/dhcp/status", Access: api.Viewer, Switched: true,
		Summary:     "State of the DHCP server and of the interfaces it listens on",
		Description: "Asked of the running server; 409 while the DHCP server is switched off.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[Status], error) {
		s, _, err := h.status(ctx)
		if err != nil {
			return nil, h.orOff(ctx, err)
		}
		return api.OK(s), nil
	})
}

// status also returns the networks that the server serves.
func (h *handlers) status(ctx context.Context) (Status, []string, error) {
	var got kea.Status
	if err := h.Applier.Ask(ctx, kea.Name, kea.StatusVerb, nil, &got); err != nil {
		return Status{}, nil, err
	}
	interfaces, err := h.served(ctx)
	for i := range interfaces {
		interfaces[i].Listening = slices.Contains(got.Interfaces, interfaces[i].Interface)
	}
	s := Status{Uptime: got.Uptime, Sockets: got.Sockets, Interfaces: interfaces}
	if !slices.Contains([]string{"ready", "retrying", "failed"}, s.Sockets) {
		s.Sockets = "failed" // a word of another version is no reason to say that all is well
	}
	return s, got.Subnets, err
}

// served are the interfaces of the active subnets.
func (h *handlers) served(ctx context.Context) ([]InterfaceStatus, error) {
	rows, err := db.List[struct {
		Interface, Zone string
		Subnets         []string
	}](ctx, h.DB, `select s.interface, coalesce(max(i.role), ''), array_agg(s.subnet order by s.subnet)
		from dhcp_subnets s left join network_interfaces i on i.name = s.interface where s.active group by s.interface order by s.interface`)
	if err != nil {
		return nil, fmt.Errorf("read the interfaces of DHCP: %w", err)
	}
	out := make([]InterfaceStatus, 0, len(rows))
	for _, r := range rows {
		out = append(out, InterfaceStatus{Interface: r.Interface, Zone: r.Zone, Subnets: r.Subnets})
	}
	return out, nil
}

// orOff says that it is switched off, where that is why it does not answer.
func (h *handlers) orOff(ctx context.Context, silent error) error {
	return component.OrOff(ctx, h.DB, `select enabled from dhcp_settings`, "the DHCP server", silent)
}
