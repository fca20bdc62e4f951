package system

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// lookTime bounds each of the two questions behind the list, so that it answers even
// when systemd or the applier hangs.
const lookTime = time.Second

// unknown is the state of what could not be asked.
const unknown = "unknown"

func (h *handlers) serviceRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "services", Method: http.MethodGet, Path: "/system/services", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "State of the product's own services, the daemons and the packet filter",
		Description: "From systemd, and from the kernel for what runs there, such as the packet filter.",
	}, h.services)
	api.Handle(r, api.Op{
		ID: "restart-service", Method: http.MethodPost, Path: "/system/service-restart", Timeout: actTime, WithoutDatabase: true,
		Summary:     "Restart a service",
		Description: "Connections through the service may be interrupted. Only services with restart true can be restarted.",
		Enums:       map[string][]string{"service": h.allowed(apply.Restart)},
	}, h.restart)
	api.Handle(r, api.Op{
		ID: "toggle-service", Method: http.MethodPost, Path: "/system/service-toggle", Timeout: actTime, WithoutDatabase: true,
		Summary:     "Switch a service on or off",
		Description: "On starts it now and at every boot, off stops it now and for good. Where the service has a setting for that, the setting is written, with everything that goes with a change.",
		Enums:       map[string][]string{"service": h.allowed(apply.On)},
	}, h.toggle)
}

// Services is the list of what runs here, or could.
type Services struct {
	Services []Service `json:"services" doc:"Services of the product, its daemons and the packet filter"`
}

// Service is one service as it is now.
type Service struct {
	Name        string     `json:"name" example:"dns" doc:"Short name, for restart and toggle"`
	Component   string     `json:"component" example:"dns" doc:"Component that the service runs for, as in GET /system/components; empty for a service that no component manages"`
	Unit        string     `json:"unit" doc:"systemd unit; empty for what is in the kernel, such as the packet filter"`
	Description string     `json:"description" doc:"What the service does"`
	Installed   *bool      `json:"installed" doc:"Null while the state is unknown"`
	ActiveState string     `json:"active_state" example:"active" doc:"As systemd says; kernel-loaded for what is in the kernel, no-table for a packet filter that is not; unknown when nobody answers"`
	SubState    string     `json:"sub_state" example:"running" doc:"systemd's detailed state of the unit"`
	Boot        string     `json:"boot" example:"enabled" doc:"Whether it starts with the machine, as systemd says"`
	EnteredAt   *time.Time `json:"entered_at" doc:"Since when it is in this state; null when not known"`
	MemoryBytes *uint64    `json:"memory_bytes" doc:"Null when not known"`
	Required    bool       `json:"required" doc:"It has to run: that it is stopped is a fault. Not so what is switched off, or not used by this version"`
	Off         bool       `json:"off" doc:"It is not to run: switched off in its settings, or disabled"`
	Restart     bool       `json:"restart" doc:"It can be restarted by POST /system/service-restart"`
	Toggle      bool       `json:"toggle" doc:"It can be switched on and off by POST /system/service-toggle"`
	Message     string     `json:"message,omitempty" doc:"Why the state is unknown"`
	fault.Words

	quiet    time.Duration // since its last sign of life; 0 where it gives none, or none that is often enough
	restarts uint32        // by systemd, since somebody started it
	result   string        // of its last run
}

func (h *handlers) allowed(a apply.Action) []string {
	var names []string
	for _, s := range apply.Allowed(h.Services, a) {
		names = append(names, s.Name)
	}
	return names
}

func (h *handlers) services(ctx context.Context, _ *struct{}) (*api.Body[Services], error) {
	list, err := h.list(ctx)
	if err != nil {
		h.Log.WarnContext(ctx, "read unit states", "err", err)
	}
	return api.OK(Services{list}), nil
}

// list is also there with an error: those that could not be asked are unknown then.
func (h *handlers) list(ctx context.Context) ([]Service, error) {
	// The applier first: asking starts it, and its own state comes below.
	asked := make(chan applied, 1)
	go func() { asked <- h.applied(ctx) }()
	filter := h.packetFilter(ctx)
	brought := <-asked
	states, err := h.states(ctx)
	list := make([]Service, len(h.Services))
	for i, declared := range h.Services {
		s := newService(declared)
		switch {
		case declared.Name == packetFilter:
			filter.into(&s)
		case declared.Unit == "":
			brought.inKernel(declared.Component).into(&s)
		case err != nil:
			kernelState{unknown, fault.Said("systemd does not answer")}.into(&s)
		default:
			u := states[declared.Unit]
			s.take(u, brought.off(declared, u) && (declared.Setting != "" || !declared.Required))
		}
		list[i] = s
	}
	return list, err
}

