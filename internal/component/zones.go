package component

import (
	"context"
	"fmt"
	"strings"

	"gateway/internal/db"
)

// InNoZone names the zones that a service is open in, where no interface is in any of them: only a
// rule of the packet filter can let somebody reach it then. Empty where there is an interface, and
// for a service that is open in no zone.
func InNoZone(ctx context.Context, q db.DB, zones []string) (string, error) {
	var there bool
	if err := q.QueryRow(ctx, `select exists (select from network_interfaces where role = any($1))`, zones).Scan(&there); err != nil {
		return "", fmt.Errorf("look for interfaces in zones: %w", err)
	}
	if there {
		return "", nil
	}
	return strings.Join(zones, ", "), nil
}
