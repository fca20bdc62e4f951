package tunnel

import (
	"context"

	"gateway/internal/component"
)

// connected counts peers. The bytes of a tunnel are those of its interface, like any other's.
var connected = component.Value{
	Name: "tunnel.*.connected", Unit: component.Count,
	Metric: "gateway_tunnel_connected_peers", Label: "tunnel", Help: "Peers with a handshake within the last 3 minutes.",
}

func (t *tunnels) values() component.Values {
	return component.Values{Kinds: []component.Value{connected}, Read: t.readValues}
}

func (t *tunnels) readValues(ctx context.Context) ([]component.Reading, error) {
	report, err := t.report(ctx)
	if err != nil {
		return nil, err
	}
	now, count := t.Now(), map[string]int{}
	for _, p := range report.Peers {
		if p.LastHandshake.Unix() > 0 && now.Sub(p.LastHandshake) <= sessionTime {
			count[p.Interface]++
		}
	}
	var out []component.Reading
	for _, l := range report.Tunnels {
		out = append(out, connected.Of(l.Name, float64(count[l.Name])))
	}
	return out, nil
}