func newService(s daemon.Service) Service {
	return Service{Name: s.Name, Component: s.Component, Unit: s.Unit, Description: s.Title, Required: s.Required, Restart: s.Restart, Toggle: s.Toggle}
}

// states are those of all units, by name.
func (h *handlers) states(ctx context.Context) (map[string]sys.UnitState, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var names []string
	for _, s := range h.Services {
		if s.Unit != "" {
			names = append(names, s.Unit)
		}
	}
	states, err := h.Units.States(ctx, names)
	if err != nil {
		return nil, err
	}
	if len(states) != len(names) {
		return nil, fmt.Errorf("asked for %d units, heard of %d", len(names), len(states))
	}
	byUnit := make(map[string]sys.UnitState, len(states))
	for i, name := range names {
		byUnit[name] = states[i]
	}
	return byUnit, nil
}

// applied is how the components stand, as the applier says.
type applied struct {
	states []apply.State
	err    error
}

func (h *handlers) applied(ctx context.Context) applied {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	states, err := h.Applier.States(ctx)
	return applied{states, err}
}

// off tells what is not to run. What a setting switches is asked of the applier, who
// knows the setting: a unit that cannot start is disabled too. Where nobody answers, and for
// what has no setting, that is all there is to go by.
func (a applied) off(s daemon.Service, u sys.UnitState) bool {
	if s.Setting == "" || a.err != nil {
		return u.UnitFileState == "disabled" && u.ActiveState == "inactive"
	}
	return slices.ContainsFunc(a.states, func(c apply.State) bool { return slices.Contains(c.Off, s.Unit) })
}

// inKernel is the state of a service without a unit: that of its component.
func (a applied) inKernel(component string) kernelState {
	i := slices.IndexFunc(a.states, func(c apply.State) bool { return c.Component == component })
	if f, ok := fault.Of(a.err); ok {
		return kernelState{unknown, f.Sentence}
	}
	if i < 0 {
		return kernelState{unknown, fault.Said("the applier could not tell; the log of this node has the details")}
	}
	switch c := a.states[i]; {
	case c.Observed != "" && c.Observed == c.Wanted:
		return kernelState{active: "kernel-loaded"}
	case c.Stage == apply.FailedIt:
		return kernelState{active: "failed"}
	case c.Stage == apply.LiveStage || c.Stage == apply.Held:
		return kernelState{active: "inactive"} // somebody else took it away
	default:
		return kernelState{active: "activating"}
	}
}

func (s *Service) take(u sys.UnitState, off bool) {
	installed := u.Installed()
	s.Installed, s.ActiveState, s.SubState, s.Boot = &installed, u.ActiveState, u.SubState, u.UnitFileState
	s.EnteredAt, s.MemoryBytes, s.restarts, s.result = u.EnteredAt, u.MemoryBytes, u.Restarts, u.Result
	if s.Name == schedulerService {
		s.quiet = u.Quiet
	}
	s.Off = off
	s.Required = s.Required && !off
}

// kernelState is that of a service which is no unit: it is in the kernel, at which only the applier may look.
type kernelState struct {
	active string
	why    fault.Sentence
}

func (f kernelState) into(s *Service) {
	s.ActiveState, s.Message, s.Words = f.active, f.why.Message, f.why.Words
	if f.active != unknown {
		installed := true
		s.Installed = &installed
	}
}

// packetFilter is the service that is there when its table is.
const packetFilter = "packet-filter"

// packetFilter is looked at itself: that no rule is in effect is not to wait for the next round.
func (h *handlers) packetFilter(ctx context.Context) kernelState {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	loaded, err := h.Applier.PacketFilterLoaded(ctx)
	switch f, ok := fault.Of(err); {
	case ok:
		return kernelState{unknown, f.Sentence}
	case err != nil:
		h.Log.WarnContext(ctx, "look at the packet filter", "err", err)
		return kernelState{unknown, fault.Said("the applier could not tell; the log of this node has the details")}
	case loaded:
		return kernelState{active: "kernel-loaded"}
	default:
		return kernelState{active: "no-table"}
	}
}
