package tunnel

import (
	"context"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/component/tunnel/wireguard"
)

// PeerStatus is a peer as WireGuard has it now.
type PeerStatus struct {
	Interface     string     `json:"interface" doc:"Name of the tunnel" example:"wg0"`
	Endpoint      string     `json:"endpoint" doc:"Address and port of the peer; empty while unknown" example:"192.0.2.7:51820"`
	AllowedIPs    []string   `json:"allowed_ips" doc:"Networks that are reached through the peer"`
	LastHandshake *time.Time `json:"last_handshake" doc:"When the keys were last negotiated; null for never. While packets flow it is at most about 2 minutes old"`
	Rx            int64      `json:"rx" doc:"Bytes received since the tunnel is up"`
	Tx            int64      `json:"tx" doc:"Bytes sent since the tunnel is up"`
}

func (t *tunnels) statusRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "tunnel-status", Method: http.MethodGet, Path: "/tunnel/status", Access: api.Viewer, AtOnce: 2, WithoutDatabase: true,
		Summary:     "Live state of all peers, by public key",
		Description: "What WireGuard says now. A peer that is switched off, expired or of a tunnel that is not up is missing; of a key in two tunnels, the one with the latest handshake is shown.",
	}, t.status)
}

func (t *tunnels) status(ctx context.Context, _ *struct{}) (*api.Body[map[string]PeerStatus], error) {
	report, err := t.report(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]PeerStatus{}
	for _, p := range report.Peers {
		s := PeerStatus{Interface: p.Interface, Endpoint: p.Endpoint, AllowedIPs: append([]string{}, p.AllowedIPs...), Rx: p.Rx, Tx: p.Tx}
		if at := p.LastHandshake.UTC(); p.LastHandshake.Unix() > 0 {
			s.LastHandshake = &at
		}
		if other, twice := out[p.PublicKey]; twice && other.later(s) {
			continue
		}
		out[p.PublicKey] = s
	}
	return api.OK(out), nil
}

func (s PeerStatus) later(than PeerStatus) bool {
	return s.LastHandshake != nil && (than.LastHandshake == nil || s.LastHandshake.After(*than.LastHandshake))
}

func (t *tunnels) report(ctx context.Context) (report wireguard.Report, err error) {
	return report, t.ask(ctx, wireguard.StatusVerb, nil, &report)
}

func (t *tunnels) ask(ctx context.Context, verb string, in, out any) error {
	return apply.AskSoon(ctx, t.Applier, wireguard.Name, verb, in, out)
}

// keepLookingUp does so with the database or without: gateway-apply says which names, and a
// tunnel may be the way by which somebody mends the database.
func (t *tunnels) keepLookingUp(ctx context.Context) error {
	tick := time.NewTicker(wireguard.LookUpEvery)
	defer tick.Stop()
	failed := ""
	for {
		said := ""
		if err := t.lookUp(ctx); err != nil && ctx.Err() == nil {
			said = err.Error()
		}
		if said != "" && said != failed { // not every five seconds
			t.Log.WarnContext(ctx, "look up the endpoints of tunnels", "err", said)
		}
		failed = said
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// lookUp resolves the names of endpoints for gateway-apply, which has no network.
func (t *tunnels) lookUp(ctx context.Context) error {
	call := func(ctx context.Context, verb string, in, out any) error { return t.ask(ctx, verb, in, out) }
	return wireguard.LookUp(ctx, call, func(ctx context.Context, name string) ([]string, error) {
		found, err := t.Lookup(ctx, name)
		if err != nil {
			return nil, err
		}
		addresses := make([]string, len(found))
		for i, a := range found {
			addresses[i] = a.Unmap().String()
		}
		return addresses, nil
	})
}
