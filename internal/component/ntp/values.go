package ntp

import (
	"context"

	protocol "github.com/facebook/time/ntp/chrony"

	"gateway/internal/component"
)

var (
	offset = component.Value{
		Name: "ntp.offset", Unit: component.Seconds,
		Metric: "gateway_ntp_offset_seconds", Help: "Seconds that the clock is fast; negative if slow. Missing while it is not synchronised.",
	}
	jitter = component.Value{
		Name: "ntp.jitter", Unit: component.Seconds,
		Metric: "gateway_ntp_jitter_seconds", Help: "Long-term RMS average of the offset. Missing while the clock is not synchronised.",
	}
	stratum = component.Value{
		Name: "ntp.stratum", Unit: component.Count,
		Metric: "gateway_ntp_stratum", Help: "Hops to a reference clock. Missing while the clock is not synchronised.",
	}
)

func (h *handlers) values() component.Values {
	return component.Values{Kinds: []component.Value{offset, jitter, stratum}, Read: h.readValues}
}

// readValues finds nothing while the clock follows nobody: what the daemon says then is 0, and not measured.
func (h *handlers) readValues(ctx context.Context) ([]component.Reading, error) {
	var s Status
	err := h.monitor(ctx, func(m *monitor) error {
		t, err := answer[*protocol.ReplyTracking](m, protocol.NewTrackingPacket())
		if err == nil {
			s = newStatus(t)
		}
		return err
	})
	if err != nil || !s.Synchronised {
		return nil, err
	}
	return []component.Reading{offset.Is(s.Offset), jitter.Is(s.RMSOffset), stratum.Is(float64(s.Stratum))}, nil
}
