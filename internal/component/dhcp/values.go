package dhcp

import (
	"context"

	"gateway/internal/apply"
	"gateway/internal/component"
	"gateway/internal/component/dhcp/kea"
)

var leasesInUse = component.Value{
	Name: "dhcp.leases", Unit: component.Count,
	Metric: "gateway_dhcp_leases", Help: "Addresses that clients have by a lease.",
}

func (h *handlers) values() component.Values {
	return component.Values{Kinds: []component.Value{leasesInUse}, Read: h.readValues}
}

func (h *handlers) readValues(ctx context.Context) ([]component.Reading, error) {
	var c kea.Count
	if err := apply.AskSoon(ctx, h.Applier, kea.Name, kea.CountVerb, nil, &c); err != nil {
		return nil, err
	}
	if c.Off {
		return nil, nil
	}
	return []component.Reading{leasesInUse.Is(float64(c.Leased))}, nil
}
