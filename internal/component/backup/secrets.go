package backup

import (
	"context"
	"fmt"
	"slices"

	"gateway/internal/db"
	"gateway/internal/secret"
)

// secrets are pointers to those there can be.
func (s *TargetSettings) secrets() map[string]*secret.Text {
	return map[string]*secret.Text{"secret_key": &s.SecretKey, "password": &s.Password, "private_key": &s.PrivateKey}
}

// secretNames are those that are stored.
func (s ShownSettings) secretNames() []string {
	names := []string{}
	for name, shown := range map[string]string{"secret_key": s.SecretKey, "password": s.Password, "private_key": s.PrivateKey} {
		if shown != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func secretsPlace(id string) secret.Place {
	return secret.Place{Table: "backup_targets", Column: "secrets", Row: id}
}

// open are the secrets of a target; sealed is null where it has none.
func (s *service) open(id string, sealed []byte) (map[string]string, error) {
	return s.Box.OpenSet(sealed, secretsPlace(id))
}

// keepSecrets opens those that are to stay as they are.
func (s *service) keepSecrets(ctx context.Context, tx db.DB, old *Target, in *TargetInput) error {
	if old == nil || !secret.Stays(in.Settings.secrets()) {
		return nil
	}
	var sealed []byte
	err := tx.QueryRow(ctx, `select secrets from backup_targets where id = $1`, old.ID).Scan(&sealed)
	if err != nil {
		return fmt.Errorf("read the secrets of target %s: %w", old.ID, err)
	}
	in.kept, err = s.open(old.ID, sealed)
	return err
}

// deriveTarget seals secrets. As long as all of them stay, what is stored does: such a change can be reverted.
func (s *service) deriveTarget(_ context.Context, id string, old *Target, in *TargetInput) (map[string]any, error) {
	columns := map[string]any{"target_url": in.Settings.url(in.Kind)}
	names, sealed, changed := s.Box.SealSet(in.Settings.secrets(), in.kept, secretsPlace(id))
	if old == nil || changed || !slices.Equal(names, old.Settings.secretNames()) {
		columns["secret_names"], columns["secrets"] = names, sealed
	}
	return columns, nil
}
