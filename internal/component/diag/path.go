package diag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"gateway/internal/api"
	"gateway/internal/component/diag/probe"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/packetfilter"
	"gateway/internal/value"
)

// PathInput is what a path is to be followed to.
type PathInput struct {
	Target string `json:"target" minLength:"1" maxLength:"253" doc:"Host name or IP address" example:"www.example.com"`
	Port   int    `json:"port" minimum:"1" maximum:"65535" doc:"TCP port" example:"443"`
	TLS    bool   `json:"tls,omitempty" doc:"Whether to try TLS too, as https does"`
	Source string `json:"source,omitempty" maxLength:"64" doc:"Address of a client behind this node: the packet filter is asked about its connection. Empty: about this node's own" example:"192.0.2.10"`
}

func (in PathInput) question() (q probe.PathQuestion, err error) {
	target, err := checked(in.Target, value.HostOrName)
	if err != nil {
		return q, err
	}
	q = probe.PathQuestion{Target: target, Port: in.Port, TLS: in.TLS}
	if in.Source == "" {
		return q, nil
	}
	var bad fault.Problems
	if q.Source, err = value.Address(in.Source); err != nil {
		bad.AddError("source", err)
		return q, bad.Err()
	}
	if to, err := netip.ParseAddr(target); err == nil && to.Is4() != q.Source.Is4() {
		return q, fault.At("source", "must be of the same address family as the target")
	}
	return q, nil
}

func (h *handlers) pathRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "diag-path", Method: http.MethodPost, Path: "/diagnostics/path", AtOnce: atOnce, Timeout: probe.Limits()["path"] + db.TakeTime + 2*onTheWay,
		Summary: "Follow a connection step by step",
		Description: "DNS, route, packet filter, TCP and, if asked for, TLS, each with its result and its time. The first broken step ends it; those after it are not tried. " +
			"With a source, the packet filter is asked what it does with a connection from there; the other steps are always this node's own. Ends within 20 seconds." + rules,
	}, func(ctx context.Context, in *struct{ Body PathInput }) (*api.Body[probe.Path], error) {
		q, err := in.Body.question()
		if err != nil {
			return nil, err
		}
		return ask[probe.Path](ctx, h, asked{tool: "path", subject: fmt.Sprintf("%s port %d", q.Target, q.Port), channel: pathChannel, question: q})
	})
}

// answerPath runs in gateway-scheduler.
func (h *handlers) answerPath(ctx context.Context, question json.RawMessage) (any, error) {
	var q probe.PathQuestion
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, fmt.Errorf("decode question: %w", err)
	}
	return h.tools().Path(ctx, q), nil
}

// way is what the kernel and the rows say of an address.
func (h *handlers) way(ctx context.Context, to netip.Addr) (probe.Way, error) {
	r, err := h.Host.Route(to)
	if err != nil {
		return probe.Way{}, err
	}
	way := probe.Way{Interface: r.Interface, MTU: r.MTU, Source: r.Source, Gateway: r.Gateway, Local: r.Local}
	if h.Uplink != nil && !r.Local {
		// The name is for people; without it, the way is the same.
		way.Uplink, _ = h.Uplink(ctx, r.Interface, to.Is4())
	}
	return way, nil
}

// filter is Explain without what the database says of itself when it fails: the answer is shown.
func (h *handlers) filter(ctx context.Context, k packetfilter.Packet) (packetfilter.Trace, error) {
	trace, err := h.Explain(ctx, k)
	if f, known := fault.Of(err); known {
		return trace, f
	}
	if err != nil {
		return trace, errors.New("the rules cannot be read")
	}
	return trace, nil
}
