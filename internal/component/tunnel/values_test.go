package tunnel_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/tunnel/wireguard"
)

// A tunnel without peers has none connected; one that is not there has no number at all.
func TestConnectedPeersAreCounted(t *testing.T) {
	now := time.Now()
	peer := func(tunnel string, ago time.Duration) wireguard.Status {
		return wireguard.Status{Interface: tunnel, LastHandshake: now.Add(-ago)}
	}
	r := &reporter{report: wireguard.Report{
		Tunnels: []wireguard.Link{{Name: "wg0", Up: true}, {Name: "wg1", Up: true}},
		Peers:   []wireguard.Status{peer("wg0", time.Minute), peer("wg0", 3*time.Minute), peer("wg0", 4*time.Minute), {Interface: "wg0"}, peer("gone", time.Minute)},
	}}
	c := tunnel.New(tunnel.Options{Applier: r, Now: func() time.Time { return now }})
	got, err := componenttest.Values(t, c.Values)
	if want := map[string]float64{"tunnel.wg0.connected": 2, "tunnel.wg1.connected": 0}; err != nil || !maps.Equal(got, want) {
		t.Errorf("measured %v (%v), want %v", got, err, want)
	}
	r.err = errors.New("away")
	if got, err := componenttest.Values(t, c.Values); err == nil || len(got) != 0 {
		t.Errorf("while nobody answers: %v (%v)", got, err)
	}
}
