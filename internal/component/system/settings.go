package system

import (
	"context"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/setupstate"
)

// flag is one switch of the setup store.
type flag struct {
	path, action, what string
	more               string // for the API reference
	inDatabase         bool   // others read it there
	field              func(*setupstate.State) *bool
}

func flags() []flag {
	return []flag{
		{"ipv6", "system.ipv6", "whether the daemons listen on IPv6", "Off: the reverse proxy, with the management port, listens on IPv4 only.", true, func(s *setupstate.State) *bool { return &s.IPv6Enabled }},
		{"maintenance", "system.maintenance", "the maintenance mode", "Stored and shown, but nothing depends on it yet.", false, func(s *setupstate.State) *bool { return &s.Maintenance }},
		{"auto-update", "system.auto_update", "whether the node updates itself; stored, but not used yet", "A later version installs upgrades by itself if it is on.", false, func(s *setupstate.State) *bool { return &s.AutoUpdate }},
	}
}

func (h *handlers) settingRoutes(r api.Router) {
	for _, f := range flags() {
		api.Handle(r, api.Op{
			ID: "get-" + f.path, Method: http.MethodGet, Path: "/system/" + f.path, Access: api.Viewer, WithoutDatabase: true,
			Summary: "Get " + f.what, Description: f.more,
		}, func(context.Context, *struct{}) (*api.Body[Flag], error) { return h.flag(f) })
		api.Handle(r, api.Op{
			ID: "set-" + f.path, Method: http.MethodPost, Path: "/system/" + f.path, WithoutDatabase: !f.inDatabase,
			Summary: "Set " + f.what, Description: f.more,
		}, func(ctx context.Context, in *struct{ Body Flag }) (*api.Body[Flag], error) {
			return h.setFlag(ctx, f, in.Body)
		})
	}
	h.acmeRoutes(r)
	api.Handle(r, api.Op{
		ID: "get-retention", Method: http.MethodGet, Path: "/system/retention", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Get the retention of history",
		Description: "How many backups and how many days of audit entries are kept.",
	}, h.retention)
	api.Handle(r, api.Op{
		ID: "set-retention", Method: http.MethodPut, Path: "/system/retention", WithoutDatabase: true,
		Summary:     "Set the retention of history",
		Description: "Older audit entries are deleted within an hour, but none of the last 30 days.",
	}, h.setRetention)
}

// Flag is a switch.
type Flag struct {
	Enabled bool `json:"enabled" doc:"Whether the setting is on"`
}

func (h *handlers) flag(f flag) (*api.Body[Flag], error) {
	state, err := h.Setup.Load()
	if err != nil {
		return nil, err
	}
	return api.OK(Flag{*f.field(&state)}), nil
}

func (h *handlers) setFlag(ctx context.Context, f flag, want Flag) (*api.Body[Flag], error) {
	subject := "off"
	if want.Enabled {
		subject = "on"
	}
	also := nothingElse
	if f.inDatabase && h.IPv6 != nil {
		also = func(ctx context.Context, tx pgx.Tx) error { return h.IPv6(ctx, tx, want.Enabled) }
	}
	if err := set(ctx, h, f.action, subject, f.field, want.Enabled, also); err != nil {
		return nil, err
	}
	return api.OK(want), nil
}

// Retention is how much history is kept.
type Retention struct {
	Backups   int `json:"backups" minimum:"1" maximum:"365" doc:"Latest backups to keep; the last one of each day (UTC) is kept for as many days, too"`
	AuditDays int `json:"audit_days" minimum:"1" maximum:"3650" doc:"Days to keep audit entries; those of the last 30 days are kept in any case"`
}

func (h *handlers) retention(context.Context, *struct{}) (*api.Body[Retention], error) {
	state, err := h.Setup.Load()
	if err != nil {
		return nil, err
	}
	return api.OK(Retention(state.Retention)), nil
}

// RetentionInput is one of the two, or both: they are set on different pages, and neither takes back what the other stored.
type RetentionInput struct {
	Backups   *int `json:"backups,omitempty" minimum:"1" maximum:"365" doc:"Latest backups to keep; the last one of each day (UTC) is kept for as many days, too. Default: unchanged"`
	AuditDays *int `json:"audit_days,omitempty" minimum:"1" maximum:"3650" doc:"Days to keep audit entries; those of the last 30 days are kept in any case. Default: unchanged"`
}

func (h *handlers) setRetention(ctx context.Context, in *struct{ Body RetentionInput }) (*api.Body[Retention], error) {
	h.setting.Lock()
	defer h.setting.Unlock()
	state, err := h.Setup.Load()
	if err != nil {
		return nil, err
	}
	want := Retention(state.Retention)
	if in.Body.Backups != nil {
		want.Backups = *in.Body.Backups
	}
	if in.Body.AuditDays != nil {
		want.AuditDays = *in.Body.AuditDays
	}
	subject := fmt.Sprintf("%d backups, %d days of audit entries", want.Backups, want.AuditDays)
	field := func(s *setupstate.State) *setupstate.Retention { return &s.Retention }
	if err := setHeld(ctx, h, "system.retention", subject, field, setupstate.Retention(want), nothingElse); err != nil {
		return nil, err
	}
	return api.OK(want), nil
}

func nothingElse(context.Context, pgx.Tx) error { return nil }
