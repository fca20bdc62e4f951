package tunnel

import (
	"crypto/ecdh"
	"crypto/rand"
	"fmt"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/secret"
)

// pair is a private key with its public one, as everybody writes them.
type pair struct {
	Public  string
	Private secret.Text
}

func newPair() (pair, error) {
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return pair{}, fmt.Errorf("make a key pair: %w", err)
	}
	k := wireguard.Key(key.Bytes())
	// The curve clamps when it multiplies; wg and others want to see it in the key.
	k[0] &= 248
	k[31] = k[31]&127 | 64
	return pairOf(k)
}

// pairOf works out the public key.
func pairOf(private wireguard.Key) (pair, error) {
	key, err := ecdh.X25519().NewPrivateKey(private[:])
	if err != nil {
		return pair{}, fmt.Errorf("read a private key: %w", err)
	}
	return pair{wireguard.Key(key.PublicKey().Bytes()).String(), secret.Text(private.String())}, nil
}

// newShared makes a preshared key.
func newShared() secret.Text {
	var k wireguard.Key
	_, _ = rand.Read(k[:]) // never fails
	return secret.Text(k.String())
}
