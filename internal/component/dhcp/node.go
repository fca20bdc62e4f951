package dhcp

import (
	"context"
	"fmt"
)

// followSetup has the row say what the setup store has, which gateway-apply does not read: no client may have the
// name of the management.
func (h *handlers) followSetup(ctx context.Context) error {
	state, err := h.Setup.Load()
	if err != nil {
		return err
	}
	if state.FQDN == "" {
		return nil // not set up
	}
	_, err = h.DB.Exec(ctx, `insert into dhcp_node (name) values ($1) on conflict (one) do update set name = excluded.name where dhcp_node.name <> excluded.name`, state.FQDN)
	if err != nil {
		return fmt.Errorf("keep the name of this node: %w", err)
	}
	return nil
}
