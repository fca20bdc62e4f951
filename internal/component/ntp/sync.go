package ntp

import (
	"context"
	"net/http"
	"slices"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/fault"
)

const (
	// syncTime is for a synchronisation with its audit entry.
	syncTime = 35 * time.Second
	// askTime of it is for the daemon to ask its sources; the rest is for the entry.
	askTime = 25 * time.Second
)

func (h *handlers) syncRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "ntp-force-sync", Method: http.MethodPost, Path: "/ntp/force-sync", Timeout: syncTime,
		Summary: "Query all time sources now and step the clock",
		Description: "Takes about six seconds, or ten when a source does not answer. The clock is stepped regardless of makestep " +
			"and may jump. Returns the state of the clock afterwards.",
	}, h.sync)
}

// sync goes on when the caller hangs up: the clock cannot be rolled back.
func (h *handlers) sync(ctx context.Context, _ *struct{}) (*api.Body[Status], error) {
	held, cancel := context.WithTimeout(context.WithoutCancel(ctx), syncTime)
	defer cancel()
	if err := h.orOff(held, nil); err != nil {
		return nil, err
	}
	var s Status
	err := h.Run.Act(held, change.Change{Component: chrony.Name, Action: "ntp.force_sync", Subject: "clock"}, func(ctx context.Context) (err error) {
		s, err = h.synchronise(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.OK(s), nil
}

func (h *handlers) synchronise(ctx context.Context) (Status, error) {
	began := h.Now()
	if err := h.ask(ctx); err != nil {
		return Status{}, err
	}
	var s Status
	var sources []SourceStatus
	err := h.monitor(ctx, func(m *monitor) (err error) {
		if s, err = m.status(); err == nil {
			sources, err = m.sources()
		}
		return err
	})
	if err != nil {
		return Status{}, err
	}
	// An answer from before we asked does not count; the ages are in whole seconds.
	oldest := max(1, int64(h.Now().Sub(began).Seconds())-2)
	if !slices.ContainsFunc(sources, func(s SourceStatus) bool { return s.LastReceive != nil && *s.LastReceive <= oldest }) {
		return Status{}, fault.New(fault.Unavailable, "no time source answered; check the sources and the network path to them").WithCode("no_source")
	}
	return s, nil
}

func (h *handlers) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var out struct{}
	err := h.Applier.Ask(ctx, chrony.Name, chrony.ForceSync, struct{}{}, &out)
	return apply.InWords(err, fault.New(fault.Unavailable, "the NTP daemon did not synchronise in time and may still do so; check its status").WithCode("timeout"))
}
