package ctl

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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
	out, err := outputFile(&cobra.Command{}, path, errTerminal)
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
	null, err := outputFile(&cobra.Command{}, os.DevNull, errTerminal) // which cannot be emptied
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if _, err := null.Write([]byte("x")); err != nil {
		t.Error(err)
	}
}

// What others send would be obeyed by the terminal that it is shown on.
func TestACaptureIsNotWrittenToATerminal(t *testing.T) {
	const path = "/dev/ptmx" // a terminal that nobody looks at
	tty, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer tty.Close()
	pipe, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer other.Close()
	for name, tc := range map[string]struct {
		out     *os.File
		path    string
		refused bool
	}{
		"standard output":              {tty, "-", true},
		"a file that is one":           {other, path, true},
		"standard output to a program": {other, "-", false},
	} {
		cmd := &cobra.Command{}
		cmd.SetOut(tc.out)
		out, err := outputFile(cmd, tc.path, errTerminal)
		if tc.refused && (!errors.Is(err, errTerminal) || !strings.Contains(err.Error(), "tcpdump")) || !tc.refused && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			out.Close()
		}
	}
}
