package sys

import "time"

// Host reads what this machine says about itself. It needs no privilege.
type Host struct {
	now func() time.Time
	// Where to look; tests point them at a folder of their own.
	proc      string
	osRelease []string
	machineID string
}

// NewHost reads the machine we run on.
func NewHost(now func() time.Time) *Host {
	return &Host{
		now:       now,
		proc:      "/proc",
		osRelease: []string{"/etc/os-release", "/usr/lib/os-release"},
		machineID: "/etc/machine-id",
	}
}
