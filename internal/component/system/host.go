package system

import (
	"context"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/sys"
)

func (p *part) hostRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "health", Method: http.MethodGet, Path: "/system/health", Access: api.Public, BeforeSetup: true, WithoutDatabase: true,
		Summary:     "Version and health of this node",
		Description: "Public, for monitoring: 200 while the API answers, with database false if that does not.",
	}, p.health)
	api.Handle(r, api.Op{
		ID: "resources", Method: http.MethodGet, Path: "/system/resources", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Load, memory, disk, connections and uptime of this node",
		Description: "One sample; compute the CPU load from two of them.",
	}, p.resources)
	api.Handle(r, api.Op{
		ID: "interfaces", Method: http.MethodGet, Path: "/system/interfaces", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Network interfaces of this node, as the kernel reports them",
		Description: "Links, addresses and traffic counters; which zone an interface is in is at /network-interfaces.",
	}, p.interfaces)
}

// Health is what anybody may know of the node.
type Health struct {
	Version       string `json:"version" doc:"Of the gateway package that runs"`
	Hostname      string `json:"hostname" doc:"Host name of the node"`
	OS            string `json:"os" doc:"Empty when unknown"`
	Kernel        string `json:"kernel" doc:"Release of the running kernel; empty when unknown"`
	Database      bool   `json:"database" doc:"Whether the database answers"`
	SetupComplete bool   `json:"setup_complete" doc:"Whether initial setup is done"`
}

// health answers whatever is broken, for it is what one asks then. Nor does it log:
// anybody may ask, as often as they like.
func (p *part) health(context.Context, *struct{}) (*api.Body[Health], error) {
	h, _ := p.Host.Health() // empty fields say enough
	return api.OK(Health{
		Version: p.Version, Hostname: h.Hostname, OS: h.OS, Kernel: h.Kernel,
		Database: p.Database.Up(), SetupComplete: p.setupComplete(),
	}), nil
}

// setupComplete takes a store that cannot be read for that of a damaged node, never
// for that of a new one: nobody must be sent to set it up again.
func (p *part) setupComplete() bool {
	state, err := p.Setup.Load()
	return err != nil || state.Complete
}

func (p *part) resources(context.Context, *struct{}) (*api.Body[sys.Resources], error) {
	res, err := p.Host.Resources()
	if err != nil {
		return nil, err
	}
	return api.OK(res), nil
}

func (p *part) interfaces(context.Context, *struct{}) (*api.Body[[]sys.Interface], error) {
	links, err := p.Host.Interfaces()
	if err != nil {
		return nil, err
	}
	return api.OK(links), nil
}
