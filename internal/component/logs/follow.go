package logs

import (
	"context"
	"strings"

	"gateway/internal/api"
	"gateway/internal/fault"
	"gateway/internal/journal"
)

// live reads the parameters of the stream.
func (h *handlers) live(ctx context.Context) (journal.Query, error) {
	in := api.Query(ctx)
	q := journal.Query{Level: journal.Level(in.Get("level")), Text: in.Get("q")}
	switch q.Level {
	case "", journal.Debug, journal.Info, journal.Warn, journal.Error:
	default:
		return q, fault.At("level", "must be debug, info, warn or error")
	}
	if len(q.Text) > 200 || strings.ContainsAny(q.Text, "\x00\n") {
		return q, fault.At("q", "must be one line of at most 200 characters")
	}
	var names []string
	if s := in.Get("sources"); s != "" {
		names = strings.Split(s, ",")
	}
	chosen, err := h.chosen(names)
	if err != nil {
		return q, err
	}
	if q.Units = units(chosen); len(q.Units) == 0 {
		return q, fault.At("sources", "the audit log has a stream of its own, GET /audit/live")
	}
	return q, nil
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
	q, err := h.live(ctx)
	if err != nil {
		return err
	}
	leave, err := h.streams.enter(ctx)
	if err != nil {
		return nil //nolint:nilerr // others were faster; the stream ends, and is asked for again
	}
	defer leave()
	return failed(h.journal.Follow(ctx, q, func(e journal.Entry) error { return send(h.entry(e)) }))
}
