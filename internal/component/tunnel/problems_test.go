package tunnel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"gateway/internal/apply"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/internal/fault"
	"gateway/internal/rtnl/reconcile"
)

// reporter is a gateway-apply that says what it is told to.
type reporter struct {
	report wireguard.Report
	err    error
}

func (r *reporter) Ask(_ context.Context, _, verb string, _, out any) error {
	answer, ok := out.(*wireguard.Report)
	if !ok || verb != wireguard.StatusVerb {
		return fmt.Errorf("asked for %s", verb)
	}
	*answer = r.report
	return r.err
}

func (r *reporter) States(context.Context) ([]apply.State, error) { return nil, r.err }

// The browser shows a tunnel green by these: a list of problems ends after 200.
func TestStatesAreOfAllTunnelsHoweverManyProblemsThereAre(t *testing.T) {
	r := newRig(t)
	broken, fine := r.server("wg0", "10.8.0.1/24"), r.server("wg1", "10.9.0.1/24")
	says := &reporter{report: wireguard.Report{Known: true, Tunnels: []wireguard.Link{{Name: "wg1", Up: true}}, Wrong: []reconcile.Trouble{
		{Kind: reconcile.Refused, Subject: "tunnel wg0", Why: fault.Said("the kernel knows no WireGuard")},
	}}}
	source := tunnel.New(tunnel.Options{DB: r.Pool, Applier: says}).Problems

	found, err := source.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s := found.States["tunnel"][broken.ID]; s.State != "not_applied" || s.Code != "tunnel.refused" {
		t.Errorf("the state of a tunnel that is refused = %+v", s)
	}
	if s, listed := found.States["tunnel"][fine.ID]; listed {
		t.Errorf("the state of a tunnel that works = %+v", s)
	}
	if p := found.Problems; len(p) != 1 || p[0].Link != "/tunnels/"+broken.ID {
		t.Errorf("problems = %+v, want one that leads to the page of the tunnel", p)
	}
	if !slices.Equal(source.Objects, []string{"tunnel", "tunnel_peer"}) {
		t.Errorf("kinds of objects = %v", source.Objects)
	}

	says.err = errors.New("away")
	if _, err := source.Find(t.Context()); err == nil {
		t.Error("states are known while gateway-apply is away")
	}
}

// stateOf is the state of an object in one word with its reason.
func stateOf(t *testing.T, says *reporter, r rig, kind, id string) string {
	t.Helper()
	found, err := tunnel.New(tunnel.Options{DB: r.Pool, Applier: says}).Problems.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := found.States[kind][id]
	return s.State + " " + s.Code
}

// leads holds the links of all problems against the pages of their subjects.
func leads(t *testing.T, says *reporter, r rig, pages map[string]string) {
	t.Helper()
	found, err := tunnel.New(tunnel.Options{DB: r.Pool, Applier: says}).Problems.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found.Problems {
		if want := pages[p.Subject.ID]; p.Link != want {
			t.Errorf("%s of %s leads to %s, want %s", p.Code, p.Subject.Name, p.Link, want)
		}
	}
}

