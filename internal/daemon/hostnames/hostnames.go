// Package hostnames is where daemons tell each other the names of hosts, within gateway-apply:
// the DHCP server knows them, the DNS resolver answers them. It is memory only; who tells names
// tells them again after a restart. What a name may be is left to who tells it.
package hostnames

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// Record is a name, complete with its last dot, and its address.
type Record struct {
	Name    string
	Address netip.Addr
}

func (r Record) compare(other Record) int {
	return cmp.Or(strings.Compare(r.Name, other.Name), r.Address.Compare(other.Address))
}

// Registry are the names that all have told. The zero value has none, and a nil one forgets
// what it is told.
type Registry struct {
	mu      sync.Mutex
	told    map[string][]Record
	changed chan struct{}
}

// Put replaces what the owner told before.
func (r *Registry) Put(owner string, records []Record) {
	if r == nil {
		return
	}
	records = slices.Clone(records)
	slices.SortFunc(records, Record.compare)
	records = slices.Compact(records)
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Equal(r.told[owner], records) {
		return
	}
	if r.told == nil {
		r.told = map[string][]Record{}
	}
	r.told[owner] = records
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// All are the names of all owners, in order, and a channel that is closed when there are others.
func (r *Registry) All() ([]Record, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Record
	for _, records := range r.told {
		out = append(out, records...)
	}
	slices.SortFunc(out, Record.compare)
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	return slices.Compact(out), r.changed
}
