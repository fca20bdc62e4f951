package system

import (
	"context"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/sys"
)

func (h *handlers) hostRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "health", Method: http.MethodGet, Path: "/system/health", Access: api.Public, BeforeSetup: true, WithoutDatabase: true,
		Summary:     "Version and health of this node",
		Description: "Public, for monitoring: 200 while the API answers, with database false if that does not.",
	}, h.health)
	api.Handle(r, api.Op{
		ID: "resources", Method: http.MethodGet, Path: "/system/resources", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Load, memory, disk, connections and uptime of this node",
		Description: "One sample; compute the CPU load from two of them.",
	}, h.resources)
	api.Handle(r, api.Op{
		ID: "interfaces", Method: http.MethodGet, Path: "/system/interfaces", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Network interfaces of this node, as the kernel reports them",
		Description: "Links, addresses and traffic counters; which zone an interface is in is at /network-interfaces.",
	}, h.interfaces)
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
func (h *handlers) health(context.Context, *struct{}) (*api.Body[Health], error) {
	host, _ := h.Host.Health() // empty fields say enough
	return api.OK(Health{
		Version: h.Version, Hostname: host.Hostname, OS: host.OS, Kernel: host.Kernel,
		Database: h.Database.Up(), SetupComplete: h.setupComplete(),
	}), nil
}

// setupComplete takes a store that cannot be read for that of a damaged node, never
// for that of a new one: nobody must be sent to set it up again.
func (h *handlers) setupComplete() bool {
	state, err := h.Setup.Load()
	return err != nil || state.Complete
}

func (h *handlers) resources(context.Context, *struct{}) (*api.Body[sys.Resources], error) {
	res, err := h.Host.Resources()
	if err != nil {
		return nil, err
	}
	return api.OK(res), nil
}

func (h *handlers) interfaces(context.Context, *struct{}) (*api.Body[[]sys.Interface], error) {
	links, err := h.Host.Interfaces()
	if err != nil {
		return nil, err
	}
	return api.OK(links), nil
}
