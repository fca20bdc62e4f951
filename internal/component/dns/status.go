package dns

import (
	"context"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/dns/unbound"
)

// Stats count since unbound started.
type Stats unbound.Stats

func (h *handlers) statusRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "dns-stats", Method: http.MethodGet, Path: "/dns/stats", Access: api.Viewer, WithoutDatabase: true, Switched: true,
		Summary: "Get the counters of the DNS resolver", Description: "Counted since the resolver started.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[Stats], error) {
		var s Stats
		if err := h.Applier.Ask(ctx, unbound.Name, unbound.StatsVerb, nil, &s); err != nil {
			return nil, h.orOff(ctx, err)
		}
		return api.OK(s), nil
	})
	api.Handle(r, api.Op{
		ID: "dns-flush-cache", Method: http.MethodPost, Path: "/dns/flush-cache",
		Summary: "Flush the cache of the DNS resolver", Description: "Also flushes what is known about slow or unreachable servers.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[*api.None], error) {
		c := change.Change{Component: unbound.Name, Action: "dns.cache.flush", Subject: "cache"}
		err := h.Run.Act(ctx, c, func(ctx context.Context) error { return h.Applier.Ask(ctx, unbound.Name, unbound.FlushVerb, nil, nil) })
		if err != nil {
			return nil, h.orOff(ctx, err)
		}
		return api.Done(), nil
	})
}

// orOff says that it is switched off, where that is why it does not answer.
func (h *handlers) orOff(ctx context.Context, silent error) error {
	return component.OrOff(ctx, h.DB, `select enabled from dns_settings`, "the DNS resolver", silent)
}
