package wireguard

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"net/netip"
	"sync"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/rtnl/forecast"
	"gateway/internal/secret"
)

// row types: the columns in the order of their queries.
type (
	tunnelRow struct {
		ID, Name, Mode, Address string
		Port, MTU               int
		PublicKey               string
		PrivateKey              []byte
	}
	peerRow struct {
		ID, Interface, Name, PublicKey string
		PresharedKey                   []byte
		Allowed                        []string
		Endpoint                       string
		Keepalive                      int
		ExpiresAt                      *time.Time
	}
)

// state is what the files are made of, and what a change of it is judged beside.
type state struct {
	Config
	keys   Keys
	sealed int // tunnels whose key is lost: it cannot be decrypted, and is not installed
	others forecast.Rows

	installed func() Keys
}

func (d *tunnels) load(ctx context.Context, q db.DB, unseal daemon.Unseal) (state, error) {
	s, err := load(ctx, q, unseal, sync.OnceValue(d.installed))
	s.others = forecast.Rows{Sources: d.Routing, DB: q}
	return s, err
}

// load reads what is active. Whether a peer has expired is asked when it is applied: that
// changes without a change of rows.
func load(ctx context.Context, q db.DB, unseal daemon.Unseal, installed func() Keys) (s state, err error) {
	s.keys, s.installed = newKeys(), installed
	tunnels, err := db.List[tunnelRow](ctx, q, `select id, name, mode, address_cidr, coalesce(listen_port, 0), coalesce(mtu, 0), public_key, private_key
		from tunnel_interfaces where active order by name`)
	if err != nil {
		return s, fmt.Errorf("read tunnels: %w", err)
	}
	peers, err := db.List[peerRow](ctx, q, `select id, interface_id, name, public_key, preshared_key, allowed_ips, endpoint, coalesce(keepalive, 0), expires_at
		from tunnel_peers where active order by interface_id, public_key`)
	if err != nil {
		return s, fmt.Errorf("read peers of tunnels: %w", err)
	}
	of := map[string][]peerRow{}
	for _, p := range peers {
		of[p.Interface] = append(of[p.Interface], p)
	}
	for _, r := range tunnels {
		s.take(r, of[r.ID], unseal)
	}
	return s, nil
}

// skip notes a row that is no configuration. The API stores none, but rows may be older than
// its rules, or written by another hand.
func (s *state) skip(subject string, why fault.Sentence) {
	s.skipped = append(s.skipped, daemon.Problem{Subject: subject, Sentence: why})
}

func (s *state) take(r tunnelRow, peers []peerRow, unseal daemon.Unseal) {
	t := Tunnel{ID: r.ID, Name: r.Name, Mode: r.Mode, Port: r.Port, MTU: r.MTU}
	if why, is := r.flaw(&t); is {
		s.skip("tunnel "+r.Name, why)
		return
	}
	private, err := unseal(r.PrivateKey, InterfaceKeyPlace(r.ID))
	if err != nil {
		if kept, is := s.rescued(r); is {
			private, err = kept, nil
		}
	}
	if why, is := keyFlaw(private, err); is {
		s.skip("tunnel "+r.Name, why)
		return
	}
	s.keys.Private[t.Name] = private
	for _, p := range peers {
		s.takePeer(&t, r, p, unseal)
	}
	s.duplicateNetworks(t)
	s.Tunnels = append(s.Tunnels, t)
}

// flaw is what is wrong with a row in itself; otherwise t has its addresses.
func (r tunnelRow) flaw(t *Tunnel) (why fault.Sentence, is bool) {
	if !ValidName(r.Name) {
		return fault.Said("is not the name of an interface"), true
	}
	var err error
	if t.Addresses, err = ParseAddresses(r.Address); err != nil {
		return fault.Said("has an invalid address"), true
	}
	if r.Mode != Server && r.Mode != Client {
		return fault.Said("has an unknown type"), true
	}
	return why, false
}

// keyFlaw is what is wrong with a stored key. One that cannot be decrypted is no reason to leave
// the others out: after a restore under another master key each is replaced by itself.
func keyFlaw(k secret.Text, err error) (why fault.Sentence, is bool) {
	if err != nil {
		return fault.Said("has a key that cannot be decrypted; generate a new one"), true
	}
	return fault.Said("has an invalid key"), !isKey(k)
}

// isKey also takes what a preview has instead of one.
func isKey(k secret.Text) bool {
	_, err := ParseKey(k.Reveal())
	return err == nil || k.Reveal() == secret.Redacted
}

