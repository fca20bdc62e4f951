package sys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Health names the machine and the system it runs.
type Health struct {
	Hostname string `json:"hostname"`
	OS       string `json:"os"`
	Kernel   string `json:"kernel"`
	// MachineID is confidential by machine-id(5), so it never leaves in an answer.
	MachineID string `json:"-"`
}

// Health answers on every machine that boots: what is unknown is left empty.
func (h *Host) Health() (Health, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return Health{}, fmt.Errorf("read the kernel release: %w", err)
	}
	pretty, err := readFirst(h.osRelease)
	if err != nil {
		return Health{}, fmt.Errorf("read the system name: %w", err)
	}
	id, err := readFirst([]string{h.machineID})
	if err != nil {
		return Health{}, fmt.Errorf("read the machine id: %w", err)
	}
	return Health{
		Hostname:  unix.ByteSliceToString(u.Nodename[:]),
		OS:        prettyName(pretty),
		Kernel:    unix.ByteSliceToString(u.Release[:]),
		MachineID: machineID(id),
	}, nil
}

// readFirst returns the first of the files that exists, and "" when none does.
func readFirst(paths []string) (string, error) {
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return string(data), err
	}
	return "", nil
}

// machineID leaves out the word that systemd keeps in the file until the first boot
// has drawn an id: two nodes must never agree on it.
func machineID(file string) string {
	id := strings.TrimSpace(file)
	if id == "uninitialized" {
		return ""
	}
	return id
}

// prettyName finds PRETTY_NAME; os-release(5) says that "Linux" stands in for it.
func prettyName(file string) string {
	name := ""
	for line := range strings.Lines(file) {
		// A later assignment wins, as in the shell that the format borrows from.
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			name = unquote(value)
		}
	}
	if name == "" {
		return "Linux"
	}
	return name
}

// unquote reads one shell word: single quotes keep everything, double quotes and bare
// words know the backslash.
func unquote(s string) string {
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return s[1 : len(s)-1]
	}
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
