package wireguard_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os/exec"
	"strings"
	"testing"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/internal/daemon"
	"gateway/internal/secret"
	"gateway/lab"
)

// rig is the daemon on a network of its own.
type rig struct {
	*testing.T
	space *lab.Space
	daemon.Daemon
	now daemon.Rendering
}

func newRig(t *testing.T, change func(*wireguard.Options)) *rig {
	t.Helper()
	space := lab.NewSpace(t)
	o := wireguardtest.Options(t, space)
	if change != nil {
		change(&o)
	}
	return &rig{T: t, space: space, Daemon: wireguard.New(o), now: rendering(wireguard.Config{}, wireguard.Keys{})}
}

func rendering(c wireguard.Config, k wireguard.Keys) daemon.Rendering {
	return daemon.Rendering{Files: []daemon.File{{Path: wireguard.KeyPath, Data: k.Text()}, {Path: wireguard.Path, Data: c.Text()}}}
}

// become applies a configuration, as the engine does.
func (r *rig) become(c wireguard.Config, k wireguard.Keys) {
	r.Helper()
	if err := r.try(c, k); err != nil {
		r.Fatal(err)
	}
	if wrong := r.report().Wrong; len(wrong) > 0 {
		r.Fatalf("trouble: %+v", wrong)
	}
}

func (r *rig) try(c wireguard.Config, k wireguard.Keys) error {
	r.Helper()
	now := rendering(c, k)
	err := r.Apply(r.Context(), r.now, now)
	r.now = now
	return err
}

func (r *rig) report() (out wireguard.Report) {
	r.Helper()
	answer, err := r.Verbs[wireguard.StatusVerb](r.Context(), nil)
	if err != nil {
		r.Fatal(err)
	}
	return answer.(wireguard.Report)
}

// endpoints says what names lead to, and answers which ones are asked for.
func (r *rig) endpoints(found wireguard.Found) []string {
	r.Helper()
	in, err := json.Marshal(found)
	if err != nil {
		r.Fatal(err)
	}
	answer, err := r.Verbs[wireguard.EndpointsVerb](r.Context(), in)
	if err != nil {
		r.Fatal(err)
	}
	return answer.(wireguard.Wanted).Names
}

// ip runs iproute2, the independent reader, in the space.
func (r *rig) ip(line string) string {
	r.Helper()
	var out []byte
	err := r.space.Do(func() (err error) {
		out, err = exec.Command("ip", strings.Fields(line)...).CombinedOutput()
		return err
	})
	if err != nil {
		r.Fatalf("ip %s: %s", line, out)
	}
	return string(out)
}

// has wants each of the texts in what ip answers.
func (r *rig) has(line string, texts ...string) {
	r.Helper()
	out := r.ip(line)
	for _, text := range texts {
		if !strings.Contains(out, text) {
			r.Errorf("ip %s has no %q:\n%s", line, text, out)
		}
	}
}

func (r *rig) lacks(line string, texts ...string) {
	r.Helper()
	out := r.ip(line)
	for _, text := range texts {
		if strings.Contains(out, text) {
			r.Errorf("ip %s has %q:\n%s", line, text, out)
		}
	}
}

// server is a tunnel that others dial, with its key.
func server(t testing.TB, port int, addresses ...string) (wireguard.Tunnel, wireguard.Keys, wgtypes.Key) {
	t.Helper()
	key := wireguardtest.NewKey(t)
	w := wireguard.Tunnel{ID: "t", Name: wireguardtest.Name(), Mode: wireguard.Server, Port: port}
	for _, a := range addresses {
		w.Addresses = append(w.Addresses, netip.MustParsePrefix(a))
	}
	return w, keys(w.Name, key), key
}

func keys(name string, private wgtypes.Key) wireguard.Keys {
	return wireguard.Keys{Private: map[string]secret.Text{name: secret.Text(private.String())}, Preshared: map[wireguard.PeerKey]secret.Text{}}
}

func peer(t testing.TB, key wgtypes.Key, allowed ...string) wireguard.Peer {
	t.Helper()
	p := wireguard.Peer{ID: "p", PublicKey: key.PublicKey().String()}
	for _, a := range allowed {
		p.AllowedIPs = append(p.AllowedIPs, netip.MustParsePrefix(a))
	}
	return p
}

func one(t wireguard.Tunnel, peers ...wireguard.Peer) wireguard.Config {
	t.Peers = peers
	return wireguard.Config{Tunnels: []wireguard.Tunnel{t}}
}

func loopback(port int) netip.AddrPort {
	return netip.MustParseAddrPort(fmt.Sprintf("127.0.0.1:%d", port))
}
