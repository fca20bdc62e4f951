package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

const (
	keyLen   = 32 // AES-256
	keyIDLen = 8
	nonceLen = 12
	tagLen   = 16
)

// Place is where a sealed value lives. It is bound to the value: moved to another row
// or column, by mistake or by somebody with write access to the database, it does not open.
type Place struct {
	Table, Column, Row string
}

func (p Place) String() string { return p.Table + "." + p.Column + " of row " + p.Row }

// data is table|column|row|key id. Table and column are escaped so that no two places
// give the same bytes; for the identifiers we use that changes nothing.
func (p Place) data(keyID string) []byte {
	return []byte(escape.Replace(p.Table) + "|" + escape.Replace(p.Column) + "|" + p.Row + "|" + keyID)
}

// escape is made once: it costs more than all else about a value, and a list of users has ten thousand of them.
var escape = strings.NewReplacer(`\`, `\\`, `|`, `\|`)

func (p Place) complete() bool { return p.Table != "" && p.Column != "" && p.Row != "" }

// Box seals and opens values with the master key by AES-256-GCM. It is safe for
// concurrent use.
type Box struct {
	keyID string
	gcm   cipher.AEAD
}

// NewBox returns the box of a 32-byte key.
func NewBox(key []byte) (*Box, error) {
	if len(key) != keyLen {
		return nil, fmt.Errorf("master key has %d bytes, want %d", len(key), keyLen)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	sum := sha256.Sum256(key)
	return &Box{keyID: hex.EncodeToString(sum[:])[:keyIDLen], gcm: gcm}, nil
}

// KeyID names the master key without telling it. Every sealed value starts with it.
func (b *Box) KeyID() string { return b.keyID }

// Seal encrypts plain for its place: key id, 96-bit random nonce, ciphertext and tag.
// It panics on an incomplete place: such values could be exchanged with each other,
// and only a programming mistake leaves a part out.
func (b *Box) Seal(plain []byte, where Place) []byte {
	if !where.complete() {
		panic(fmt.Sprintf("secret: seal for an incomplete place %+q", [...]string{where.Table, where.Column, where.Row}))
	}
	sealed := make([]byte, 0, keyIDLen+nonceLen+len(plain)+tagLen)
	sealed = append(sealed, b.keyID...)
	return b.gcm.Seal(sealed, nil, plain, where.data(b.keyID))
}

// Open decrypts a value sealed for that same place.
func (b *Box) Open(sealed []byte, where Place) ([]byte, error) {
	plain, err := b.open(sealed, where)
	if err != nil {
		return nil, fmt.Errorf("open secret in %s: %w", where, err)
	}
	return plain, nil
}

// OpenSet is Open for several secrets in one column, by name; nothing sealed is none of them.
func (b *Box) OpenSet(sealed []byte, where Place) (map[string]string, error) {
	set := map[string]string{}
	if sealed == nil {
		return set, nil
	}
	text, err := b.Open(sealed, where)
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(text, &set) != nil { // its error would quote them
		return nil, fmt.Errorf("the secrets in %s are not readable", where)
	}
	return set, nil
}

// Unseal is Open for a secret that is text.
func (b *Box) Unseal(sealed []byte, where Place) (Text, error) {
	plain, err := b.Open(sealed, where)
	return Text(plain), err
}

func (b *Box) open(sealed []byte, where Place) ([]byte, error) {
	if len(sealed) < keyIDLen+nonceLen+tagLen {
		return nil, fmt.Errorf("sealed value has only %d bytes", len(sealed))
	}
	if id := string(sealed[:keyIDLen]); id != b.keyID {
		return nil, fmt.Errorf("sealed with key %q, the master key is %q", id, b.keyID)
	}
	plain, err := b.gcm.Open(nil, nil, sealed[keyIDLen:], where.data(b.keyID))
	if err != nil {
		return nil, errors.New("sealed value is damaged, or was sealed for another place")
	}
	return plain, nil
}
