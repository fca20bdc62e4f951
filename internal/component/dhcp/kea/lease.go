package kea

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gateway/internal/component/dhcp/control"
	"gateway/internal/value"
)

// Lease is an address that a client has.
type Lease struct {
	Address   netip.Addr `json:"address"`
	MAC       string     `json:"mac"`
	ClientID  string     `json:"client_id"`
	Hostname  string     `json:"hostname"` // as the client says: anything
	Number    uint32     `json:"number"`   // of the subnet
	Declined  bool       `json:"declined"`
	FirstSeen time.Time  `json:"first_seen"`
	// NamedSince is when the client took the first label of its host name.
	NamedSince time.Time `json:"-"`
	LastSeen   time.Time `json:"last_seen"`
	ExpiresAt  time.Time `json:"expires_at"`
}

// The states of leases in Kea; what is beyond declined is over.
const (
	stateAssigned = 0
	stateDeclined = 1
)

// table are the leases as they were last heard of.
type table struct {
	mu     sync.Mutex
	leases map[netip.Addr]Lease
	synced bool // it has all leases
	// changed is whether it changed who has which address and name.
	changed bool
}

// newLease reads what Kea says of one; ok is false where it is over.
func newLease(l control.Lease) (out Lease, ok bool) {
	addr, err := netip.ParseAddr(l.Address)
	if err != nil || !addr.Is4() {
		return out, false
	}
	seen := time.Unix(l.Seen, 0).UTC()
	out = Lease{
		Address: addr, MAC: l.MAC, ClientID: l.ClientID, Hostname: value.Visible(l.Hostname), Number: l.Subnet, Declined: l.State == stateDeclined,
		FirstSeen: seen, NamedSince: seen, LastSeen: seen, ExpiresAt: seen.Add(time.Duration(l.Lifetime) * time.Second),
	}
	return out, l.Lifetime > 0 && (l.State == stateAssigned || l.State == stateDeclined)
}

// put notes one lease. It reports whether something else than its time has changed.
func (t *table) put(l control.Lease) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.putLocked(l)
}

func (t *table) putLocked(l control.Lease) bool {
	now, ok := newLease(l)
	if !now.Address.IsValid() {
		return false
	}
	was, had := t.leases[now.Address]
	if !ok {
		delete(t.leases, now.Address)
		t.changed = t.changed || had
		return had
	}
	same := had && was.MAC == now.MAC && was.ClientID == now.ClientID
	if same && was.FirstSeen.Before(now.FirstSeen) {
		now.FirstSeen = was.FirstSeen
	}
	if same && was.NamedSince.Before(now.NamedSince) && Label(was.Hostname) == Label(now.Hostname) {
		now.NamedSince = was.NamedSince
	}
	t.leases[now.Address] = now
	differs := !same || was.Hostname != now.Hostname || was.Declined != now.Declined
	t.changed = t.changed || differs
	return differs
}

// replace notes all leases there are.
func (t *table) replace(all []control.Lease) {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.leases
	t.leases = make(map[netip.Addr]Lease, len(all))
	for _, l := range all {
		if a, err := netip.ParseAddr(l.Address); err == nil && was[a].Address == a {
			t.leases[a] = was[a] // for when it was first seen, and its name
		}
		t.putLocked(l)
	}
	t.synced, t.changed = true, t.changed || len(t.leases) != len(was)
}

// with are leases that Kea has now, with what is known of them.
func (t *table) with(fresh []control.Lease) *table {
	t.mu.Lock()
	out := &table{leases: maps.Clone(t.leases)}
	t.mu.Unlock()
	out.replace(fresh)
	return out
}

// lose says that nobody knows the leases any more.
func (t *table) lose() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.synced = false
}

// all are the leases that are not over, by address; ok is false while nobody knows them all.
func (t *table) all(now time.Time) (out []Lease, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.leases {
		if l.ExpiresAt.After(now) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b Lease) int { return a.Address.Compare(b.Address) })
	return out, t.synced
}

