// Package backup holds what making, verifying and restoring backups have in common: the keys of the
// archives and the list of the files that travel. The file format is package archive's, the rows are
// package dump's, and when a backup is made is left to the component.
package backup

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"filippo.io/age"

	"gateway/internal/backup/archive"
	"gateway/internal/secret/privatefile"
)

// KeyFile is the name of the keys below the state folder. It does not travel: each node has its own.
const KeyFile = "backup.key"

const keyMode fs.FileMode = 0o400

// workFactor is scrypt's: 64 MiB and a quarter of a second, once per passphrase that is set or used. What
// asks for more was not made here, and is refused before it takes more.
const workFactor = 16

// ErrPassphrase is a passphrase that does not open the archive, and ErrNoPassphrase an archive that
// none opens.
var (
	ErrPassphrase   = errors.New("the passphrase is not the one of this archive")
	ErrNoPassphrase = errors.New("the archive was made before a passphrase was set: only the node that made it can read it")
)

// Keys are those of this node: its identity, which reads every archive that it makes, the key of their
// MACs, and the recipient whose identity only the passphrase opens. The passphrase is kept nowhere.
type Keys struct {
	identity *age.X25519Identity
	mac      []byte
	escrow   *age.X25519Recipient // nil without a passphrase
	wrapped  []byte
}

// stored is the content of the file.
type stored struct {
	Version  int    `json:"version"`
	Identity string `json:"identity"`
	MAC      []byte `json:"mac"`
	Escrow   string `json:"escrow,omitempty"`
	Wrapped  []byte `json:"wrapped,omitempty"`
}

// OpenKeys reads the file at path and makes it at the first call. Processes that race for that all get
// the same keys.
func OpenKeys(path string) (*Keys, error) {
	k, err := readKeys(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	fresh, err := newKeys()
	if err != nil {
		return nil, err
	}
	data, err := fresh.encode()
	if err != nil {
		return nil, err
	}
	if err := privatefile.Create(path, data, keyMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make the keys of the backups: %w", err)
	}
	return readKeys(path) // what is on disk counts: another process may have won
}

func newKeys() (*Keys, error) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	mac := make([]byte, 32)
	_, _ = rand.Read(mac) // never fails: crypto/rand crashes the program instead
	return &Keys{identity: identity, mac: mac}, nil
}

func readKeys(path string) (*Keys, error) {
	data, err := privatefile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("keys of the backups: %w", err)
	}
	k, err := decodeKeys(data)
	if err != nil { // which does not quote the content
		return nil, fmt.Errorf("keys of the backups: %s: %w", path, err)
	}
	return k, nil
}

func decodeKeys(data []byte) (*Keys, error) {
	var s stored
	if json.Unmarshal(data, &s) != nil || s.Version != 1 || len(s.MAC) != 32 || (s.Escrow == "") != (len(s.Wrapped) == 0) {
		return nil, errors.New("the file is damaged")
	}
	k := &Keys{mac: s.MAC, wrapped: s.Wrapped}
	var err error
	if k.identity, err = age.ParseX25519Identity(s.Identity); err != nil {
		return nil, errors.New("the identity is damaged")
	}
	if s.Escrow != "" {
		if k.escrow, err = age.ParseX25519Recipient(s.Escrow); err != nil {
			return nil, errors.New("the escrow recipient is damaged")
		}
	}
	return k, nil
}

func (k *Keys) encode() ([]byte, error) {
	s := stored{Version: 1, Identity: k.identity.String(), MAC: k.mac, Wrapped: k.wrapped}
	if k.escrow != nil {
		s.Escrow = k.escrow.String()
	}
	data, err := json.Marshal(s)
	return append(data, '\n'), err
}

func (k *Keys) String() string   { return "<redacted>" }
func (k *Keys) GoString() string { return "<redacted>" }

// SetPassphrase makes a new escrow identity that only the passphrase opens, and writes the file at path.
// Archives from before keep the passphrase that they were made with.
func (k *Keys) SetPassphrase(path, passphrase string) error {
	if passphrase == "" {
		return errors.New("the passphrase is empty")
	}
	unlock, err := privatefile.Lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	current, err := readKeys(path)
	if err != nil {
		return err
	}
	escrow, err := age.GenerateX25519Identity()
	if err != nil {
		return err
	}
	next := *current
	next.escrow = escrow.Recipient()
	if next.wrapped, err = wrap(escrow, current.mac, passphrase); err != nil {
		return err
	}
	data, err := next.encode()
	if err != nil {
		return err
	}
	if err := privatefile.Replace(path, data, keyMode); err != nil {
		return fmt.Errorf("write the keys of the backups: %w", err)
	}
	*k = next
	return nil
}

// HasPassphrase reports whether what is made with these keys can be read on another node.
func (k *Keys) HasPassphrase() bool { return k.escrow != nil }

// Escrow is what goes into the header of each archive.
func (k *Keys) Escrow() []byte { return k.wrapped }

// Sealing is for writing an archive.
func (k *Keys) Sealing() archive.Sealing {
	to := []*age.X25519Recipient{k.identity.Recipient()}
	if k.escrow != nil {
		to = append(to, k.escrow)
	}
	return archive.Sealing{Recipients: to, MAC: k.mac}
}

// Opening is for reading the archives of this node.
func (k *Keys) Opening() (archive.Opening, error) { return archive.NewOpening(k.identity, k.mac) }

// FromPassphrase is for reading an archive of whatever node with the passphrase that it was made with.
// It takes 64 MiB for a quarter of a second.
func FromPassphrase(h archive.Header, passphrase string) (archive.Opening, error) {
	if len(h.Escrow) == 0 {
		return archive.Opening{}, ErrNoPassphrase
	}
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return archive.Opening{}, ErrPassphrase
	}
	identity.SetMaxWorkFactor(workFactor)
	plain, err := age.Decrypt(bytes.NewReader(h.Escrow), identity)
	var none *age.NoIdentityMatchError
	if errors.As(err, &none) {
		return archive.Opening{}, ErrPassphrase
	}
	if err != nil {
		return archive.Opening{}, fmt.Errorf("%w: its escrow: %w", archive.ErrDamaged, err)
	}
	data, err := io.ReadAll(io.LimitReader(plain, 4<<10))
	if err != nil {
		return archive.Opening{}, fmt.Errorf("%w: %w", archive.ErrDamaged, err)
	}
	return archive.ParseOpening(data)
}

func wrap(escrow *age.X25519Identity, mac []byte, passphrase string) ([]byte, error) {
	opening, err := archive.NewOpening(escrow, mac)
	if err != nil {
		return nil, err
	}
	data, err := opening.Reveal()
	if err != nil {
		return nil, err
	}
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, err
	}
	recipient.SetWorkFactor(workFactor)
	var out bytes.Buffer
	w, err := age.Encrypt(&out, recipient)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
