// Package wireguard is the daemon side of tunnels: it renders interfaces and peers from the
// rows, and brings WireGuard in the kernel there by differences. What operators see of it is
// left to package tunnel, links that are no tunnels to package network.
package wireguard

import (
	"net/netip"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/secret"
)

// Config is what the kernel is to have.
type Config struct {
	Tunnels []Tunnel
	skipped []daemon.Problem // rows that are in none of them
}

// Tunnel is an interface that is up.
type Tunnel struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Mode      string         `json:"mode"`
	Addresses []netip.Prefix `json:"addresses"`
	Port      int            `json:"port,omitempty"`
	MTU       int            `json:"mtu,omitempty"` // 0 is the kernel's
	Peers     []Peer         `json:"-"`             // each has a line of its own
}

// Peer is one of a tunnel. Keys are base64, as everybody writes them; the private key of the
// tunnel and the preshared keys are in a file of their own.
type Peer struct {
	ID         string         `json:"id"`
	PublicKey  string         `json:"public_key"`
	AllowedIPs []netip.Prefix `json:"allowed_ips"`
	Endpoint   string         `json:"endpoint,omitempty"`  // host:port
	Keepalive  int            `json:"keepalive,omitempty"` // seconds
	Preshared  bool           `json:"preshared,omitempty"` // there is such a key
	ExpiresAt  time.Time      `json:"expires_at,omitzero"`

	unresolved bool // its endpoint is a name whose address nobody knows yet
}

// endpoints are those of its peers, by public key.
func (t Tunnel) endpoints() map[string]string {
	out := make(map[string]string, len(t.Peers))
	for _, p := range t.Peers {
		out[p.PublicKey] = p.Endpoint
	}
	return out
}

// live reports whether a peer has not expired.
func (p Peer) live(now time.Time) bool { return p.ExpiresAt.IsZero() || now.Before(p.ExpiresAt) }

// Keys are the secrets to a configuration, as everybody writes keys.
type Keys struct {
	Private   map[string]secret.Text  // by name of the tunnel
	Preshared map[PeerKey]secret.Text // of peers that have one
}

// PeerKey is a peer of a tunnel.
type PeerKey struct {
	Tunnel, PublicKey string
}

// Mode of a tunnel.
const (
	Server = "server"
	Client = "client"
)