func (s *state) takePeer(t *Tunnel, of tunnelRow, r peerRow, unseal daemon.Unseal) {
	p := Peer{ID: r.ID, PublicKey: r.PublicKey, Endpoint: r.Endpoint, Keepalive: r.Keepalive, Preshared: r.PresharedKey != nil}
	subject := "peer " + r.Name + " of tunnel " + t.Name
	if why, is := r.flaw(&p, of); is {
		s.skip(subject, why)
		return
	}
	if r.ExpiresAt != nil {
		p.ExpiresAt = r.ExpiresAt.UTC()
	}
	if p.Preshared {
		shared, err := unseal(r.PresharedKey, PresharedKeyPlace(r.ID))
		if err != nil {
			if kept, is := s.rescuedShared(PeerKey{t.Name, r.PublicKey}, r.Name); is {
				shared, err = kept, nil
			}
		}
		if why, is := keyFlaw(shared, err); is {
			s.skip(subject, why)
			return
		}
		s.keys.Preshared[PeerKey{t.Name, p.PublicKey}] = shared
	}
	t.Peers = append(t.Peers, p)
}

func (r peerRow) flaw(p *Peer, of tunnelRow) (why fault.Sentence, is bool) {
	key, err := ParseKey(r.PublicKey)
	if err != nil || key.String() != r.PublicKey {
		return fault.Said("has an invalid key"), true
	}
	if r.PublicKey == of.PublicKey {
		return fault.Said("has the key of the tunnel itself"), true
	}
	if p.AllowedIPs, err = ParseAllowed(r.Allowed); err != nil {
		return fault.Said("has invalid allowed IPs"), true
	}
	if r.Endpoint != "" {
		e, err := ParseEndpoint(r.Endpoint)
		if err != nil {
			return fault.Said("has an invalid endpoint"), true
		}
		p.Endpoint = e.String()
	}
	return why, false
}

// duplicateNetworks names networks that two peers of a tunnel have: the kernel gives them to the last one
// without a word. Peers that expire may make room for each other.
func (s *state) duplicateNetworks(t Tunnel) {
	owner := map[netip.Prefix]bool{}
	for _, p := range t.Peers {
		for _, n := range p.AllowedIPs {
			if owner[n] {
				s.skip("network "+n.String()+" of tunnel "+t.Name, fault.Said("is allowed to two peers; the first one has it"))
			}
			owner[n] = owner[n] || p.ExpiresAt.IsZero()
		}
	}
}

func render(s state) (daemon.Rendering, error) {
	if s.sealed > 0 && len(s.Tunnels) == 0 {
		// Not even the installed ones are there to be read: what runs stays as it is.
		return daemon.Rendering{}, fault.New(fault.Invalid,
			"no key of a tunnel can be decrypted with this node's master key; generate new ones, or put the right master key back").WithCode("keys_unreadable")
	}
	return daemon.Rendering{Problems: s.skipped, Files: []daemon.File{
		{Path: KeyPath, Mode: s.keys.mode(), Data: s.keys.Text()},
		{Path: Path, Mode: 0o644, Data: s.Config.Text()},
	}}, nil
}

// mode is that of the file of keys: only root reads it. That of a preview has none of them, and
// must not be confidential: then nothing of it would be shown, not even which keys there are.
func (k Keys) mode() fs.FileMode {
	redacted := 0
	for _, all := range []iter.Seq[secret.Text]{maps.Values(k.Private), maps.Values(k.Preshared)} {
		for key := range all {
			if key.Reveal() != secret.Redacted {
				return 0o600
			}
			redacted++
		}
	}
	if redacted == 0 {
		return 0o600
	}
	return 0o644
}

// needed is what the packet filter opens and masquerades for: one for each network.
func needed(ctx context.Context, q db.DB) ([]daemon.Tunnel, error) {
	rows, err := db.List[tunnelRow](ctx, q, `select id, name, mode, address_cidr, coalesce(listen_port, 0), coalesce(mtu, 0), public_key, null::bytea
		from tunnel_interfaces where active and mode = 'server' order by name`)
	if err != nil {
		return nil, fmt.Errorf("read tunnels: %w", err)
	}
	var out []daemon.Tunnel
	for _, r := range rows {
		var t Tunnel
		if _, is := r.flaw(&t); is || r.Port == 0 {
			continue // which the rendering names
		}
		for _, a := range t.Addresses {
			out = append(out, daemon.Tunnel{Iface: r.Name, Subnet: a.Masked(), Port: r.Port, Server: true, Active: true})
		}
	}
	return out, nil
}
