package haproxyconf

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
)

// LogPlaces are where it is seen whether the access log is written. HAProxy says nothing about it, and of another
// process this one sees no mounts.
type LogPlaces struct {
	Socket string // of the journal
	// Missed is where an upgrade noted the HAProxy that runs without that socket: it was started before its unit mounted
	// it, and is only reloaded since.
	Missed string
	PID    string // where HAProxy writes its process id
}

// NodeLog are the places on a node.
func NodeLog() LogPlaces {
	return LogPlaces{Socket: "/run/systemd/journal." + AccessLog + "/dev-log", Missed: "/run/gateway-access-log-missed", PID: "/run/haproxy.pid"}
}

// off reports whether no access log is written. What cannot be found out is no reason to say so.
func (l LogPlaces) off() bool {
	if l.Socket == "" {
		return false
	}
	at, err := os.Stat(l.Socket)
	if errors.Is(err, fs.ErrNotExist) || err == nil && at.Mode()&fs.ModeSocket == 0 {
		return true
	}
	missed, err := os.ReadFile(l.Missed)
	if err != nil {
		return false
	}
	running, err := os.ReadFile(l.PID)
	return err == nil && len(bytes.TrimSpace(running)) > 0 && bytes.Equal(bytes.TrimSpace(missed), bytes.TrimSpace(running))
}
