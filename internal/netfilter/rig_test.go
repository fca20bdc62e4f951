package netfilter

import (
	"testing"

	"gateway/lab/wiretest"
)

// rig is a network of its own, with the product's table and Debian 13's nft to fill it.
type rig struct {
	*wiretest.Gateway
	t     testing.TB
	table Table
}

func newRig(t testing.TB, interfaces ...wiretest.Interface) *rig {
	t.Helper()
	g := wiretest.New(t, interfaces...)
	return &rig{Gateway: g, t: t, table: Table{Run: g.Run}}
}

// must does something in the network, which has to succeed.
func (r *rig) must(do func() error) {
	r.t.Helper()
	if err := r.Do(do); err != nil {
		r.t.Fatal(err)
	}
}

// nft runs nft as an operator would, and answers what it prints.
func (r *rig) nft(input string, args ...string) string {
	r.t.Helper()
	out, err := r.Nft(r.t.Context(), []byte(input), args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *rig) replace(texts ...string) {
	r.t.Helper()
	var parts [][]byte
	for _, text := range texts {
		parts = append(parts, []byte(text))
	}
	r.must(func() error { return r.table.Replace(r.t.Context(), parts...) })
}

func (r *rig) change(batch string) {
	r.t.Helper()
	r.must(func() error { return r.table.Change(r.t.Context(), []byte(batch)) })
}

func (r *rig) counters() map[string]Count {
	r.t.Helper()
	var counts map[string]Count
	r.must(func() (err error) {
		counts, err = r.table.Counters()
		return err
	})
	return counts
}
