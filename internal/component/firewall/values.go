package firewall

import (
	"context"

	"gateway/internal/apply"
	"gateway/internal/component"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/live"
)

// dropped leaves out what a rule drops: each rule has its own counter.
var dropped = component.Value{
	Name: "firewall.dropped", Unit: component.PacketsPerSecond, Counter: true,
	Metric: "gateway_firewall_dropped_packets_total", Help: "Packets dropped because no rule allows them, since the packet filter was loaded.",
}

func (f *firewall) values() component.Values {
	return component.Values{Kinds: []component.Value{dropped}, Read: f.readValues}
}

func (f *firewall) readValues(ctx context.Context) ([]component.Reading, error) {
	var d live.Drops
	if err := apply.AskSoon(ctx, f.Applier, filter.Name, live.DropsVerb, nil, &d); err != nil {
		return nil, err
	}
	return []component.Reading{dropped.Is(float64(d.Packets))}, nil
}
