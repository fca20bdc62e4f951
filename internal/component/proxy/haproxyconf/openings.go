package haproxyconf

import (
	"context"
	"fmt"

	"gateway/internal/daemon"
	"gateway/internal/db"
)

// openings are the ports of sites, and those that are passed through.
func openings(ctx context.Context, q db.DB) ([]daemon.Opening, error) {
	ports, err := db.List[struct {
		Port int
		Name string
	}](ctx, q, `select port, name from proxy_ports where active order by port`)
	if err != nil {
		return nil, fmt.Errorf("list the ports that are passed through: %w", err)
	}
	out := []daemon.Opening{
		{Protocol: "tcp", Port: 80, Why: "sites by HTTP"},
		{Protocol: "tcp", Port: 443, Why: "sites by HTTPS"},
		{Protocol: "udp", Port: 443, Why: "sites by HTTP/3"},
	}
	for _, p := range ports {
		out = append(out, daemon.Opening{Protocol: "tcp", Port: p.Port, Why: "TCP service " + p.Name})
	}
	return out, nil
}
