package proxy

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gateway/internal/change"
)

// ListenOnIPv6 says whether there are listeners on IPv6. The switch itself is in the setup
// store, which works without a database; the row here is what rendering sees of it.
func ListenOnIPv6(ctx context.Context, tx pgx.Tx, on bool) error {
	_, err := tx.Exec(ctx, `update proxy_settings set ipv6 = $1, revision = revision + 1, updated_at = now() where ipv6 <> $1`, on)
	if err != nil {
		return fmt.Errorf("say whether to listen on IPv6: %w", err)
	}
	return nil
}

// followSetup mends the row where a restored database says something else than the store.
func (s *service) followSetup(ctx context.Context) error {
	state, err := s.Setup.Load()
	if err != nil {
		return err
	}
	var on bool
	if err := s.DB.QueryRow(ctx, `select ipv6 from proxy_settings`).Scan(&on); err != nil {
		return fmt.Errorf("read whether to listen on IPv6: %w", err)
	}
	if on == state.IPv6Enabled {
		return nil
	}
	c := change.Change{Component: "proxy", Action: "proxy.ipv6", Subject: "as in the setup store"}
	return s.Run.Run(ctx, c, func(tx change.Tx) error { return ListenOnIPv6(ctx, tx, state.IPv6Enabled) })
}
