package journaltest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// journalctl finds in a file what was written: by unit, by priority, by time and by text.
func TestJournalctlReadsTheFile(t *testing.T) {
	program, err := exec.LookPath("journalctl")
	if err != nil {
		t.Skip("there is no journalctl here")
	}
	begun := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	var entries []Entry
	for i := range 1000 {
		entries = append(entries, Entry{At: begun.Add(time.Duration(i) * time.Second), Fields: []string{
			fmt.Sprintf("MESSAGE=entry %d", i), fmt.Sprintf("PRIORITY=%d", 4+i%3), "_BOOT_ID=0102030405060708090a0b0c0d0e0f10",
			fmt.Sprintf("_SYSTEMD_UNIT=u%d.service", i%7),
		}})
	}
	path := filepath.Join(t.TempDir(), "system.journal")
	if err := Write(path, [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 1, entries); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		what string
		args []string
		want int
	}{
		{"all", nil, 1000},
		{"a unit", []string{"_SYSTEMD_UNIT=u3.service"}, 143},
		{"a priority", []string{"--priority=4"}, 334},
		{"a unit with a priority", []string{"--priority=4", "_SYSTEMD_UNIT=u3.service"}, 48},
		{"a time", []string{fmt.Sprintf("--since=@%d", begun.Unix()+100), fmt.Sprintf("--until=@%d", begun.Unix()+199)}, 100},
		{"a text", []string{"--grep=entry 99[0-9]"}, 10},
		{"nothing", []string{"_SYSTEMD_UNIT=u9.service"}, 0},
	} {
		args := append([]string{"--file", path, "--no-pager", "--quiet", "--reverse", "-o", "cat"}, tc.args...)
		out, err := exec.CommandContext(t.Context(), program, args...).Output()
		if got := strings.Count(string(out), "entry "); got != tc.want {
			t.Errorf("%s: %d entries (%v), want %d", tc.what, got, err, tc.want)
		}
	}
	out, err := exec.CommandContext(t.Context(), program, "--file", path, "--no-pager", "-n1", "-o", "cat").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "entry 999" {
		t.Errorf("the last entry is %q (%v)", out, err)
	}
}
