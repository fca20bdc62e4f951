package secret_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gateway/internal/secret"
)

// shows SEC-06
func TestMasterKeyIsALocalFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.key")
	if _, err := secret.OpenBox(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("open without a file: %v, want not exist", err)
	}
	if err := secret.CreateKeyFile(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode(); got != 0o400 {
		t.Errorf("mode = %v, want 0400", got)
	}
	first, err := secret.OpenBox(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := secret.OpenOrCreateBox(path)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := second.Open(first.Seal([]byte("plain"), here), here)
	if err != nil || string(plain) != "plain" {
		t.Errorf("after a restart = %q, %v, want plain", plain, err)
	}
}

func TestCreateKeyFileNeverReplacesAKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.key")
	if err := secret.CreateKeyFile(path); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	if err := secret.CreateKeyFile(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second create: %v, want exist", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(after, before) {
		t.Error("the key changed")
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%d files, want only the key", len(left))
	}
}

func TestOpenBoxRefusesABadKeyFile(t *testing.T) {
	good := strings.Repeat("ab", 32)
	for _, tc := range []struct {
		name, content string
		mode          fs.FileMode
		want          string
	}{
		{"that the group may read", good, 0o440, "others"},
		{"that the world may read", good, 0o404, "others"},
		{"that is too short", good[:62], 0o400, "32 bytes"},
		{"that is too long", good + "00", 0o400, "32 bytes"},
		{"that is empty", "", 0o400, "32 bytes"},
		{"that is not hex", "zz" + good[2:], 0o400, "32 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "master.key")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, tc.mode); err != nil {
				t.Fatal(err)
			}
			for _, open := range []func(string) (*secret.Box, error){secret.OpenBox, secret.OpenOrCreateBox} {
				_, err := open(path)
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("error = %v, want one with %q", err, tc.want)
				}
				if err != nil && strings.Contains(err.Error(), "abab") {
					t.Errorf("error %q tells the key", err)
				}
			}
		})
	}
}

func TestRandomFileGivesEveryRacerTheSameBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jwt.secret")
	got := make([][]byte, 50)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			value, err := secret.RandomFile(path, 48)
			if err != nil {
				t.Error(err)
			}
			got[i] = value
		})
	}
	wg.Wait()
	for _, value := range got {
		if len(value) != 48 || !bytes.Equal(value, got[0]) {
			t.Fatalf("racers got different or short values (%d bytes)", len(value))
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o400 {
		t.Errorf("file = %v, %v, want mode 0400", info, err)
	}
}
