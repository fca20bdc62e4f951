package logs

import (
	"context"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"gateway/internal/api"
	"gateway/internal/fault"
	"gateway/internal/journal"
)

// live reads the parameters of the stream: a query for each journal.
func (h *handlers) live(ctx context.Context) ([]journal.Query, error) {
	in := api.Query(ctx)
	q := journal.Query{Level: journal.Level(in.Get("level")), Text: in.Get("q")}
	switch q.Level {
	case "", journal.Debug, journal.Info, journal.Warn, journal.Error:
	default:
		return nil, fault.At("level", "must be debug, info, warn or error")
	}
	if len(q.Text) > 200 || strings.ContainsAny(q.Text, "\x00\n") {
		return nil, fault.At("q", "must be one line of at most 200 characters")
	}
	var names []string
	if s := in.Get("sources"); s != "" {
		names = strings.Split(s, ",")
	}
	chosen, err := h.chosen(names)
	if err != nil {
		return nil, err
	}
	var out []journal.Query
	for _, j := range journals(chosen) {
		q.Namespace, q.Units = j.namespace, j.units
		out = append(out, q)
	}
	if len(out) == 0 {
		return nil, fault.At("sources", "the audit log has a stream of its own, GET /audit/live")
	}
	return out, nil
}

func (h *handlers) checkLive(ctx context.Context) error {
	if _, err := h.live(ctx); err != nil {
		return err
	}
	leave, err := h.streams.enter(ctx)
	if err == nil {
		leave() // it is taken once the stream is open
	}
	return err
}

func (h *handlers) follow(ctx context.Context, send func(any) error) error {
	queries, err := h.live(ctx)
	if err != nil {
		return err
	}
	leave, err := h.streams.enter(ctx)
	if err != nil {
		return nil //nolint:nilerr // others were faster; the stream ends, and is asked for again
	}
	defer leave()
	var one sync.Mutex // at a time
	all, ctx := errgroup.WithContext(ctx)
	for _, q := range queries {
		all.Go(func() error {
			return h.journal.Follow(ctx, q, func(e journal.Entry) error {
				one.Lock()
				defer one.Unlock()
				return send(h.entry(e))
			})
		})
	}
	return failed(all.Wait())
}
