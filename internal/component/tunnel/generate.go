package tunnel

import (
	"context"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

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
		Description: "Replaces its private key; every peer must be told the new public key before it connects again.",
	}, t.generator("interface", "tunnel_interfaces", wireguard.InterfaceKeyPlace))
	api.Handle(r, api.Op{
		ID: "generate-tunnel-peer-keypair", Method: http.MethodPost, Path: peersPath + "/{id}/generate-keypair", Config: true,
		Summary:     "Generate a new key pair for a peer",
		Description: "Replaces its public key and stores the private key here, so that its configuration can be downloaded; the peer is disconnected until it has that.",
	}, t.generator("peer", "tunnel_peers", wireguard.PeerKeyPlace))
}

// generator replaces the pair in a row.
func (t *tunnels) generator(noun, table string, place func(id string) secret.Place) func(context.Context, *resource.One) (*api.Body[Keys], error) {
	return func(ctx context.Context, in *resource.One) (*api.Body[Keys], error) {
		name, err := t.nameOf(ctx, noun, table, in.ID)
		if err != nil {
			return nil, err
		}
		keys, err := newPair()
		if err != nil {
			return nil, err
		}
		c := change.Change{Component: wireguard.Name, Action: "tunnel." + noun + ".generate_keypair", Subject: name}
		err = t.Run.Run(ctx, c, func(tx change.Tx) error {
			done, err := tx.Exec(ctx, `update `+table+` set public_key = $2, private_key = $3, revision = revision + 1, updated_at = $4 where id = $1`,
				in.ID, keys.Public, t.Box.Seal([]byte(keys.Private.Reveal()), place(in.ID)), t.Now())
			if err == nil && done.RowsAffected() == 0 {
				err = pgx.ErrNoRows // deleted meanwhile
			}
			return err
		})
		if err != nil {
			return nil, db.Fault(err, noun, nil)
		}
		return api.OK(Keys{keys.Public}), nil
	}
}

func (t *tunnels) nameOf(ctx context.Context, noun, table, id string) (name string, err error) {
	if !db.ValidID(id) {
		return "", db.Fault(pgx.ErrNoRows, noun, nil)
	}
	if err := t.DB.QueryRow(ctx, `select name from `+table+` where id = $1`, id).Scan(&name); err != nil {
		return "", db.Fault(fmt.Errorf("read %s %s: %w", noun, id, err), noun, nil)
	}
	return name, nil
}
