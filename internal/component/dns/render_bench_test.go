package dns

import (
	"strings"
	"testing"
)

// BenchmarkRender10000 is what every change of a record costs, the query included.
func BenchmarkRender10000(b *testing.B) {
	r := newRig(b, "")
	r.fill(r.zone("example.com"), "example.com", 10_000)
	if n := strings.Count(r.text(), "local-data:"); n != 10_000 {
		b.Fatalf("%d records", n)
	}
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			r.rendered()
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, err := load(b.Context(), r.pool, 10_000); err != nil {
				b.Fatal(err)
			}
		}
	})
	s, err := load(b.Context(), r.pool, 10_000)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			render(s, &r.p.memo)
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			render(s, &memo{})
		}
	})
	out := r.rendered()
	b.Run("difference", func(b *testing.B) {
		for b.Loop() {
			if !unchecked(out, out) {
				b.Fatal("differs")
			}
		}
	})
}
