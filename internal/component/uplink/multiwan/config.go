// Package multiwan is the daemon side of uplinks: it renders them and their groups from the
// rows, keeps routes, rules and connection marks in the kernel so that every connection stays
// on the uplink that it began on, and moves new connections to those that work. Whether one
// works is package health's to say, what operators see package uplink's.
package multiwan

import (
	"bytes"
	"net/netip"
	"time"

	"gateway/internal/component/uplink/health"
	"gateway/internal/daemon"
	"gateway/internal/linefile"
)

// Config is what the kernel is to have.
type Config struct {
	Uplinks []Uplink
	Groups  []Group
	skipped []daemon.Problem // rows that are in neither of them
}

// Uplink is one way out, of one family.
type Uplink struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Number    int        `json:"number"` // names its table and marks
	Interface string     `json:"interface"`
	IPv6      bool       `json:"ipv6,omitempty"`
	Gateway   netip.Addr `json:"gateway,omitzero"` // none: as others say, or point-to-point
	Monitor   bool       `json:"monitor,omitempty"`
	Target    netip.Addr `json:"target,omitzero"` // who is asked; none for the gateway
	Interval  int        `json:"interval_ms"`
	Window    int        `json:"window_s"`
	LossDown  int        `json:"loss_percent_down"`
	RTTDown   int        `json:"rtt_ms_down"` // 0 for any
	Hold      int        `json:"hold_s"`
}

// Group is a choice among uplinks.
type Group struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Number  int      `json:"number,omitempty"` // names its table and mark
	IPv6    bool     `json:"ipv6,omitempty"`
	Default bool     `json:"default,omitempty"` // for all that has no other way
	Members []Member `json:"members"`
}

// Member is an uplink in a group. Of those that work, the ones of the lowest tier are used,
// each for its share.
type Member struct {
	Uplink int `json:"uplink"` // its number
	Tier   int `json:"tier"`
	Weight int `json:"weight"`
}

// MaxNumber is the highest number of an uplink, and of a group: a mark has seven bits for it.
const MaxNumber = 127

// health is how the uplink is judged.
func (u Uplink) health() health.Config {
	return health.Config{
		Monitor: u.Monitor, Window: time.Duration(u.Window) * time.Second, LossDown: u.LossDown,
		RTTDown: time.Duration(u.RTTDown) * time.Millisecond, Hold: time.Duration(u.Hold) * time.Second,
	}
}

// Text is the configuration as a file: one object a line, after the word for what it is.
func (c Config) Text() []byte {
	var b bytes.Buffer
	b.WriteString("# Uplinks and their groups, which gateway-apply keeps in the kernel. Edits are overwritten.\n")
	for _, u := range c.Uplinks {
		linefile.Append(&b, "uplink", u)
	}
	for _, g := range c.Groups {
		linefile.Append(&b, "group", g)
	}
	return b.Bytes()
}

// Parse reads a file that Text made.
func Parse(data []byte) (c Config, err error) {
	err = linefile.Read(data, map[string]func(string) error{"uplink": linefile.Into(&c.Uplinks), "group": linefile.Into(&c.Groups)})
	if err != nil {
		return Config{}, err
	}
	return c, nil
}

// numbered is the uplink of a number.
func (c Config) numbered(n int) (Uplink, bool) {
	for _, u := range c.Uplinks {
		if u.Number == n {
			return u, true
		}
	}
	return Uplink{}, false
}

// on is the uplink of a family on an interface.
func (c Config) on(link string, six bool) (Uplink, bool) {
	for _, u := range c.Uplinks {
		if u.Interface == link && u.IPv6 == six {
			return u, true
		}
	}
	return Uplink{}, false
}

// defaultGroup is the group for all that has no other way.
func (c Config) defaultGroup(six bool) (Group, bool) {
	for _, g := range c.Groups {
		if g.Default && g.IPv6 == six && len(g.Members) > 0 {
			return g, true
		}
	}
	return Group{}, false
}