// count is how many are not over; ok is false while nobody knows them all.
func (t *table) count(now time.Time) (c Count, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.leases {
		if l.ExpiresAt.After(now) {
			c.add(l)
		}
	}
	return c, t.synced
}

// LeaseQuery selects leases.
type LeaseQuery struct {
	Q      string       `json:"q"`
	Sort   string       `json:"sort"`
	Within netip.Prefix `json:"within"` // none for all
	Limit  int          `json:"limit"`  // 0 for all
	Offset int          `json:"offset"`
}

// LeasePage is a part of the leases.
type LeasePage struct {
	Total  int     `json:"total"`
	Leases []Lease `json:"leases"`
}

// Sorts are what leases may be sorted by; the first is the default.
func Sorts() []string {
	return []string{"address", "hostname", "mac", "first_seen", "last_seen", "expires_at"}
}

// page is what the query selects.
func (q LeaseQuery) page(all []Lease) LeasePage {
	text := strings.ToLower(q.Q)
	all = slices.DeleteFunc(all, func(l Lease) bool {
		return q.Within.IsValid() && !q.Within.Contains(l.Address) ||
			text != "" && !strings.Contains(strings.ToLower(l.Address.String()+" "+l.MAC+" "+l.ClientID+" "+l.Hostname), text)
	})
	by, down := strings.CutPrefix(q.Sort, "-")
	slices.SortStableFunc(all, func(a, b Lease) int {
		order := a.compare(b, by)
		if down {
			return -order
		}
		return order
	})
	out := LeasePage{Total: len(all), Leases: []Lease{}}
	from := min(q.Offset, len(all))
	to := len(all)
	if q.Limit > 0 {
		to = min(from+q.Limit, to)
	}
	out.Leases = append(out.Leases, all[from:to]...)
	return out
}

func (l Lease) compare(other Lease, by string) int {
	switch by {
	case "hostname":
		return cmp.Or(strings.Compare(l.Hostname, other.Hostname), l.Address.Compare(other.Address))
	case "mac":
		return cmp.Or(strings.Compare(l.MAC, other.MAC), l.Address.Compare(other.Address))
	case "first_seen":
		return cmp.Or(l.FirstSeen.Compare(other.FirstSeen), l.Address.Compare(other.Address))
	case "last_seen":
		return cmp.Or(l.LastSeen.Compare(other.LastSeen), l.Address.Compare(other.Address))
	case "expires_at":
		return cmp.Or(l.ExpiresAt.Compare(other.ExpiresAt), l.Address.Compare(other.Address))
	}
	return l.Address.Compare(other.Address)
}

// The columns of Kea's file of leases.
const (
	colAddress, colMAC, colClientID, colLifetime, colExpire, colSubnet = 0, 1, 2, 3, 4, 5
	colHostname, colState, fewestColumns                               = 8, 9, 10
)

// header begins the first line of such a file.
const header = "address,"

// parseLine reads a line of the file of leases; ok is false for what is none.
func parseLine(line string) (l control.Lease, ok bool) {
	f := strings.Split(line, ",")
	if len(f) < fewestColumns {
		return l, false
	}
	number := func(i, bits int) uint64 {
		n, err := strconv.ParseUint(f[i], 10, bits)
		ok = ok && err == nil
		return n
	}
	ok = true
	lifetime, expire := int64(number(colLifetime, 62)), int64(number(colExpire, 62))
	l = control.Lease{
		Address: f[colAddress], MAC: f[colMAC], ClientID: f[colClientID], Hostname: unescape(f[colHostname]),
		Subnet: uint32(number(colSubnet, 32)), State: int(number(colState, 31)), Lifetime: lifetime, Seen: expire - lifetime,
	}
	return l, ok
}

// unescape reads the way that Kea writes a comma within a value: &#x2c.
func unescape(s string) string {
	const mark = "&#x"
	if !strings.Contains(s, mark) {
		return s
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, mark)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		s = rest
		if len(rest) < 2 {
			continue
		}
		if n, err := strconv.ParseUint(rest[:2], 16, 8); err == nil {
			b.WriteByte(byte(n))
			s = rest[2:]
		}
	}
}
