package tunnel

import (
	"context"
	"fmt"
	"time"

	"gateway/internal/apply"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

const (
	// sessionTime is how long a session of WireGuard lasts: while packets flow, a handshake is at
	// most two minutes old, and after three nothing is sent without a new one.
	sessionTime = 3 * time.Minute
	// redialTime is what a peer that is kept alive has for the next handshake then.
	redialTime = 30 * time.Second
	// applyTime is how long a change may take: what WireGuard has not before that is on its way.
	applyTime = `interval '10 seconds'`
)

type (
	storedTunnel struct {
		ID, Name, Mode string
		Active, New    bool // New: it was changed just now
	}
	storedPeer struct {
		ID, InterfaceID, Name, PublicKey, Endpoint string
		Active, New                                bool
		ExpiresAt                                  *time.Time
	}
)

// judged is what states are derived from.
type judged struct {
	now       wireguard.Report
	at        time.Time
	wrong     map[string]problem.State // by the id of the tunnel
	unapplied apply.Unapplied
	tunnels   map[string]storedTunnel // by id
	states    map[string]problem.States
	links     map[string]bool // that are up, by name
	peers     map[wireguard.PeerKey]wireguard.Status
	answering map[string]int           // peers of a tunnel, by its id, that do not fail
	silent    map[string]problem.State // client tunnels with a peer that cannot be reached, by id
	never     map[string]problem.State // client tunnels with a peer that never answered, by id
}

// judge says in which state each stored tunnel and peer is.
func (t *tunnels) judge(ctx context.Context, r *problem.Report, now wireguard.Report, wrong map[string]problem.State) error {
	tunnels, err := db.List[storedTunnel](ctx, t.DB, `select id::text, name, mode, active, updated_at > now() - `+applyTime+` from tunnel_interfaces order by name`)
	if err != nil {
		return fmt.Errorf("list tunnels: %w", err)
	}
	peers, err := db.List[storedPeer](ctx, t.DB, `select id::text, interface_id::text, name, public_key, endpoint, active, updated_at > now() - `+applyTime+`, expires_at from tunnel_peers order by name`)
	if err != nil {
		return fmt.Errorf("list peers: %w", err)
	}
	j := judged{
		now: now, at: t.Now(), wrong: wrong, tunnels: map[string]storedTunnel{}, states: map[string]problem.States{tunnelKind: {}, peerKind: {}},
		links: map[string]bool{}, peers: map[wireguard.PeerKey]wireguard.Status{}, answering: map[string]int{}, silent: map[string]problem.State{}, never: map[string]problem.State{},
	}
	j.unapplied, err = apply.ReadUnapplied(ctx, t.DB, t.Applier, wireguard.Name, map[string][]string{"tunnel_interfaces": {"id"}, "tunnel_peers": {"id"}})
	if err != nil {
		return err
	}
	for _, l := range now.Tunnels {
		j.links[l.Name] = l.Up
	}
	for _, s := range now.Peers {
		j.peers[wireguard.PeerKey{Tunnel: s.Interface, PublicKey: s.PublicKey}] = s
	}
	for _, one := range tunnels {
		j.tunnels[one.ID] = one
		if state, is := j.tunnel(r, one); is {
			j.states[tunnelKind][one.ID] = state
		}
	}
	for _, p := range peers {
		if state, is := j.peer(r, p); is {
			j.states[peerKind][p.ID] = state
		}
	}
	for _, one := range tunnels { // one that nobody answers at is of no use, whatever its interface does
		if _, failed := j.states[tunnelKind][one.ID]; failed || j.answering[one.ID] > 0 {
			continue
		}
		if state, is := j.silent[one.ID]; is {
			j.states[tunnelKind][one.ID] = state
		} else if state, is := j.never[one.ID]; is {
			j.states[tunnelKind][one.ID] = state
		}
	}
	r.States = j.states
	return nil
}

// tunnel is the state of one by its interface; there is none where that works.
func (j *judged) tunnel(r *problem.Report, one storedTunnel) (state problem.State, is bool) {
	up, there := j.links[one.Name]
	what := "tunnel " + one.Name
	params, name := problem.Params{"tunnel": one.Name}, problem.Params{"name": fault.Named(what)}
	broken := func(kind problem.Kind) (problem.State, bool) {
		r.Add(kind.On(problem.Subject{Kind: tunnelKind, ID: one.ID, Name: one.Name}, pageOf(one.ID), params))
		return kind.Because("down", params), true
	}
	wrong, isWrong := j.wrong[one.ID]
	switch {
	case j.unapplied.Has(one.ID, what):
		return notApplied.Because("not_applied", name), true
	case !one.Active:
		return problem.Chosen("disabled"), true
	case isWrong:
		return wrong, true
	case !j.now.Known:
		return unread.Because("unknown", name), true
	case one.New && !up:
		return applying.Because("unknown", name), true
	case !there:
		return broken(linkMissing)
	case !up:
		return broken(linkDown)
	}
	return state, false
}

// peer is the state of one; there is none for one that is connected.
func (j *judged) peer(r *problem.Report, p storedPeer) (state problem.State, is bool) {
	of := j.tunnels[p.InterfaceID]
	live, there := j.peers[wireguard.PeerKey{Tunnel: of.Name, PublicKey: p.PublicKey}]
	above, broken := j.states[tunnelKind][of.ID]
	what := fmt.Sprintf("peer %s of tunnel %s", p.Name, of.Name)
	name := problem.Params{"name": fault.Named(what)}
	switch {
	case j.unapplied.Has(p.ID, what):
		return notApplied.Because("not_applied", name), true
	case !p.Active || !of.Active:
		return problem.Chosen("disabled"), true
	case p.ExpiresAt != nil && !j.at.Before(*p.ExpiresAt):
		return peerExpired.Because("expired", problem.Params{"peer": p.Name, "at": p.ExpiresAt.UTC()}), true
	case broken && above.State != "not_applied", broken && !there:
		return above, true
	case !there && (p.New || of.New):
		return applying.Because("unknown", name), true
	case !there:
		return notApplied.Because("not_applied", name), true
	}
	return j.connection(r, p, of, live)
}

// connection is the state of a peer that WireGuard has.
func (j *judged) connection(r *problem.Report, p storedPeer, of storedTunnel, live wireguard.Status) (state problem.State, is bool) {
	never := live.LastHandshake.Unix() <= 0
	age := j.at.Sub(live.LastHandshake)
	dialled := p.Endpoint != ""
	switch {
	case dialled && live.Unresolved && age > sessionTime && !p.New: // a new name is looked up within some seconds
		return j.unreachable(r, p, of, live, peerUnresolved), true
	case dialled && (live.Lost || live.Keepalive > 0 && !never && age > sessionTime+redialTime):
		return j.unreachable(r, p, of, live, peerSilent), true
	case never:
		state = peerNever.Because("never", problem.Params{"peer": p.Name})
		if of.Mode == wireguard.Client {
			j.never[of.ID] = state
		} else {
			j.answering[of.ID]++
		}
		return state, true
	}
	j.answering[of.ID]++
	if age > sessionTime {
		return peerIdle.Because("idle", problem.Params{"peer": p.Name, "at": live.LastHandshake.UTC()}), true
	}
	return state, false
}

// unreachable is the state of a peer with an endpoint that does not answer there, or cannot be dialled.
func (j *judged) unreachable(r *problem.Report, p storedPeer, of storedTunnel, live wireguard.Status, kind problem.Kind) problem.State {
	params := problem.Params{"peer": p.Name, "tunnel": of.Name, "endpoint": p.Endpoint}
	found := kind.On(problem.Subject{Kind: peerKind, ID: p.ID, Name: p.Name}, peersPage(of.ID), params)
	if live.LastHandshake.Unix() > 0 {
		found = found.SinceAt(&live.LastHandshake)
	}
	if of.Mode != wireguard.Client { // one peer of many: the tunnel is there
		found.Alert = "problem." + kind.Code
	}
	if !live.Unresolved || !wireguard.WithoutAddress(of.Name, p.Endpoint).In(j.now.Wrong) { // which is told of the tunnel
		r.Add(found)
	}
	state := kind.Because("down", params)
	if of.Mode == wireguard.Client {
		j.silent[of.ID] = state
	}
	return state
}
