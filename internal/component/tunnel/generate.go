package tunnel

import (
	"context"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/db"
	"gateway/internal/resource"
	"gateway/internal/secret"
)

// Keys are those of a pair that was made here, as far as they may be read.
type Keys struct {
	PublicKey string `json:"public_key" doc:"The new public key"`
}

func (t *tunnels) generateRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "generate-tunnel-interface-keypair", Method: http.MethodPost, Path: interfacesPath + "/{id}/generate-keypair", Config: true,
		Summary:     "Generate a new key pair for a tunnel",
		Description: "Replaces its private key; every peer must be told the new public key before it connects again. Send the ETag as If-Match.",
	}, t.generator(t.interfaces().Set, wireguard.InterfaceKeyPlace))
	api.Handle(r, api.Op{
		ID: "generate-tunnel-peer-keypair", Method: http.MethodPost, Path: peersPath + "/{id}/generate-keypair", Config: true,
		Summary:     "Generate a new key pair for a peer",
		Description: "Replaces its public key and stores the private key here, so that its configuration can be downloaded; the peer is disconnected until it has that. Send the ETag as If-Match.",
	}, t.generator(t.peers().Set, wireguard.PeerKeyPlace))
}

// setter writes columns of a row, held against the version that the caller knows.
type setter func(ctx context.Context, q db.DB, run *change.Runner, verb string, in *resource.Versioned, columns map[string]any) error

// generator replaces the pair in a row.
func (t *tunnels) generator(set setter, place func(id string) secret.Place) func(context.Context, *resource.Versioned) (*api.Body[Keys], error) {
	return func(ctx context.Context, in *resource.Versioned) (*api.Body[Keys], error) {
		keys, err := newPair()
		if err != nil {
			return nil, err
		}
		sealed := t.Box.Seal([]byte(keys.Private.Reveal()), place(in.ID))
		if err := set(ctx, t.DB, t.Run, "generate_keypair", in, map[string]any{"public_key": keys.Public, "private_key": sealed}); err != nil {
			return nil, err
		}
		return api.OK(Keys{keys.Public}), nil
	}
}
