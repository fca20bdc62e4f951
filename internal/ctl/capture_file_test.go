package ctl

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
)

// A file keeps what it has until a capture is there, and has nothing of it afterwards.
func TestTheFileOfACaptureIsReplacedByWhatWasRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pcap")
	holds := func(want string) {
		t.Helper()
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("%q, want %q: %v", b, want, err)
		}
	}
	if err := os.WriteFile(path, []byte("an older and longer one"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := outputFile(&cobra.Command{}, path)
	if err != nil {
		t.Fatal(err)
	}
	holds("an older and longer one")
	for _, part := range []string{"new", "er"} {
		if _, err := out.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	holds("newer")
	null, err := outputFile(&cobra.Command{}, os.DevNull) // which cannot be emptied
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if _, err := null.Write([]byte("x")); err != nil {
		t.Error(err)
	}
}
