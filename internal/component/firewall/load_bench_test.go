package firewall

import (
	"net/http"
	"testing"

	"gateway/internal/component"
	"gateway/internal/packetfilter"
)

// The way of one address into a group of a hundred thousand, step by step.
func BenchmarkOneAddressMore(b *testing.B) {
	r := newRig(b).live()
	group := r.made("/firewall/address-groups", object{"name": "many"})
	r.made("/firewall/rules", object{"name": "uses it", "src_kind": "group", "src_group_id": group, "action": "drop"})
	r.fill(group, 100_000)
	r.crowd(10_000)
	if got := r.sync(); got.State != "live" {
		b.Fatal(got.Why)
	}
	spare := make([]string, 200)
	for i := range spare {
		spare[i] = r.address("spare "+string(rune('a'+i%26))+string(rune('a'+i/26)), "host", "11.0.0."+[]string{"1", "2", "3", "4"}[i%4])
	}
	var s *state
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			var err error
			if s, err = r.p.load(b.Context(), r.db); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			packetfilter.Compile(&s.policy)
		}
	})
	b.Run("rules alone", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.p.known.versions.Load(b.Context(), r.db); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("addresses alone", func(b *testing.B) {
		for b.Loop() {
			if err := r.p.known.load(b.Context(), r.db, func(contents) {}); err != nil {
				b.Fatal(err)
			}
		}
	})
	now := r.rendered()
	b.Run("hash", func(b *testing.B) {
		for b.Loop() {
			(component.Rendering{Files: now.Files}).Hash()
		}
	})
	b.Run("mark after a change", func(b *testing.B) {
		next := 0
		for b.Loop() {
			b.StopTimer()
			r.Do("POST", "/firewall/address-groups/"+group+"/members", object{"object_id": spare[next]}).Want(http.StatusCreated)
			next++
			b.StartTimer()
			if err := r.space.Do(func() error { _, err := r.part.Running(b.Context()); return err }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("by the API", func(b *testing.B) {
		next := 100
		for b.Loop() {
			r.Do("POST", "/firewall/address-groups/"+group+"/members", object{"object_id": spare[next]}).Want(http.StatusCreated)
			next++
		}
	})
}
