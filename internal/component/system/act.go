package system

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/daemon"
	"gateway/internal/fault"
)

const (
	// actTime is for an act on a service with its audit entry.
	actTime = time.Minute
	// applierTime of it is the applier's; the rest is for the entry.
	applierTime = 50 * time.Second
)

// Restart names a service to restart.
type Restart struct {
	Service string `json:"service" doc:"Name of the service, as in GET /system/services"`
}

// Toggle says whether a service should run.
type Toggle struct {
	Service string `json:"service" doc:"Name of the service, as in GET /system/services"`
	On      bool   `json:"on" doc:"Start it now and at every boot, or stop and disable it"`
}

func (h *handlers) restart(ctx context.Context, in *struct{ Body Restart }) (*api.Body[Restart], error) {
	c := change.Change{Action: "system.service_restart", Subject: in.Body.Service}
	if err := h.act(ctx, c, apply.Restart, in.Body.Service); err != nil {
		return nil, err
	}
	return api.OK(in.Body), nil
}

func (h *handlers) toggle(ctx context.Context, in *struct{ Body Toggle }) (*api.Body[Toggle], error) {
	action := apply.Off
	if in.Body.On {
		action = apply.On
	}
	c := change.Change{
		Action: "system.service_toggle", Subject: in.Body.Service,
		Detail: map[string]any{"on": in.Body.On},
	}
	if s, found := h.switched(in.Body.Service); found {
		return h.store(ctx, c, s, in.Body)
	}
	if err := h.act(ctx, c, action, in.Body.Service); err != nil {
		return nil, err
	}
	return api.OK(in.Body), nil
}

// switched is a service that may be toggled and has a setting that says whether it is to run.
func (h *handlers) switched(service string) (daemon.Service, bool) {
	for _, s := range apply.Allowed(h.Services, apply.On) {
		if s.Name == service {
			return s, s.Setting != ""
		}
	}
	return daemon.Service{}, false
}

// store writes the setting: the applier would undo what is done to the unit alone.
func (h *handlers) store(ctx context.Context, c change.Change, s daemon.Service, want Toggle) (*api.Body[Toggle], error) {
	c.Component = "system"
	table, column := pgx.Identifier{s.Setting}.Sanitize(), pgx.Identifier{s.SettingColumn()}.Sanitize()
	err := h.Run.Run(ctx, c, func(tx change.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf("update %[1]s set %[2]s = $1, revision = revision + 1, updated_at = now() where %[2]s <> $1", table, column), want.On)
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.OK(want), nil
}

// act goes on when the caller hangs up: restarting the reverse proxy cuts the very
// connection the request came by.
func (h *handlers) act(ctx context.Context, c change.Change, a apply.Action, service string) error {
	c.Component = "system"
	return h.Run.Act(ctx, c, func(ctx context.Context) error { return h.ask(ctx, a, service) })
}

func (h *handlers) ask(ctx context.Context, a apply.Action, service string) error {
	ctx, cancel := context.WithTimeout(ctx, applierTime)
	defer cancel()
	err := h.Applier.Service(ctx, a, service)
	return apply.InWords(err, fault.New(fault.Unavailable, "the service did not change state in time and may still do so; check its state and log").WithCode("timeout"))
}
