package haproxyconf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// LogPlaces are where it is seen whether the access log is written. HAProxy says nothing about it, and of another
// process this one sees no mounts.
type LogPlaces struct {
	Socket string // of the journal
	// Bound is where HAProxy's unit notes at its start, by process id, device and inode, which folder it has in place of
	// that of the socket: one that was not there then, or was made anew since, HAProxy sees only once it is restarted.
	Bound string
	PID   string // where HAProxy writes its process id
}

// NodeLog are the places on a node.
func NodeLog() LogPlaces {
	return LogPlaces{Socket: "/run/systemd/journal." + AccessLog + "/dev-log", Bound: "/run/gateway-access-log", PID: "/run/haproxy.pid"}
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
	note, err := os.ReadFile(l.Bound)
	if err != nil {
		return false
	}
	running, err := os.ReadFile(l.PID)
	noted := strings.Fields(string(note))
	if err != nil || len(noted) != 2 || noted[0] != strings.TrimSpace(string(running)) {
		return false
	}
	folder, err := inode(filepath.Dir(l.Socket))
	return err == nil && noted[1] != folder
}

// inode is a file by its device and inode, as stat -c %d:%i says it.
func inode(path string) (string, error) {
	at, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	s, ok := at.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("it has no inode")
	}
	return fmt.Sprintf("%d:%d", s.Dev, s.Ino), nil
}
