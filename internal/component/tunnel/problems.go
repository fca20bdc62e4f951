package tunnel

import (
	"context"
	"fmt"
	"strings"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/problem"
	"gateway/internal/rtnl/reconcile"
)

// listPage is where tunnels are.
const listPage = "/tunnels?tab=tunnels"

// pageOf is where one is, and peersPage where its peers are.
func pageOf(id string) string    { return "/tunnels/" + id }
func peersPage(id string) string { return pageOf(id) + "?tab=peers" }

// The kinds of objects.
const (
	tunnelKind = "tunnel"
	peerKind   = "tunnel_peer"
)

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
	notApplied = problem.Kind{
		Code: "tunnel.not_applied", Severity: problem.Error,
		Message: "{name} is saved but not applied: WireGuard runs without this change",
		Remedy:  "See why under System, Configuration. Correct the change, or revert it in the history.",
	}
	linkMissing = problem.Kind{
		Code: "tunnel.interface_missing", Severity: problem.Error,
		Message: "The tunnel {tunnel} has no interface on this node",
		Remedy:  "It is made anew automatically; if it does not return, see the log (journalctl -u gateway-apply).",
	}
	linkDown = problem.Kind{
		Code: "tunnel.interface_down", Severity: problem.Error,
		Message: "The interface of the tunnel {tunnel} is down",
		Remedy:  "It is brought up automatically; if it stays down, see the log (journalctl -u gateway-apply).",
	}
	applying = problem.Kind{
		Code: "tunnel.applying", Severity: problem.Info,
		Message: "{name} is being applied",
		Remedy:  "Wait some seconds.",
	}
	unread = problem.Kind{
		Code: "tunnel.unread", Severity: problem.Info,
		Message: "It is not known whether {name} works: gateway-apply has just started",
		Remedy:  "Wait some seconds; if it stays so, see the log (journalctl -u gateway-apply).",
	}
	peerSilent = problem.Kind{
		Code: "tunnel.peer_silent", Severity: problem.Error, Alert: "wg.tunnel.down",
		Message: "The peer {peer} of the tunnel {tunnel} does not answer at {endpoint}",
		Remedy:  "Check that the peer runs, that its UDP port is reachable, and that both sides have each other's public key.",
	}
	peerUnresolved = problem.Kind{
		Code: "tunnel.peer_unresolved", Severity: problem.Error, Alert: "wg.tunnel.down",
		Message: "The peer {peer} of the tunnel {tunnel} cannot be reached: the name in its endpoint {endpoint} has no address",
		Remedy:  "Check the spelling of the name, and whether this node can resolve it. It is looked up again every few seconds.",
	}
	peerExpired = problem.Kind{
		Code: "tunnel.peer_expired", Severity: problem.Info,
		Message: "The access of the peer {peer} ended on {at}",
		Remedy:  "Set a later end, or delete the peer.",
	}
	peerIdle = problem.Kind{
		Code: "tunnel.peer_idle", Severity: problem.Info,
		Message: "The last handshake with the peer {peer} was on {at}; it connects when it has something to send",
		Remedy:  "Nothing is to be done, unless the device should be connected.",
	}
	peerNever = problem.Kind{
		Code: "tunnel.peer_never", Severity: problem.Info,
		Message: "The peer {peer} has not connected since the tunnel is up",
		Remedy:  "Nothing is to be done, unless the device should be connected.",
	}
)

func (t *tunnels) problems() problem.Source {
	return problem.Source{
		Kinds:   []problem.Kind{missing, inTheWay, refused, notApplied, linkMissing, linkDown, applying, unread, peerSilent, peerUnresolved, peerExpired, peerIdle, peerNever},
		Objects: []string{tunnelKind, peerKind},
		Find:    t.findProblems,
	}
}

// tunnelIn is the tunnel that a trouble is of, which may be called like any word of it: tunnel wg0: MTU,
// address 10.8.0.1/24 on wg0, route 10.9.0.0/24 of tunnel wg0.
func tunnelIn(subject string) string {
	_, name, is := strings.Cut(subject, "tunnel ")
	if !is {
		_, name, _ = strings.Cut(subject, " on ")
	}
	name, _, _ = strings.Cut(name, ": ")
	return name
}

// findProblems asks gateway-apply what is wanted and not there, and what WireGuard says.
func (t *tunnels) findProblems(ctx context.Context) (problem.Report, error) {
	var r problem.Report
	now, err := t.report(ctx)
	if err != nil {
		return r, err
	}
	all, failed := db.List[struct {
		ID, Name string
		New      bool
	}](ctx, t.DB, `select id::text, name, exists (select from tunnel_peers p where p.interface_id = i.id and p.updated_at > now() - `+applyTime+`)
		from tunnel_interfaces i`)
	wrong := map[string]problem.State{}
	for _, w := range now.Wrong {
		kind, ok := map[string]problem.Kind{reconcile.Missing: missing, reconcile.Conflict: inTheWay, reconcile.Refused: refused}[w.Kind]
		if !ok {
			kind = refused
		}
		subject := problem.Subject{Kind: tunnelKind, ID: w.Subject, Name: w.Subject}
		isNew, page := false, listPage
		for _, one := range all {
			if tunnelIn(w.Subject) == one.Name {
				subject.ID, subject.Name, isNew, page = one.ID, one.Name, one.New, pageOf(one.ID)
			}
		}
		if isNew && w.Kind == reconcile.Missing {
			continue // the name of an endpoint is looked up within some seconds
		}
		params := problem.Params{"what": fault.Named(w.Subject), "why": w.Why}
		r.Add(kind.On(subject, page, params))
		wrong[subject.ID] = kind.Because("not_applied", params)
	}
	if failed != nil {
		return r, fmt.Errorf("list tunnels: %w", failed)
	}
	err = t.judge(ctx, &r, now, wrong)
	return r, err
}
