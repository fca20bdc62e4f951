package tunnel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"net/http"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret"
)

// downloadRoutes give out a private key, so they are for those who could replace it, and each
// time is in the audit log.
func (t *tunnels) downloadRoutes(r api.Router) {
	for _, at := range []struct{ id, path string }{{"tunnel-peer", peersPath}, {"peer", "/peers"}} {
		api.Raw(r, api.Op{
			ID: at.id + "-config", Method: http.MethodGet, Path: at.path + "/{id}/config",
			Summary: "Configuration of a peer, as text",
			Description: "For WireGuard on the peer, in the form of wg-quick. It contains the peer's private key, so it needs has_private_key; otherwise the response is 409. " +
				"Every download is in the audit log.",
		}, "text/plain; charset=utf-8", t.downloads(asText))
		api.Raw(r, api.Op{
			ID: at.id + "-qr", Method: http.MethodGet, Path: at.path + "/{id}/qr",
			Summary:     "Configuration of a peer, as QR code",
			Description: "A PNG image with the same text, for the WireGuard app of a phone; 409 without has_private_key. Every download is in the audit log.",
		}, "image/png", t.downloads(asQR))
	}
}

func (t *tunnels) downloads(form func(text string) ([]byte, error)) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		text, err := t.peerConfig(r.Context(), r.PathValue("id"))
		if err != nil {
			return err
		}
		body, err := form(text.Reveal())
		if err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(body) // the caller hung up
		return nil
	}
}

func asText(text string) ([]byte, error) { return []byte(text), nil }

// module is how many pixels a point of the code has, and quiet how many points of white the
// standard wants around it.
const (
	module = 6
	quiet  = 4
)

func asQR(text string) ([]byte, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil { // with less redundancy it takes more
		code, err = qr.Encode(text, qr.L, qr.Auto)
	}
	if err != nil {
		return nil, fault.New(fault.Conflict, "the configuration is too long for a QR code; download it as a file").WithCode("too_long")
	}
	side := code.Bounds().Dx() * module
	if code, err = barcode.Scale(code, side, side); err != nil {
		return nil, fmt.Errorf("scale a QR code: %w", err)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, framed{code, quiet * module}); err != nil {
		return nil, fmt.Errorf("encode a QR code: %w", err)
	}
	return out.Bytes(), nil
}

// peerConfig is the text, once the audit log has it that somebody was given it.
func (t *tunnels) peerConfig(ctx context.Context, id string) (secret.Text, error) {
	if !db.ValidID(id) {
		return "", db.Fault(pgx.ErrNoRows, "peer", nil)
	}
	row, err := t.given(ctx, id)
	if err != nil {
		return "", err
	}
	var text secret.Text
	c := change.Change{Component: wireguard.Name, Action: "tunnel.peer.download", Subject: row.Name}
	err = t.Run.Act(ctx, c, func(context.Context) (err error) {
		text, err = t.write(id, row)
		return err
	})
	return text, err
}

// given is what a peer's configuration is made of.
type given struct {
	Name       string
	AllowedIPs []string
	Keepalive  int
	Private    []byte
	Shared     []byte

	Tunnel, Mode, Address, Routes, Endpoint, DNS, PublicKey string
	Port, MTU                                               int
}

func (t *tunnels) given(ctx context.Context, id string) (g given, err error) {
	all, err := db.List[given](ctx, t.DB, `select p.name, p.allowed_ips, coalesce(p.keepalive, 0), p.private_key, p.preshared_key,
		i.name, i.mode, i.address_cidr, i.client_routes, i.endpoint, i.dns, i.public_key, coalesce(i.listen_port, 0), coalesce(i.mtu, 0)
		from tunnel_peers p join tunnel_interfaces i on i.id = p.interface_id where p.id = $1`, id)
	if err != nil {
		return g, fmt.Errorf("read peer %s: %w", id, err)
	}
	if len(all) == 0 {
		return g, db.Fault(pgx.ErrNoRows, "peer", nil)
	}
	g = all[0]
	switch {
	case g.Private == nil:
		return g, fault.New(fault.Conflict, "the private key of this peer is not known here, because its key pair was not generated here; generate a new one, or configure the peer by hand").
			WithCode("no_private_key")
	case g.Mode != wireguard.Server:
		return g, fault.New(fault.Conflict, "%s is a client; only peers of a server get a configuration", g.Tunnel).WithCode("not_a_server")
	case g.Endpoint == "":
		return g, fault.New(fault.Conflict, "%s has no endpoint; enter the name or address under which peers reach this node", g.Tunnel).WithCode("no_endpoint")
	}
	return g, nil
}

// write opens the secrets and makes the text.
func (t *tunnels) write(id string, g given) (secret.Text, error) {
	private, err := t.Box.Unseal(g.Private, wireguard.PeerKeyPlace(id))
	if err != nil {
		return "", errors.Join(fault.New(fault.Conflict, "the keys of this peer cannot be decrypted; generate new ones").WithCode("keys_unreadable"), err)
	}
	var shared secret.Text
	if g.Shared != nil {
		if shared, err = t.Box.Unseal(g.Shared, wireguard.PresharedKeyPlace(id)); err != nil {
			return "", errors.Join(fault.New(fault.Conflict, "the keys of this peer cannot be decrypted; generate new ones").WithCode("keys_unreadable"), err)
		}
	}
	return g.text(private, shared)
}
