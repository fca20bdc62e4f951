package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
)

// State is what a running lab tells other processes about itself.
type State struct {
	ID    string      `json:"id"`
	Owner int         `json:"owner"` // the pid of the process that opened it
	Hosts []HostState `json:"hosts"`

	Anchor      int    `json:"anchor"`
	AnchorStart string `json:"anchor_start"`
}

// HostState is a node or a client of a running lab.
type HostState struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // "node", or "client"
	IP   string `json:"ip"`
	IP6  string `json:"ip6"`
	On   bool   `json:"on"`

	Guest int      `json:"guest,omitempty"` // the process above a node's nspawn
	Enter []string `json:"enter,omitempty"` // the command prefix of a client
}

func statePath(dir string) string { return filepath.Join(dir, "state.json") }

// saveState is called after every change that another process would see.
func (l *Lab) saveState() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	s := State{ID: l.id, Owner: os.Getpid()}
	nodes := map[*host]*Node{}
	for _, n := range l.nodes {
		nodes[n.host] = n
	}
	for _, h := range l.hosts {
		s.Hosts = append(s.Hosts, h.state(nodes[h]))
	}
	return s.save(l.dir, l.anchor)
}

// save writes the state whole, so that a reader never sees half of it.
func (s State) save(dir string, anchor *holder) error {
	s.Anchor, s.AnchorStart = anchor.pid, startTime(anchor.pid)
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write the lab's state: %w", err)
	}
	tmp := statePath(dir) + ".tmp"
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return fmt.Errorf("write the lab's state: %w", err)
	}
	return os.Rename(tmp, statePath(dir))
}

func (h *host) state(n *Node) HostState {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := HostState{Name: h.name, Kind: "client", IP: h.IP().String(), IP6: h.IP6().String(), On: h.net != nil}
	switch {
	case n == nil && h.net != nil:
		s.Enter = h.disk.enter("--net=" + h.net.netPath())
	case n != nil:
		s.Kind = "node"
		if n.guest != nil {
			s.Guest = n.guest.cmd.Process.Pid
		}
	}
	return s
}

// Prefix is the command line that runs what follows it on the host.
func (s HostState) Prefix() ([]string, error) {
	if s.Kind == "client" && s.On {
		return s.Enter, nil
	}
	if s.Guest == 0 {
		return nil, fmt.Errorf("%s is off", s.Name)
	}
	pid, err := systemdBelow(s.Guest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return enterSystem(pid), nil
}

// Running returns the labs that are open on this machine, of all processes.
func Running() ([]State, error) {
	dirs, err := filepath.Glob(filepath.Join(runDir(), "*-*"))
	if err != nil {
		return nil, fmt.Errorf("list labs: %w", err)
	}
	var out []State
	for _, dir := range dirs {
		s, err := readState(dir)
		if errors.Is(err, os.ErrNotExist) || (err == nil && !s.alive()) {
			continue // not yet open, already closed, or waiting for a sweep
		}
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out, nil
}

func readState(dir string) (State, error) {
	var s State
	b, err := os.ReadFile(statePath(dir))
	if err != nil {
		return s, fmt.Errorf("read a lab's state: %w", err)
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("read the state in %s: %w", dir, err)
	}
	return s, nil
}

// alive says whether the anchor still is the process it was.
func (s State) alive() bool {
	return s.Anchor != 0 && s.AnchorStart != "" && startTime(s.Anchor) == s.AnchorStart
}
