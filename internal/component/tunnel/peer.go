package tunnel

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"gateway/internal/api"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/secret"
	"gateway/internal/value"
)

// clientKeepalive keeps the way open through what translates addresses in between.
const clientKeepalive = 25

// Peer is the other side of a tunnel: a device, another network, or the server of a client.
type Peer struct {
	resource.Meta
	InterfaceID     string     `json:"interface_id" db:"interface_id"`
	Name            string     `json:"name" db:"name"`
	PublicKey       string     `json:"public_key" db:"public_key"`
	AllowedIPs      []string   `json:"allowed_ips" db:"allowed_ips"`
	Endpoint        string     `json:"endpoint" db:"endpoint"`
	Keepalive       int        `json:"keepalive" db:"keepalive"`
	Active          bool       `json:"active" db:"active"`
	ExpiresAt       *time.Time `json:"expires_at" db:"expires_at"`
	Description     string     `json:"description" db:"description"`
	HasPrivateKey   bool       `json:"has_private_key" db:"has_private_key" doc:"Whether the key pair was generated here; its configuration and QR code can then be downloaded"`
	HasPresharedKey bool       `json:"has_preshared_key" db:"has_preshared_key" doc:"Whether there is a preshared key"`
}

// PeerInput is what create and update take.
type PeerInput struct {
	InterfaceID          string       `json:"interface_id" db:"interface_id" maxLength:"64" doc:"Id of the tunnel"`
	Name                 string       `json:"name" db:"name" minLength:"1" maxLength:"100" doc:"Display name, once per tunnel" example:"Ann's phone"`
	PublicKey            string       `json:"public_key,omitempty" db:"public_key" maxLength:"64" doc:"Public key of the peer. Default: a key pair is generated here, and on update the present one is kept. Another key deletes a private key that is stored here"`
	PresharedKey         *secret.Text `json:"preshared_key,omitempty" db:"-" maxLength:"64" doc:"Preshared key; empty removes it. Left out, the present one is kept"`
	GeneratePresharedKey bool         `json:"generate_preshared_key,omitempty" db:"-" writeOnly:"true" doc:"Generate a new preshared key"`
	AllowedIPs           []string     `json:"allowed_ips,omitempty" db:"allowed_ips" maxItems:"1000" doc:"Networks that are reached through the peer, and that it may send from. Use /32 and /128 for a single device: of a wider network, addresses of other peers are lost. Default: the next free address of the tunnel; for the peer of a client 0.0.0.0/0 and ::/0; on update the present ones"`
	Endpoint             string       `json:"endpoint,omitempty" db:"endpoint" maxLength:"300" doc:"host:port of the peer; required for the peer of a client, else empty if the peer connects" example:"vpn.example.com:51820"`
	Keepalive            *int         `json:"keepalive,omitempty" db:"-" minimum:"0" maximum:"65535" doc:"Seconds between packets that keep the connection open through NAT; 0 for none. Default: 25 for the peer of a client, else 0"`
	Active               *bool        `json:"active,omitempty" db:"active" doc:"Default: true"`
	ExpiresAt            *time.Time   `json:"expires_at,omitempty" db:"expires_at" doc:"The peer no longer has access after this time"`
	Description          string       `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`

	of   owner
	keys *pair // that are new
}

func (t *tunnels) peers() resource.Resource[Peer, PeerInput] {
	return resource.Resource[Peer, PeerInput]{
		Component: wireguard.Name, Noun: "peer", Path: peersPath, Table: "tunnel_peers", Access: api.Viewer,
		Search: []string{"name", "public_key", "allowed_ips", "endpoint", "description"}, Sort: []string{"name", "active", "expires_at", "created_at", "updated_at"},
		Filter: []string{"interface_id", "active"},
		Unique: map[string]string{"tunnel_peers_key": "public_key"},
		Computed: map[string]string{
			"keepalive": "coalesce(keepalive, 0)", "has_private_key": "private_key is not null", "has_preshared_key": "preshared_key is not null",
		},
		Name:     func(p Peer) string { return p.Name },
		Validate: t.validatePeer,
		Derive:   t.derivePeer,
	}
}

// owner is the tunnel of a peer, as far as its peers depend on it.
type owner struct {
	Name, Mode, Address, PublicKey string
	MTU                            int
}

// validatePeer also puts every value into the one form that is stored.
func (t *tunnels) validatePeer(ctx context.Context, tx db.DB, old *Peer, in *PeerInput) error {
	var p fault.Problems
	if err := value.Line(in.Name); err != nil {
		p.AddError("name", err)
	}
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	in.Active = value.OrTrue(in.Active)
	if in.ExpiresAt != nil && (old == nil || old.ExpiresAt == nil || !old.ExpiresAt.Equal(*in.ExpiresAt)) && in.ExpiresAt.Before(t.Now()) {
		p.Add("expires_at", "is in the past")
	}
	if err := resource.MustBe(ctx, tx, &p, "interface_id", "tunnel_interfaces", "interface", in.InterfaceID); err != nil {
		return err
	}
	if err := p.Err(); err != nil {
		return err
	}
	err := tx.QueryRow(ctx, `select name, mode, address_cidr, public_key, coalesce(mtu, 0) from tunnel_interfaces where id = $1`, in.InterfaceID).
		Scan(&in.of.Name, &in.of.Mode, &in.of.Address, &in.of.PublicKey, &in.of.MTU)
	if err != nil {
		return fmt.Errorf("read tunnel %s: %w", in.InterfaceID, err)
	}
	in.judgeKeys(&p, old)
	in.judgeEndpoint(&p)
	if err := p.Err(); err != nil {
		return err
	}
	id := ""
	if old != nil {
		id = old.ID
	}
	others, err := peersOf(ctx, tx, in.InterfaceID, id)
	if err != nil {
		return err
	}
	return in.besideOthers(old, others)
}

