package ntp

import (
	"context"

	"gateway/internal/api"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

const (
	settingsPath = "/ntp/settings"
	poolsPath    = "/ntp/pools"
)

// Settings are the one row of settings.
type Settings struct {
	resource.Meta
	SettingsInput
}

// SettingsInput is what update takes of them. It has a name of its own since the API's document
// names it so.
type SettingsInput chrony.Settings

// Pool is a time source as it is stored.
type Pool struct {
	resource.Meta
	chrony.Source
}

// PoolInput is what create and update take of a source.
type PoolInput struct {
	Kind    string `json:"kind" db:"kind" enum:"pool,server" doc:"A pool is a name that resolves to many servers"`
	Address string `json:"address" db:"address" minLength:"1" maxLength:"253" doc:"Name or IP address"`
	Iburst  *bool  `json:"iburst,omitempty" db:"iburst" default:"true" doc:"Fast initial sync: send a burst of requests at startup (iburst)"`
	Prefer  *bool  `json:"prefer,omitempty" db:"prefer" default:"false" doc:"Prefer it over other sources"`
	Minpoll *int   `json:"minpoll,omitempty" db:"minpoll" nullable:"true" minimum:"-6" maximum:"24" doc:"Minimum poll interval, as a power of two in seconds; null for the default, 6"`
	Maxpoll *int   `json:"maxpoll,omitempty" db:"maxpoll" nullable:"true" minimum:"-6" maximum:"24" doc:"Maximum poll interval, as a power of two in seconds; null for the default, 10"`
}

func (h *handlers) resources(r api.Router) {
	resource.Single[Settings, SettingsInput]{
		Component: chrony.Name, Path: settingsPath, Table: "ntp_settings", Access: api.Viewer, Summary: "the NTP daemon",
		Validate: validSettings,
	}.Register(r, h.DB, h.Run)
	resource.Resource[Pool, PoolInput]{
		Component: chrony.Name, Noun: "pool", Path: poolsPath, Table: "ntp_pools", Access: api.Viewer,
		Search: []string{"address"}, Sort: []string{"address", "kind", "created_at", "updated_at"}, Filter: []string{"kind"},
		Unique:   map[string]string{"ntp_pools_address_key": "address"},
		Name:     func(row Pool) string { return row.Address },
		Validate: validPool,
	}.Register(r, h.DB, h.Run)
}

func validSettings(_ context.Context, _ db.DB, old *Settings, in *SettingsInput) error {
	if in.Enabled == nil {
		in.Enabled = old.Enabled
	}
	var p fault.Problems
	(*chrony.Settings)(in).Validate(&p)
	return p.Err()
}

func validPool(_ context.Context, _ db.DB, _ *Pool, in *PoolInput) error {
	var p fault.Problems
	s := chrony.Source{Kind: in.Kind, Address: in.Address, Minpoll: in.Minpoll, Maxpoll: in.Maxpoll}
	s.Validate(&p)
	in.Address = s.Address
	return p.Err()
}
