package unbound_test

import (
	"strings"
	"testing"

	"gateway/internal/component/dns/unbound"
)

// BenchmarkRender10000 is what every change of a record costs, the query included.
func BenchmarkRender10000(b *testing.B) {
	r := newRig(b, "")
	r.Fill(r.Zone("example.com"), "example.com", 10_000)
	if n := strings.Count(r.Text(unbound.Path), "local-data:"); n != 10_000 {
		b.Fatalf("%d records", n)
	}
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			r.Rendered()
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, err := unbound.Load(b.Context(), r.Pool, 10_000); err != nil {
				b.Fatal(err)
			}
		}
	})
	s, err := unbound.Load(b.Context(), r.Pool, 10_000)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			r.resolver.RenderState(s)
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			unbound.NewResolver(unbound.Options{}).RenderState(s)
		}
	})
	out := r.Rendered()
	b.Run("difference", func(b *testing.B) {
		for b.Loop() {
			if !r.Daemon.Plain(out, out) {
				b.Fatal("differs")
			}
		}
	})
}
