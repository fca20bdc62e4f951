package tunnel

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/db"
	"gateway/internal/problem"
	"gateway/internal/rtnl/reconcile"
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

var (
	missing = problem.Kind{
		Code: "tunnel.missing", Severity: problem.Error,
		Message: "{what} is not applied: {why}",
		Remedy:  "Correct the tunnel; it is applied as soon as that is possible.",
	}
	inTheWay = problem.Kind{
		Code: "tunnel.conflict", Severity: problem.Warning,
		Message: "{what} conflicts with what is there already: {why}",
		Remedy:  "Remove it from the other program's configuration (systemctl disable --now wg-quick@NAME), or from this one.",
	}
	refused = problem.Kind{
		Code: "tunnel.refused", Severity: problem.Error,
		Message: "{what} is refused by the kernel: {why}",
		Remedy:  "Correct the tunnel or its peers.",
	}
)

func (t *tunnels) problems() problem.Source {
	return problem.Source{Kinds: []problem.Kind{missing, inTheWay, refused}, Objects: []string{"tunnel"}, Find: t.findProblems}
}

// findProblems asks gateway-apply what is wanted and not there.
func (t *tunnels) findProblems(ctx context.Context) (problem.Report, error) {
	r := problem.Report{States: map[string]problem.States{"tunnel": {}}}
	now, err := t.report(ctx)
	if err != nil || len(now.Wrong) == 0 {
		return r, err
	}
	all, err := db.List[struct{ ID, Name string }](ctx, t.DB, `select id::text, name from tunnel_interfaces`)
	if err != nil {
		return r, fmt.Errorf("list tunnels: %w", err)
	}
	for _, w := range now.Wrong {
		kind, ok := map[string]problem.Kind{reconcile.Missing: missing, reconcile.Conflict: inTheWay, reconcile.Refused: refused}[w.Kind]
		if !ok {
			kind = refused
		}
		subject := problem.Subject{Kind: "tunnel", ID: w.Subject, Name: w.Subject}
		for _, one := range all {
			if named(w.Subject, one.Name) {
				subject.ID, subject.Name = one.ID, one.Name
			}
		}
		params := problem.Params{"what": w.Subject, "why": w.Why.Message, "why_words": w.Why.Beside()}
		r.Add(kind.On(subject, "/tunnels", params))
		r.States["tunnel"][subject.ID] = kind.Because("not_applied", params)
	}
	return r, nil
}
