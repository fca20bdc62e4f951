package filter_test

import (
	"fmt"
	"net/http"
	"testing"

	"gateway/internal/component/firewall/firewalltest"
	"gateway/internal/db"
)

// The way of one address into a group of a hundred thousand, beside ten thousand rules: as
// it is rendered for the judgement and for the kernel, and by the API until it is there.
func BenchmarkOneAddressMore(b *testing.B) {
	r := firewalltest.NewLive(b)
	group := r.Made("/firewall/address-groups", object{"name": "many"})
	r.Made("/firewall/rules", object{"name": "uses it", "src_kind": "group", "src_group_id": group, "action": "drop"})
	r.FillGroup(group, 100_000)
	r.FillRules(10_000)
	if got := r.Sync(); got.State != "live" {
		b.Fatal(got.Why)
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.Policy.Load(b.Context(), r.Pool); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("render", func(b *testing.B) {
		for b.Loop() {
			r.Rendered()
		}
	})
	b.Run("by the API", func(b *testing.B) {
		var spare []string
		for i := range b.N {
			spare = append(spare, r.Address(db.NewID(), "host", fmt.Sprintf("11.%d.0.%d", b.N, 2*i)))
		}
		b.ResetTimer()
		for _, id := range spare {
			r.Do("POST", "/firewall/address-groups/"+group+"/members", object{"object_id": id}).Want(http.StatusCreated)
		}
	})
}
