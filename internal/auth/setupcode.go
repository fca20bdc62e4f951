package auth

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gateway/internal/secret"
	"gateway/internal/secret/privatefile"
)

// setupLength letters are 60 bits: short enough to type from a console, and the guesses are limited.
const setupLength = 12

// EnsureSetupCode returns the setup code kept at path, and makes one like XXXX-XXXX-XXXX
// when there is none. The first comer to the wizard must know it; it is read on the console.
func EnsureSetupCode(path string) (code secret.Text, created bool, err error) {
	code, err = readSetupCode(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return code, false, err
	}
	fresh := readableCode(setupLength, 4)
	err = privatefile.Create(path, []byte(fresh+"\n"), 0o600)
	if errors.Is(err, fs.ErrExist) { // another process was faster: its code counts
		code, err = readSetupCode(path)
		return code, false, err
	}
	if err != nil {
		return "", false, fmt.Errorf("write setup code: %w", err)
	}
	return secret.Text(fresh), true, nil
}

// MatchSetupCode tells whether code is the one kept at path, however it was typed.
// Without a file no code is right.
func MatchSetupCode(path, code string) (bool, error) {
	want, err := readSetupCode(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return sameSecret(normalise(want.Reveal()), normalise(code)), nil
}

// RemoveSetupCode ends the code's life, when setup is complete. A missing file is fine.
func RemoveSetupCode(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove setup code: %w", err)
	}
	return privatefile.SyncDir(filepath.Dir(path))
}

func readSetupCode(path string) (secret.Text, error) {
	data, err := privatefile.Read(path)
	if err != nil {
		return "", fmt.Errorf("read setup code: %w", err)
	}
	code := strings.TrimSpace(string(data))
	if len(normalise(code)) != setupLength {
		return "", fmt.Errorf("setup code file %s is damaged: remove it and restart gateway-api for a new one", path)
	}
	return secret.Text(code), nil
}
