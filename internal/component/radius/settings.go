package radius

import (
	"context"
	"crypto/rand"
	"fmt"

	"gateway/internal/api"
	"gateway/internal/component/radius/freeradius"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Settings are this node's.
type Settings struct {
	resource.Meta
	Enabled         bool     `json:"enabled" db:"enabled"`
	ListenAddresses []string `json:"listen_addresses" db:"listen_addresses"`
	AuthPort        int      `json:"auth_port" db:"auth_port"`
	AccountingPort  int      `json:"accounting_port" db:"accounting_port"`
	Zones           []string `json:"zones" db:"zones"`
}

// SettingsInput is what replaces them. It has a name of its own since the API's document names
// it so.
type SettingsInput freeradius.Settings

func (h *handlers) settings(r api.Router) {
	resource.Single[Settings, SettingsInput]{
		Component: freeradius.Name, Path: settingsPath, Table: "radius_settings", Access: api.Viewer, Summary: "the RADIUS server",
		Validate: h.validSettings,
	}.Register(r, h.DB, h.Run)
}

// validSettings also puts every value into the one form that is stored.
func (h *handlers) validSettings(ctx context.Context, tx db.DB, old *Settings, in *SettingsInput) error {
	if in.Enabled == nil {
		in.Enabled = &old.Enabled
	}
	var p fault.Problems
	(*freeradius.Settings)(in).Validate(&p)
	if err := resource.MustBeZones(ctx, tx, &p, in.Zones); err != nil {
		return err
	}
	if err := p.Err(); err != nil {
		return err
	}
	return h.makeProbe(ctx, tx)
}

// makeProbe makes the secret by which this node asks itself, where there is none that can be decrypted. It comes with the
// first change of the settings, before which nothing runs.
func (h *handlers) makeProbe(ctx context.Context, tx db.DB) error {
	if probe, err := freeradius.LoadProbe(ctx, tx, h.Box.Unseal); err != nil || probe != "" {
		return err
	}
	if _, err := tx.Exec(ctx, `delete from radius_probe`); err != nil {
		return fmt.Errorf("remove the secret of this node: %w", err)
	}
	id := db.NewID()
	_, err := tx.Exec(ctx, `insert into radius_probe (id, secret) values ($1, $2) on conflict do nothing`, id, h.Box.Seal([]byte(rand.Text()), freeradius.ProbePlace(id)))
	if err != nil {
		return fmt.Errorf("make the secret of this node: %w", err)
	}
	return nil
}
