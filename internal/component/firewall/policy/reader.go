// Package policy reads what operators wrote down about the packet filter, zones, addresses,
// services, rules and their translation, as a packetfilter.Policy. It keeps what it read, so
// that a change costs what it touched. What a value must look like to be read is here too;
// storing values is package firewall's, and what becomes of a policy package filter's.
package policy

import (
	"context"
	"fmt"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/db"
)

// Reader reads the policy. There is one in a process: what it keeps may be large.
type Reader struct {
	neededTables []string
	needed       func(ctx context.Context, q db.DB) (daemon.Needed, error)
	cache        *cache
}

// New returns a reader. needed is what other components need of the packet filter, which
// the rows of neededTables decide; see daemon.NeedsOf.
func New(neededTables []string, needed func(ctx context.Context, q db.DB) (daemon.Needed, error)) *Reader {
	return &Reader{neededTables: neededTables, needed: needed, cache: newCache()}
}

// Load reads the policy as q has it, with what the other components need.
func (r *Reader) Load(ctx context.Context, q db.DB) (*State, error) {
	needed, err := r.needed(ctx, q)
	if err != nil {
		return nil, err
	}
	b := newBuilder()
	if err := b.read(ctx, q); err != nil {
		return nil, err
	}
	if err := r.cache.load(ctx, q, b.rules); err != nil {
		return nil, err
	}
	if b.expiresIn != nil {
		b.Expires = time.Now().Add(*b.expiresIn)
	}
	b.need(needed)
	return &b.State, nil
}

// ServedIn says what other components open ports for in a zone.
func (r *Reader) ServedIn(ctx context.Context, q db.DB, zone string) ([]daemon.Opening, error) {
	needed, err := r.needed(ctx, q)
	if err != nil {
		return nil, err
	}
	var opened []daemon.Opening
	for _, o := range needed.Openings {
		if o.Role == zone {
			opened = append(opened, o)
		}
	}
	return opened, nil
}

// Refresh brings what is kept up to what is stored. A transaction that writes only borrows
// from it, and would otherwise read more with every change.
func (r *Reader) Refresh(ctx context.Context, stored db.DB) error {
	return r.cache.load(ctx, stored, func(contents) {})
}

// Asserts reports whether there is an assertion to hold.
func Asserts(ctx context.Context, q db.DB) (found bool, err error) {
	if err = q.QueryRow(ctx, `select exists (select from firewall_assertions where enabled)`).Scan(&found); err != nil {
		err = fmt.Errorf("look for assertions: %w", err)
	}
	return found, err
}

// Reads are the tables of other components that the policy depends on.
func (r *Reader) Reads() []string {
	return append([]string{"network_interfaces", "uplink_groups"}, r.neededTables...)
}

// Tables are those that hold the policy, and what is kept beside it.
func Tables() []db.Table {
	var all []db.Table
	for _, name := range []string{
		"firewall_zones", "firewall_address_objects", "firewall_address_groups", "firewall_address_members",
		"firewall_services", "firewall_service_groups", "firewall_service_members",
		"firewall_rules", "firewall_nat_rules", "firewall_assertions", "firewall_settings",
	} {
		all = append(all, db.Table{Name: name, Scope: db.Replicated})
	}
	return append(all,
		db.Table{Name: "firewall_resolved", Scope: db.History, API: &db.Rights{Insert: true, Delete: true}},
		// Written by triggers, with numbers of transactions that mean nothing in another cluster.
		db.Table{Name: "firewall_touched", Scope: db.History, NoBackup: true, API: &db.Rights{Delete: true}})
}
