package dhcptest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Reserved is what one client always gets.
type Reserved struct {
	Address netip.Addr
	Name    string
}

// Terms are what the clients of a subnet are given.
type Terms struct {
	Pools  [][2]netip.Addr // from the first to the last
	Lease  int             // seconds
	Router netip.Addr
	Domain string
	Boot   string              // option 66
	By     map[string]Reserved // by MAC address
}

// With is a copy that one may change.
func (t Terms) With(edit func(*Terms)) Terms {
	t.Pools, t.By = slices.Clone(t.Pools), maps.Clone(t.By)
	edit(&t)
	return t
}

// InPool reports whether the address is one of those that anybody may get.
func (t Terms) InPool(a netip.Addr) bool {
	return slices.ContainsFunc(t.Pools, func(p [2]netip.Addr) bool { return p[0].Compare(a) <= 0 && a.Compare(p[1]) <= 0 })
}

// Wrong says in what an ACK differs from the terms; empty where it does not.
func (t Terms) Wrong(mac string, m Message) string {
	r, reserved := t.By[mac]
	switch {
	case reserved && m.Address != r.Address:
		return fmt.Sprintf("%s, reserved is %s", m.Address, r.Address)
	case !reserved && !t.InPool(m.Address):
		return fmt.Sprintf("%s is in no pool of %v", m.Address, t.Pools)
	}
	for other, of := range t.By {
		if other != mac && of.Address == m.Address {
			return fmt.Sprintf("%s is reserved for %s", m.Address, other)
		}
	}
	want := map[byte]string{
		3: string(t.Router.AsSlice()), 15: t.Domain, 51: string(binary.BigEndian.AppendUint32(nil, uint32(t.Lease))), 66: t.Boot,
	}
	if r.Name != "" {
		want[12] = r.Name
	}
	for code, text := range want {
		if got := string(m.Options[code]); got != text {
			return fmt.Sprintf("option %d is %q, not %q", code, got, text)
		}
	}
	return ""
}

// period is a time in which the terms may have been in force: from the request that brought them to
// the answer of the request that ended them.
type period struct {
	Terms
	from, until time.Time
}

// Model is what a subnet gives while it is changed. It knows nothing of the server but what an
// operator asked for.
type Model struct {
	mu      sync.Mutex
	periods []period
}

// NewModel has a subnet with these terms, from now on.
func NewModel(t Terms) *Model { return &Model{periods: []period{{Terms: t, from: time.Now()}}} }

// Now are the terms that were asked for last.
func (m *Model) Now() Terms {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.periods[len(m.periods)-1].Terms
}

// Change brings other terms by a request: while that is answered, both may be in force.
func (m *Model) Change(t Terms, request func()) {
	m.mu.Lock()
	m.periods = append(m.periods, period{Terms: t, from: time.Now()})
	last := len(m.periods) - 2
	m.mu.Unlock()
	request()
	m.mu.Lock()
	m.periods[last].until = time.Now()
	m.mu.Unlock()
}

// Wrong says in what an ACK differs from all terms that were in force between the two times.
func (m *Model) Wrong(mac string, ack Message, asked, answered time.Time) (why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range slices.Backward(m.periods) {
		if e.from.After(answered) || !e.until.IsZero() && e.until.Before(asked) {
			continue
		}
		w := e.Wrong(mac, ack)
		if w == "" {
			return ""
		}
		if why == "" {
			why = w
		}
	}
	return why
}
