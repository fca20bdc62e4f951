package forwardproxy

import (
	"context"

	"gateway/internal/api"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Settings are this node's.
type Settings struct {
	resource.Meta
	Enabled         bool     `json:"enabled" db:"enabled"`
	Port            int      `json:"port" db:"port"`
	ListenAddresses []string `json:"listen_addresses" db:"listen_addresses"`
	Zones           []string `json:"zones" db:"zones"`
	AllowedNetworks []string `json:"allowed_networks" db:"allowed_networks"`
	DefaultAction   string   `json:"default_action" db:"default_action" enum:"allow,deny"`
	Ports           []string `json:"ports" db:"ports"`
	ConnectPorts    []string `json:"connect_ports" db:"connect_ports"`
	CacheSize       int      `json:"cache_size" db:"cache_size"`
	ParentHost      string   `json:"parent_host" db:"parent_host"`
	ParentPort      int      `json:"parent_port" db:"parent_port"`
	DNSServers      []string `json:"dns_servers" db:"dns_servers"`
	AccessLog       bool     `json:"access_log" db:"access_log"`
	LogRetention    int      `json:"log_retention" db:"log_retention"`
	Contact         string   `json:"contact" db:"contact"`
}

// SettingsInput is what replaces them. It has a name of its own since the API's document names
// it so.
type SettingsInput squid.Settings

func (h *handlers) settings(r api.Router) {
	resource.Single[Settings, SettingsInput]{
		Component: squid.Name, Path: settingsPath, Table: "forwardproxy_settings", Access: api.Viewer, Summary: "the forward proxy",
		Validate: validSettings,
	}.Register(r, h.DB, h.Run)
}

// validSettings also puts every value into the one form that is stored.
func validSettings(ctx context.Context, tx db.DB, old *Settings, in *SettingsInput) error {
	if in.Enabled == nil {
		in.Enabled = &old.Enabled
	}
	if in.CacheSize == nil {
		in.CacheSize = &old.CacheSize
	}
	if in.AccessLog == nil {
		in.AccessLog = &old.AccessLog
	}
	var p fault.Problems
	(*squid.Settings)(in).Validate(&p)
	if err := resource.MustBeZones(ctx, tx, &p, in.Zones); err != nil {
		return err
	}
	return p.Err()
}
