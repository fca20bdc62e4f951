package logs

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/logship"
)

// Shipping is how sending log entries is going.
type Shipping struct {
	Enabled bool             `json:"enabled" doc:"Whether log entries are to be sent"`
	Running bool             `json:"running" doc:"Whether the log shipper runs and reports; if not, the streams are unknown"`
	Streams []ShippingStream `json:"streams" doc:"The journals that are sent, each over a connection of its own"`
}

// ShippingStream is one journal on its way to the receiver.
type ShippingStream struct {
	Journal        string     `json:"journal" enum:"system,access" doc:"The log of the services and the system, or the access log of the reverse proxy"`
	State          string     `json:"state" enum:"sending,connecting,away" doc:"sending: entries arrive. connecting: not for long yet. away: they do not arrive"`
	ConnectedSince *time.Time `json:"connected_since" doc:"Since when there is a connection to the receiver; null while disconnected"`
	LastSentAt     *time.Time `json:"last_sent_at" doc:"When an entry was last sent; null if none was since the log shipper started"`
	SentUpTo       *time.Time `json:"sent_up_to" doc:"When that entry was written"`
	BehindSince    *time.Time `json:"behind_since" doc:"When the oldest entry was written that is known to wait; null if none is"`
	Sent           int64      `json:"sent" doc:"Entries sent since the log shipper started; after a lost connection some are sent again"`
	Error          string     `json:"error" enum:",unconfigured,not_resolved,local_address,not_reached,not_trusted,no_tls,closed,stalled,no_journal" doc:"Why entries do not arrive; empty while they do"`
	Lost           int64      `json:"lost" doc:"Entries that the journal removed before they were sent, at most"`
	LostAt         *time.Time `json:"lost_at" doc:"When that was last noticed; null if never"`
}

const (
	// grace is how long a receiver may be away before it is a problem: it may be restarting.
	grace = 30 * time.Second
	// tooFar is how old an entry may be that waits while there is a connection.
	tooFar = 10 * time.Minute
	// lossShown is how long a loss stays in the list of problems.
	lossShown = 24 * time.Hour
)

func (h *handlers) shippingRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "log-shipping-status", Method: http.MethodGet, Path: "/logs/shipping", Access: api.Viewer,
		Summary:     "State of sending log entries to the syslog receiver",
		Description: "Whether entries arrive at the receiver, how far behind they are, and why not, as the log shipper reports it.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[Shipping], error) {
		s, err := h.shipping(ctx)
		return api.OK(s), err
	})
}

func (h *handlers) shipping(ctx context.Context) (Shipping, error) {
	out := Shipping{Streams: []ShippingStream{}}
	if err := h.db.QueryRow(ctx, `select remote_enabled from logs_settings`).Scan(&out.Enabled); err != nil {
		return out, fmt.Errorf("read whether log entries are sent: %w", err)
	}
	status, found, err := logship.ReadStatus(h.status)
	if err != nil {
		h.log.Error("logs", "err", err) // which is as good as none
	}
	now := h.now()
	if out.Running = out.Enabled && found && now.Sub(status.At) < logship.Fresh; !out.Running {
		return out, nil
	}
	for _, s := range status.Streams {
		out.Streams = append(out.Streams, ShippingStream{
			Journal: s.Journal, State: stateOf(s, now), ConnectedSince: s.ConnectedSince, LastSentAt: s.LastSentAt, SentUpTo: s.SentUpTo,
			BehindSince: s.BehindSince, Sent: s.Sent, Error: string(s.Error), Lost: s.Lost, LostAt: s.LostAt,
		})
	}
	return out, nil
}

// stateOf calls nothing good that does not arrive.
func stateOf(s logship.Stream, now time.Time) string {
	switch {
	case s.AwaySince != nil && now.Sub(*s.AwaySince) >= grace, s.BehindSince != nil && now.Sub(*s.BehindSince) >= tooFar:
		return "away"
	case s.AwaySince != nil:
		return "connecting"
	}
	return "sending"
}
