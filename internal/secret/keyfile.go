package secret

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"gateway/internal/secret/privatefile"
)

// keyMode lets nobody write: a key that changes makes every sealed value unreadable.
const keyMode fs.FileMode = 0o400

// OpenBox loads the master key from the hex file at path. It refuses a file that
// others than its owner may read.
func OpenBox(path string) (*Box, error) {
	key, err := readHex(path, keyLen)
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	return NewBox(key)
}

// CreateKeyFile makes a new master key at path. It never replaces one: fs.ErrExist.
func CreateKeyFile(path string) error {
	if err := createHex(path, keyLen); err != nil {
		return fmt.Errorf("create master key: %w", err)
	}
	return nil
}

// OpenOrCreateBox is OpenBox for the first start, when there is no key yet.
func OpenOrCreateBox(path string) (*Box, error) {
	key, err := RandomFile(path, keyLen)
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	return NewBox(key)
}

// RandomFile returns the n random bytes kept as hex in the file at path, which it makes
// when it is missing. Processes that race for the first start all get the same bytes.
func RandomFile(path string, n int) ([]byte, error) {
	value, err := readHex(path, n)
	if !errors.Is(err, fs.ErrNotExist) {
		return value, err
	}
	if err := createHex(path, n); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return readHex(path, n) // what is on disk counts: another process may have won
}

func createHex(path string, n int) error {
	value := make([]byte, n)
	_, _ = rand.Read(value) // never fails: crypto/rand crashes the program instead
	return privatefile.Create(path, append(hex.AppendEncode(nil, value), '\n'), keyMode)
}

func readHex(path string, n int) ([]byte, error) {
	data, err := privatefile.Read(path)
	if err != nil {
		return nil, err
	}
	// The error of package hex would quote a byte of the secret.
	value, err := hex.AppendDecode(nil, bytes.TrimSpace(data))
	if err != nil || len(value) != n {
		return nil, fmt.Errorf("%s does not hold %d bytes as hex", path, n)
	}
	return value, nil
}