// judgeKeys reads the keys, or makes them.
func (in *PeerInput) judgeKeys(p *fault.Problems, old *Peer) {
	switch {
	case in.PublicKey != "":
		key, err := wireguard.ParseKey(in.PublicKey)
		if err != nil {
			p.AddError("public_key", err)
			break
		}
		in.PublicKey = key.String()
		if in.PublicKey == in.of.PublicKey {
			p.Add("public_key", "is the tunnel's own key; enter that of the other side")
		}
	case old != nil:
		in.PublicKey = old.PublicKey
	default:
		keys, err := newPair()
		if err != nil {
			p.AddError("public_key", err)
		}
		in.keys, in.PublicKey = &keys, keys.Public
	}
	if in.GeneratePresharedKey {
		made := newShared()
		in.PresharedKey = &made
	}
	if in.PresharedKey != nil && *in.PresharedKey != "" {
		key, err := wireguard.ParseKey(in.PresharedKey.Reveal())
		if err != nil {
			p.AddError("preshared_key", err)
			return
		}
		canonical := secret.Text(key.String())
		in.PresharedKey = &canonical
	}
}

func (in *PeerInput) judgeEndpoint(p *fault.Problems) {
	if in.Endpoint == "" {
		if in.of.Mode == wireguard.Client {
			p.Add("endpoint", "is required for the peer of a client")
		}
		return
	}
	e, err := wireguard.ParseEndpoint(in.Endpoint)
	if err != nil {
		p.AddError("endpoint", err)
		return
	}
	in.Endpoint = e.String()
}

// neighbour is a peer of the same tunnel.
type neighbour struct {
	ID, Name, PublicKey, Endpoint string
	AllowedIPs                    []netip.Prefix
}

func peersOf(ctx context.Context, tx db.DB, tunnel, but string) ([]neighbour, error) {
	rows, err := db.List[struct {
		ID, Name, PublicKey, Endpoint string
		AllowedIPs                    []string
	}](ctx, tx, `select id::text, name, public_key, endpoint, allowed_ips from tunnel_peers where interface_id = $1 and id::text <> $2 order by name`, tunnel, but)
	if err != nil {
		return nil, fmt.Errorf("list the peers of a tunnel: %w", err)
	}
	out := make([]neighbour, len(rows))
	for i, r := range rows {
		out[i] = neighbour{ID: r.ID, Name: r.Name, PublicKey: r.PublicKey, Endpoint: r.Endpoint}
		out[i].AllowedIPs, _ = wireguard.ParseAllowed(r.AllowedIPs) // what cannot be read is in nobody's way
	}
	return out, nil
}

// besideOthers gives a peer its addresses. The kernel would silently take one from the peer
// that has it.
func (in *PeerInput) besideOthers(old *Peer, others []neighbour) error {
	if i := slices.IndexFunc(others, func(n neighbour) bool { return n.Name == in.Name }); i >= 0 {
		return conflict("name", fault.Said("is taken"))
	}
	if len(in.AllowedIPs) == 0 && old != nil {
		in.AllowedIPs = old.AllowedIPs
	}
	var allowed []netip.Prefix
	var err error
	switch {
	case len(in.AllowedIPs) > 0:
		allowed, err = wireguard.ParseAllowed(in.AllowedIPs)
		if err != nil {
			var p fault.Problems
			p.AddError("allowed_ips", err)
			return p.Err()
		}
	case in.of.Mode == wireguard.Client:
		allowed = everything(in.of.MTU)
	default:
		if allowed, err = propose(in.of.Address, others); err != nil {
			return err
		}
	}
	if in.of.MTU > 0 && in.of.MTU < smallestIPv6 && slices.ContainsFunc(allowed, func(a netip.Prefix) bool { return a.Addr().Is6() }) {
		return fault.At("allowed_ips", "IPv6 needs an MTU of at least %d, and %s has %d", smallestIPv6, in.of.Name, in.of.MTU)
	}
	in.AllowedIPs = make([]string, len(allowed))
	for i, a := range allowed {
		in.AllowedIPs[i] = a.String()
		for _, n := range others {
			if slices.Contains(n.AllowedIPs, a) {
				return conflict("allowed_ips", fault.Said("%s belongs to the peer %s already", a, n.Name))
			}
		}
	}
	return nil
}

func (t *tunnels) derivePeer(_ context.Context, id string, old *Peer, in *PeerInput) (map[string]any, error) {
	values := map[string]any{"keepalive": in.keepalive()}
	switch {
	case in.keys != nil:
		values["private_key"] = t.Box.Seal([]byte(in.keys.Private.Reveal()), wireguard.PeerKeyPlace(id))
	case old != nil && old.PublicKey != in.PublicKey:
		values["private_key"] = nil
	}
	switch {
	case in.PresharedKey == nil:
	case *in.PresharedKey == "":
		values["preshared_key"] = nil
	default:
		values["preshared_key"] = t.Box.Seal([]byte(in.PresharedKey.Reveal()), wireguard.PresharedKeyPlace(id))
	}
	return values, nil
}

// keepalive is null for none.
func (in *PeerInput) keepalive() *int {
	switch usual := clientKeepalive; {
	case in.Keepalive == nil && in.of.Mode == wireguard.Client:
		return &usual
	case in.Keepalive == nil || *in.Keepalive == 0:
		return nil
	}
	return in.Keepalive
}
