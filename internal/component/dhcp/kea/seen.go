package kea

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/google/renameio/v2"
)

// SeenPath is where gateway-apply keeps since when clients have their addresses and names: a
// name stays with who took it first, also after a restart.
const SeenPath = "/var/lib/gateway-apply/dhcp-seen.json"

// saveEvery is how often that is written, where it changed.
const saveEvery = 10 * time.Second

// seen is what Kea's leases do not tell.
type seen struct {
	Address  netip.Addr `json:"address"`
	MAC      string     `json:"mac,omitempty"`
	ClientID string     `json:"client_id,omitempty"`
	Label    string     `json:"label,omitempty"`
	First    time.Time  `json:"first"`
	Named    time.Time  `json:"named"`
}

// recall notes what was known before a restart. None of it is a lease: Kea says which are.
func (t *table) recall(all []seen) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.leases != nil {
		return
	}
	t.leases = make(map[netip.Addr]Lease, len(all))
	for _, s := range all {
		t.leases[s.Address] = Lease{Address: s.Address, MAC: s.MAC, ClientID: s.ClientID, Hostname: s.Label, FirstSeen: s.First, NamedSince: s.Named}
	}
}

// toSave is what to keep, by address; false where that is as it was the last time.
func (t *table) toSave() (out []seen, changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.changed {
		return nil, false
	}
	t.changed = false
	for _, l := range t.leases {
		out = append(out, seen{l.Address, l.MAC, l.ClientID, Label(l.Hostname), l.FirstSeen, l.NamedSince})
	}
	slices.SortFunc(out, func(a, b seen) int { return a.Address.Compare(b.Address) })
	return out, true
}

// recall reads the file. One that is missing or damaged costs the times, and nothing else.
func (s *server) recall(ctx context.Context) {
	if s.Seen == "" {
		return
	}
	var all []seen
	data, err := os.ReadFile(s.Seen)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		s.Log.WarnContext(ctx, "read since when clients have their addresses", "err", err)
		return
	}
	s.leases.recall(all)
}

// keepSeen writes the file from time to time, and at the end.
func (s *server) keepSeen(ctx context.Context) error {
	if s.Seen == "" {
		return nil
	}
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		if err := s.saveSeen(); err != nil {
			s.Log.WarnContext(ctx, "keep since when clients have their addresses", "err", err)
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

func (s *server) saveSeen() error {
	all, changed := s.leases.toSave()
	if !changed {
		return nil
	}
	data, err := json.Marshal(all)
	if err == nil {
		err = renameio.WriteFile(s.Seen, data, 0o600)
	}
	if err != nil {
		s.leases.mu.Lock()
		s.leases.changed = true // it is tried again
		s.leases.mu.Unlock()
		return fmt.Errorf("write %s: %w", s.Seen, err)
	}
	return nil
}
