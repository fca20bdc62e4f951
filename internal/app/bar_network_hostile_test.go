package app_test

import (
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/firewall"
	"gateway/internal/component/network"
	"gateway/internal/component/network/netstate"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/uplink"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/intent"
	"gateway/internal/rtnl"
	"gateway/lab"
)

// hostileLegs is the network of a node, on a kernel of its own with two ports. Changes are judged
// before they are stored and answered when they are in the kernel, as on a node.
type hostileLegs struct {
	*componenttest.Rig
	*rand.Rand
	taken, refused int
}

func newHostileLegs(t *testing.T) *hostileLegs {
	t.Helper()
	space := lab.NewSpace(t)
	for _, line := range []string{"link add p0 type veth peer name q0", "link add p1 type veth peer name q1", "link set q0 up", "link set q1 up"} {
		err := space.Do(func() error { return exec.Command("ip", strings.Fields(line)...).Run() })
		if err != nil {
			t.Fatal(line, err)
		}
	}
	return &hostileLegs{Rand: rand.New(rand.NewPCG(12, 15)), Rig: componenttest.New(t, componenttest.Setup{
		Schemas: []db.Schema{firewall.New(firewall.Options{}).Schema(), tunnel.New(tunnel.Options{}).Schema(), uplink.New(uplink.Options{}).Schema()},
		Component: func(r *componenttest.Rig) component.Component {
			return network.New(network.Options{DB: r.Pool, Run: r.Run, Applier: r})
		},
		Daemon: func(*componenttest.Rig) daemon.Daemon {
			return netstate.New(netstate.Options{
				Open: func() (c *rtnl.Conn, err error) {
					return c, space.Do(func() error { c, err = rtnl.Open(); return err })
				},
				Watch: func(ctx context.Context, _ func()) error { <-ctx.Done(); return nil },
				Log:   slog.New(slog.DiscardHandler),
			})
		},
		Live: true,
	})}
}

var hostileLegTexts = []string{
	"", "p0", "p1", "br7", "lo", "all", "default", ".", "..", "-x", "a/b", "a b", "ä", "x\nid", "$(id)", "%d", strings.Repeat("x", 16), "br7.9",
	"10.0.0.2", "10.0.0.0/24", "10.0.0.9/24", "0.0.0.0/0", "0.0.0.0", "::/0", "::", "fd00::2", "::1", "fd00::/64", "fe80::1", "ff02::1", "224.0.0.1", "255.255.255.255", "127.0.0.1",
	"127.0.0.0/8", "::ffff:10.0.0.2", "10.0.0.1%p0", "fe80::1%p0", "198.51.100.0/24", "198.51.100.7/33", "010.0.0.2", "2001:db8::/32", "240.0.0.0/4", "169.254.0.1",
	"main", "local", "253", "0", "255", "64299", "64251", "4294967295", "4294967296", "-1", "bridge", "ethernet", "blackhole", "unicast", "wan", "lan",
}

func (h *hostileLegs) text() any { return hostileLegTexts[h.IntN(len(hostileLegTexts))] }

func (h *hostileLegs) number() any {
	return []any{0, 1, -1, 8, 24, 32, 33, 64, 67, 68, 128, 129, 1279, 1280, 1500, 9000, 65535, 65536, 4294967295, 1 << 40, 1.5, "7", nil}[h.IntN(23)]
}

func (h *hostileLegs) yes() any { return h.IntN(2) == 0 }

// try posts a mutant of a body that is fine, and removes what came of it.
func (h *hostileLegs) try(path string, body map[string]any, mutants map[string]func() any) {
	h.T.Helper()
	body = maps.Clone(body)
	names := slices.Sorted(maps.Keys(mutants))
	for range 1 + h.IntN(3) {
		name := names[h.IntN(len(names))]
		body[name] = mutants[name]()
	}
	made := h.Do("POST", path, body)
	if made.Status >= 500 {
		h.T.Errorf("POST %s %v answers %d %+v", path, body, made.Status, made.Error)
	}
	if made.Status >= 300 {
		h.refused++
		return
	}
	h.taken++
	// Once more: an answer may come before what became of it.
	if came := h.Sync(); came.State != intent.Live {
		h.T.Errorf("POST %s %v was stored, and came out as %+v", path, body, came)
	}
	var wrong []netstate.Trouble
	if err := h.Ask(h.T.Context(), netstate.Name, netstate.StatusVerb, nil, &wrong); err != nil {
		h.T.Fatal(err)
	}
	for _, w := range wrong {
		if w.Kind == netstate.Refused {
			h.T.Errorf("POST %s %v was stored, and then: %+v", path, body, w)
		}
	}
	if left := h.Installed.Problems; len(left) > 0 {
		h.T.Errorf("POST %s %v was stored, and left out: %+v", path, body, left)
	}
	h.Do("DELETE", path+"/"+made.ID(), nil).Want(http.StatusOK)
}

// What the API stores of interfaces, addresses and routes, the kernel takes; what it refuses, it
// refuses with a word. VLANs, bridges that filter them and bonds are left out: a kernel for tests
// need not have them.
func TestHostileNetworkValues(t *testing.T) {
	t.Parallel()
	h := newHostileLegs(t)
	h.MustSync()
	p0 := h.Do("POST", "/network-interfaces", map[string]any{"name": "p0", "type": "ethernet"}).Want(http.StatusCreated).ID()
	for address, prefix := range map[string]int{"10.0.0.1": 24, "fd00::1": 64} {
		h.Do("POST", "/ip-addresses", map[string]any{"interface_id": p0, "address": address, "prefix": prefix}).Want(http.StatusCreated)
	}
	for range 170 {
		h.try("/network-interfaces", map[string]any{"name": "br7", "type": "bridge", "members": []string{"p1"}}, map[string]func() any{
			"name": h.text, "type": func() any { return []any{"bridge", "ethernet", "wireguard", "x"}[h.IntN(4)] }, "role": h.text, "parent": h.text, "vlan_id": h.number,
			"members": func() any { return []any{h.text(), h.text()}[:h.IntN(3)] }, "description": h.text, "mtu": h.number, "stp": h.yes, "bond_mode": h.text,
		})
		h.try("/ip-addresses", map[string]any{"interface_id": p0, "address": "192.0.2.1", "prefix": 24}, map[string]func() any{
			"interface_id": h.text, "address": h.text, "prefix": h.number, "is_vip": h.yes, "vip_priority": h.number, "description": h.text,
		})
		h.try("/routes", map[string]any{"destination": "198.51.100.0/24", "gateway": "10.0.0.254"}, map[string]func() any{
			"destination": h.text, "type": h.text, "gateway": h.text, "dev": h.text, "metric": h.number, "table_name": h.text, "onlink": h.yes, "active": h.yes, "comment": h.text,
		})
	}
	t.Logf("%d mutants were stored, %d refused", h.taken, h.refused)
	if h.taken < 50 || h.refused < 50 {
		t.Errorf("only %d mutants were stored and %d refused", h.taken, h.refused)
	}
}
