package archive

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"

	"filippo.io/age"
)

// Sealing is what an archive is written with: who can read it, and the key of its MAC.
type Sealing struct {
	Recipients []*age.X25519Recipient
	MAC        []byte
}

// Opening is what an archive is read with. It holds secrets, and prints none.
type Opening struct {
	identity *age.X25519Identity
	mac      []byte
}

// NewOpening makes one of an identity and the key of the MAC.
func NewOpening(identity *age.X25519Identity, mac []byte) (Opening, error) {
	if identity == nil || len(mac) != macSize {
		return Opening{}, errors.New("the key of the archive is incomplete")
	}
	return Opening{identity, mac}, nil
}

func (o Opening) String() string   { return "<redacted>" }
func (o Opening) GoString() string { return "<redacted>" }

type openingText struct {
	Identity string `json:"identity"`
	MAC      []byte `json:"mac"`
}

// Reveal writes the secrets down, for the one process that is to read an archive in our place.
func (o Opening) Reveal() ([]byte, error) {
	return json.Marshal(openingText{o.identity.String(), o.mac})
}

// ParseOpening reads what Reveal wrote.
func ParseOpening(data []byte) (Opening, error) {
	var t openingText
	if err := decode(data, &t); err != nil {
		return Opening{}, errors.New("the key of the archive is not what was expected") // the error could quote it
	}
	identity, err := age.ParseX25519Identity(t.Identity)
	if err != nil {
		return Opening{}, fmt.Errorf("the key of the archive: %w", errors.New("not an identity"))
	}
	return NewOpening(identity, t.MAC)
}

func newMAC(key []byte) hash.Hash { return hmac.New(sha256.New, key) }
