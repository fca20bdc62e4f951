package proxy

import (
	"context"

	"gateway/internal/apply"
	"gateway/internal/component"
	"gateway/internal/component/proxy/haproxyconf"
)

// What all sites and TCP services have together.
var (
	requests = component.Value{
		Name: "proxy.requests", Unit: component.PerSecond, Counter: true,
		Metric: "gateway_proxy_requests_total", Help: "Requests to all sites since the reverse proxy was last reloaded.",
	}
	errorAnswers = component.Value{
		Name: "proxy.errors", Unit: component.PerSecond, Counter: true,
		Metric: "gateway_proxy_errors_total", Help: "Answers of all sites with a status of 500 or above since the reverse proxy was last reloaded.",
	}
	openConnections = component.Value{
		Name: "proxy.connections", Unit: component.Count,
		Metric: "gateway_proxy_connections", Help: "Connections of clients to sites and TCP services.",
	}
	bytesIn = component.Value{
		Name: "proxy.received", Unit: component.BytesPerSecond, Counter: true,
		Metric: "gateway_proxy_receive_bytes_total", Help: "Bytes that clients sent to sites and TCP services since the reverse proxy was last reloaded.",
	}
	bytesOut = component.Value{
		Name: "proxy.sent", Unit: component.BytesPerSecond, Counter: true,
		Metric: "gateway_proxy_transmit_bytes_total", Help: "Bytes that sites and TCP services sent to clients since the reverse proxy was last reloaded.",
	}
)

func (s *service) values() component.Values {
	return component.Values{Kinds: []component.Value{requests, errorAnswers, openConnections, bytesIn, bytesOut}, Read: s.readValues}
}

func (s *service) readValues(ctx context.Context) ([]component.Reading, error) {
	var t haproxyconf.Totals
	if err := apply.AskSoon(ctx, s.Applier, haproxyconf.Name, haproxyconf.VerbTotals, nil, &t); err != nil {
		return nil, err
	}
	return []component.Reading{
		requests.Is(float64(t.Requests)), errorAnswers.Is(float64(t.Errors)), openConnections.Is(float64(t.Connections)),
		bytesIn.Is(float64(t.BytesIn)), bytesOut.Is(float64(t.BytesOut)),
	}, nil
}
