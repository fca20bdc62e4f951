package dns

import (
	"context"

	"gateway/internal/component/dns/unbound"
	"gateway/internal/db"
	"gateway/internal/resource"
)

// Settings are this node's.
type Settings struct {
	resource.Meta
	Enabled           bool     `json:"enabled" db:"enabled"`
	UpstreamForwards  []string `json:"upstream_forwards" db:"upstream_forwards"`
	AccessACL         []string `json:"access_acl" db:"access_acl"`
	ListenAddresses   []string `json:"listen_addresses" db:"listen_addresses"`
	CacheMinTTL       int      `json:"cache_min_ttl" db:"cache_min_ttl"`
	CacheMaxTTL       int      `json:"cache_max_ttl" db:"cache_max_ttl"`
	DNSSEC            bool     `json:"dnssec" db:"dnssec"`
	QNAMEMinimisation bool     `json:"qname_minimisation" db:"qname_minimisation"`
}

// SettingsInput is what replaces them. It has a name of its own since the API's document names
// it so.
type SettingsInput unbound.Settings

// validateSettings also puts every value into the one form that is stored.
func validateSettings(_ context.Context, _ db.DB, old *Settings, in *SettingsInput) error {
	if in.Enabled == nil {
		in.Enabled = &old.Enabled
	}
	return (*unbound.Settings)(in).Validate()
}
