package system

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// lookTime bounds each of the two questions behind the list, so that it answers even
// when systemd or the applier hangs.
const lookTime = 3 * time.Second

// unknown is the state of what could not be asked.
const unknown = "unknown"

func (p *part) serviceRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "services", Method: http.MethodGet, Path: "/system/services", Access: api.Viewer, WithoutDatabase: true,
		Summary: "State of the product's own services, the daemons and the packet filter",
	}, p.services)
	api.Handle(r, api.Op{
		ID: "restart-service", Method: http.MethodPost, Path: "/system/service-restart", Timeout: actTime, WithoutDatabase: true,
		Summary: "Restart a service",
	}, p.restart)
	api.Handle(r, api.Op{
		ID: "toggle-service", Method: http.MethodPost, Path: "/system/service-toggle", Timeout: actTime, WithoutDatabase: true,
		Summary:     "Switch a service on or off",
		Description: "On starts it now and at every boot, off stops it now and for good.",
	}, p.toggle)
}

// Services is the list of what runs here, or could.
type Services struct {
	Services []Service `json:"services"`
}

// Service is one service as it is now.
type Service struct {
	Name        string     `json:"name" example:"dns"`
	Unit        string     `json:"unit" doc:"systemd unit; empty for the packet filter, which is in the kernel"`
	Description string     `json:"description"`
	Installed   *bool      `json:"installed" doc:"Null while the state is unknown"`
	ActiveState string     `json:"active_state" example:"active" doc:"As systemd says; kernel-loaded or no-table for the packet filter; unknown when nobody answers"`
	SubState    string     `json:"sub_state" example:"running"`
	Boot        string     `json:"boot" example:"enabled" doc:"Whether it starts with the machine, as systemd says"`
	EnteredAt   *time.Time `json:"entered_at" doc:"Since when it is in this state; null when not known"`
	MemoryBytes *uint64    `json:"memory_bytes" doc:"Null when not known"`
	Required    bool       `json:"required" doc:"It has to run: that it is stopped is a fault. Not so what is switched off, or not used by this version"`
	Message     string     `json:"message,omitempty" doc:"Why the state is unknown"`

	switched bool // by a setting: required unless it is off
}

// catalogue lists every service that has a unit, our own first.
func catalogue() []Service {
	return []Service{
		{Name: "api", Unit: "gateway-api.service", Description: "Management API and UI", Required: true},
		{Name: "scheduler", Unit: apply.Scheduler.Unit(), Description: "Periodic jobs", Required: true},
		{Name: "apply", Unit: "gateway-apply.service", Description: "Applier of the configuration", Required: true},
		{Name: "database", Unit: "postgresql@17-main.service", Description: "Database (PostgreSQL)", Required: true},
		{Name: "reverse-proxy", Unit: apply.ReverseProxy.Unit(), Description: "Reverse proxy (HAProxy)", Required: true},
		{Name: "forward-proxy", Unit: apply.ForwardProxy.Unit(), Description: "Forward proxy (Squid)"},
		{Name: "dns", Unit: apply.DNS.Unit(), Description: "DNS resolver (Unbound)", Required: true, switched: true},
		{Name: "ntp", Unit: apply.NTP.Unit(), Description: "NTP daemon (chrony)", Required: true, switched: true},
		{Name: "dhcp", Unit: "kea-dhcp4-server.service", Description: "DHCP server (Kea)"},
		{Name: "radius", Unit: "freeradius.service", Description: "RADIUS server (FreeRADIUS)"},
		{Name: "waf", Unit: apply.WAF.Unit(), Description: "Web application firewall"},
		{Name: "ids", Unit: apply.IDS.Unit(), Description: "Intrusion detection (CrowdSec)"},
		{Name: "ids-bouncer", Unit: apply.IDSBouncer.Unit(), Description: "Firewall bouncer of the intrusion detection"},
		{Name: "virtual-ip", Unit: "keepalived.service", Description: "Virtual IP (keepalived)"},
	}
}

func (p *part) services(ctx context.Context, _ *struct{}) (*api.Body[Services], error) {
	list := catalogue()
	filter := p.packetFilter(ctx) // first: asking starts the applier, whose own state comes below
	states, err := p.states(ctx, list)
	if err != nil {
		p.Log.WarnContext(ctx, "read unit states", "err", err)
	}
	for i := range list {
		if err != nil {
			list[i].ActiveState, list[i].Message = unknown, "systemd does not answer"
			continue
		}
		list[i].take(states[i])
	}
	return api.OK(Services{append(list, filter)}), nil
}

func (p *part) states(ctx context.Context, list []Service) ([]sys.UnitState, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Unit
	}
	states, err := p.Units.States(ctx, names)
	if err == nil && len(states) != len(names) {
		return nil, fmt.Errorf("asked for %d units, heard of %d", len(names), len(states))
	}
	return states, err
}

func (s *Service) take(u sys.UnitState) {
	installed := u.Installed()
	s.Installed, s.ActiveState, s.SubState, s.Boot = &installed, u.ActiveState, u.SubState, u.UnitFileState
	s.EnteredAt, s.MemoryBytes = u.EnteredAt, u.MemoryBytes
	// Whoever switches it off has it disabled; one that is disabled by hand is enabled again.
	s.Required = s.Required && !(s.switched && u.UnitFileState == "disabled")
}

// packetFilter is no unit: it is there when its table is in the kernel, which only the
// applier may look at.
func (p *part) packetFilter(ctx context.Context) Service {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	s := Service{Name: "packet-filter", Description: "Packet filter (nftables)", Required: true}
	loaded, err := p.Applier.PacketFilterLoaded(ctx)
	switch f, ok := fault.Of(err); {
	case ok:
		s.ActiveState, s.Message = unknown, f.Message
		return s
	case err != nil:
		p.Log.WarnContext(ctx, "look at the packet filter", "err", err)
		s.ActiveState, s.Message = unknown, "the applier could not tell; the log of this node has the details"
		return s
	case loaded:
		s.ActiveState = "kernel-loaded"
	default:
		s.ActiveState = "no-table"
	}
	installed := true
	s.Installed = &installed
	return s
}
