package netstate

import (
	"encoding/json"
	"os"
	"slices"

	"gateway/internal/rtnl"
)

// MTUPath has the MTUs of before. It ends with the kernel's own.
const MTUPath = "/run/gateway-apply/network-mtu.json"

// mtus are what links had before an MTU was configured for them. One that is no longer
// configured goes back to it: a change that is taken back must not leave a link on which IPv6
// no longer runs.
type mtus struct {
	path string // empty for nowhere
	had  map[string]mtu
	read bool
}

type mtu struct {
	Link  int `json:"link"` // the kernel's number: another link of the name is another one
	Bytes int `json:"bytes"`
}

// recall reads what was before this process.
func (m *mtus) recall() {
	if m.read {
		return
	}
	m.read, m.had = true, map[string]mtu{}
	data, err := os.ReadFile(m.path)
	if err != nil {
		return // nothing was set since the boot, or nobody knows
	}
	if json.Unmarshal(data, &m.had) != nil {
		m.had = map[string]mtu{}
	}
}

// wanted is a configuration in which what is to go back is configured.
func (m *mtus) wanted(c Config, have Kernel) Config {
	m.recall()
	if len(m.had) == 0 {
		return c
	}
	c.Links = slices.Clone(c.Links)
	for _, l := range have.Links {
		had, ok := m.had[l.Name]
		if !ok || had.Link != l.Index {
			continue
		}
		i := slices.IndexFunc(c.Links, func(w Link) bool { return w.Name == l.Name })
		switch {
		case i < 0 && !ours(l): // what we made goes with its row
			c.Links = append(c.Links, Link{Name: l.Name, Kind: Ethernet, MTU: had.Bytes})
		case i >= 0 && c.Links[i].MTU == 0:
			c.Links[i].MTU = had.Bytes
		}
	}
	return c
}

// remember notes what is about to be changed, before it is.
func (m *mtus) remember(c Config, have Kernel) error {
	m.recall()
	changed := false
	for _, l := range have.Links {
		w, ok := find(c, l.Name)
		if had := m.had[l.Name]; ok && w.MTU != 0 && w.MTU != l.MTU && had.Link != l.Index {
			m.had[l.Name], changed = mtu{l.Index, l.MTU}, true
		}
	}
	return m.store(changed)
}

// forget drops what went back, and links that are gone.
func (m *mtus) forget(c Config, have Kernel) error {
	changed := false
	for name, had := range m.had {
		i := slices.IndexFunc(have.Links, func(l rtnl.Link) bool { return l.Index == had.Link && l.Name == name })
		if w, _ := find(c, name); i < 0 || w.MTU == 0 && have.Links[i].MTU == had.Bytes {
			delete(m.had, name)
			changed = true
		}
	}
	return m.store(changed)
}

func (m *mtus) store(changed bool) error {
	if !changed || m.path == "" {
		return nil
	}
	data, err := json.Marshal(m.had)
	if err != nil {
		return err
	}
	return os.WriteFile(m.path, data, 0o600)
}