func TestThePeersOfATunnelHaveStates(t *testing.T) {
	r := newRig(t)
	server, client := r.server("wg0", "10.8.0.1/24"), r.client("wg1", "10.9.0.2/32")
	phone, branch := r.peer(server, "phone"), r.peer(client, "branch", object{"endpoint": "192.0.2.7:51820", "allowed_ips": []string{"10.9.0.0/24"}, "public_key": strings.Repeat("k", 42) + "A="})
	off := r.peer(server, "old phone", object{"active": false})
	unresolved := wireguard.Status{Interface: "wg1", PublicKey: branch.PublicKey, Keepalive: 25, Unresolved: true}
	roamed := unresolved
	roamed.LastHandshake = time.Now().Add(-time.Minute)
	r.aged()
	minutes := func(n int) time.Time { return time.Now().Add(-time.Duration(n) * time.Minute) }
	up := []wireguard.Link{{Name: "wg0", Up: true}, {Name: "wg1", Up: true}}
	peers := func(phoneAt, branchAt time.Time, lost bool) []wireguard.Status {
		return []wireguard.Status{
			{Interface: "wg0", PublicKey: phone.PublicKey, LastHandshake: phoneAt},
			{Interface: "wg1", PublicKey: branch.PublicKey, LastHandshake: branchAt, Keepalive: 25, Lost: lost},
		}
	}
	for _, tc := range []struct {
		name                          string
		report                        wireguard.Report
		server, client, phone, branch string
	}{
		{"both are connected", wireguard.Report{Known: true, Tunnels: up, Peers: peers(minutes(1), minutes(1), false)}, " ", " ", " ", " "},
		{
			"one sleeps, and one that is kept alive has no new handshake",
			wireguard.Report{Known: true, Tunnels: up, Peers: peers(minutes(9), minutes(9), false)},
			" ", "down tunnel.peer_silent", "idle tunnel.peer_idle", "down tunnel.peer_silent",
		},
		{
			"one never came, and one does not answer",
			wireguard.Report{Known: true, Tunnels: up, Peers: peers(time.Time{}, time.Time{}, true)},
			" ", "down tunnel.peer_silent", "never tunnel.peer_never", "down tunnel.peer_silent",
		},
		{
			"one is dialled just now",
			wireguard.Report{Known: true, Tunnels: up, Peers: peers(minutes(1), time.Time{}, false)},
			" ", "never tunnel.peer_never", " ", "never tunnel.peer_never",
		},
		{
			"the name of one has no address",
			wireguard.Report{Known: true, Tunnels: up, Peers: append(peers(minutes(1), time.Time{}, false)[:1], unresolved)},
			" ", "down tunnel.peer_unresolved", " ", "down tunnel.peer_unresolved",
		},
		{
			"the name of one has no address, but it has dialled us",
			wireguard.Report{Known: true, Tunnels: up, Peers: append(peers(minutes(1), time.Time{}, false)[:1], roamed)},
			" ", " ", " ", " ",
		},
		{
			"a link is gone, and one is down",
			wireguard.Report{Known: true, Tunnels: []wireguard.Link{{Name: "wg1"}}, Peers: peers(minutes(1), minutes(1), false)[1:]},
			"down tunnel.interface_missing", "down tunnel.interface_down", "down tunnel.interface_missing", "down tunnel.interface_down",
		},
		{
			"WireGuard lacks a peer",
			wireguard.Report{Known: true, Tunnels: up, Peers: peers(minutes(1), minutes(1), false)[1:]},
			" ", " ", "not_applied tunnel.not_applied", " ",
		},
		{
			"gateway-apply has just started",
			wireguard.Report{},
			"unknown tunnel.unread", "unknown tunnel.unread", "unknown tunnel.unread", "unknown tunnel.unread",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			says := &reporter{report: tc.report}
			leads(t, says, r, map[string]string{server.ID: "/tunnels/" + server.ID, client.ID: "/tunnels/" + client.ID, branch.ID: "/tunnels/" + client.ID + "?tab=peers"})
			for _, one := range []struct{ kind, id, want string }{
				{"tunnel", server.ID, tc.server},
				{"tunnel", client.ID, tc.client},
				{"tunnel_peer", phone.ID, tc.phone},
				{"tunnel_peer", branch.ID, tc.branch},
				{"tunnel_peer", off.ID, "disabled "},
			} {
				if got := stateOf(t, says, r, one.kind, one.id); got != one.want {
					t.Errorf("%s: %q, want %q", one.kind, got, one.want)
				}
			}
		})
	}
}

// gateway-apply needs some seconds for a change, and a name some more to be looked up.
func TestWhatWasChangedJustNowIsNoProblem(t *testing.T) {
	r := newRig(t)
	of, late := r.client("wg0", "10.8.0.2/32"), r.client("wg1", "10.9.0.2/32")
	key := func(first string) string { return first + strings.Repeat("k", 41) + "A=" }
	first := r.peer(of, "first", object{"endpoint": "vpn.example.com:51820", "allowed_ips": []string{"10.8.0.0/24"}, "public_key": key("a")})
	second := r.peer(of, "second", object{"endpoint": "192.0.2.7:51820", "allowed_ips": []string{"10.7.0.0/24"}, "public_key": key("b")})
	says := &reporter{report: wireguard.Report{Known: true, Tunnels: []wireguard.Link{{Name: "wg0", Up: true}}, Peers: []wireguard.Status{
		{Interface: "wg0", PublicKey: first.PublicKey, Unresolved: true},
	}}}
	want := func(problems int, tunnelState, firstState, secondState string) {
		t.Helper()
		found, err := tunnel.New(tunnel.Options{DB: r.Pool, Applier: says}).Problems.Find(t.Context())
		if err != nil || len(found.Problems) != problems {
			t.Errorf("problems = %+v %v, want %d", found.Problems, err, problems)
		}
		got := []string{stateOf(t, says, r, "tunnel", late.ID), stateOf(t, says, r, "tunnel_peer", first.ID), stateOf(t, says, r, "tunnel_peer", second.ID)}
		if !slices.Equal(got, []string{tunnelState, firstState, secondState}) {
			t.Errorf("states = %q", got)
		}
	}
	r.changed("1 minute") // however slow the test is
	want(0, "unknown tunnel.applying", "never tunnel.peer_never", "unknown tunnel.applying")
	r.aged()
	want(2, "down tunnel.interface_missing", "down tunnel.peer_unresolved", "not_applied tunnel.not_applied")
}

// The link and the peers are WireGuard's own.
func TestATunnelIsAsTheKernelHasIt(t *testing.T) {
	r, space := newReal(t, true)
	of := r.server(wireguardtest.Name(), "10.8.0.1/24")
	phone := r.peer(of, "phone")
	state := func(kind, id string) string {
		t.Helper()
		found, err := tunnel.New(tunnel.Options{DB: r.Pool, Applier: r}).Problems.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return found.States[kind][id].State
	}
	if got := state("tunnel", of.ID); got != "" {
		t.Errorf("a tunnel that works is %s", got)
	}
	if got := state("tunnel_peer", phone.ID); got != "never" {
		t.Errorf("a peer that never came is %s", got)
	}
	r.aged()
	err := space.Do(func() error {
		link, err := netlink.LinkByName(of.Name)
		if err != nil {
			return err
		}
		return netlink.LinkSetDown(link)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := state("tunnel", of.ID); got != "down" {
		t.Errorf("a tunnel whose interface is down is %q", got)
	}
}
