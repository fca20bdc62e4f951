package logs

import (
	"context"

	"gateway/internal/api"
	"gateway/internal/component/logs/journald"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

const settingsPath = "/logs/settings"

// Settings are the one row of settings.
type Settings struct {
	resource.Meta
	SettingsInput
}

// SettingsInput is what update takes of them. It has a name of its own since the API's document
// names it so.
type SettingsInput journald.Settings

func (h *handlers) settingsRoutes(r api.Router) {
	resource.Single[Settings, SettingsInput]{
		Component: journald.Name, Path: settingsPath, Table: "logs_settings", Access: api.Viewer, Summary: "the logs: how long they are kept, and where they are sent", Lasting: true,
		Validate: func(_ context.Context, _ db.DB, _ *Settings, in *SettingsInput) error {
			var p fault.Problems
			(*journald.Settings)(in).Validate(&p)
			return p.Err()
		},
	}.Register(r, h.db, h.run)
}
