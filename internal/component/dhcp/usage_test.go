package dhcp

import (
	"net/netip"
	"testing"

	"gateway/internal/component/dhcp/kea"
)

func TestAPoolCountsItsOwnAddresses(t *testing.T) {
	at := func(text string) int { return number(netip.MustParseAddr(text)) }
	used := []use{{at("192.0.2.9"), leased}, {at("192.0.2.10"), reserved}, {at("192.0.2.15"), leased}, {at("192.0.2.20"), declined}, {at("192.0.2.21"), leased}}
	for _, tc := range []struct {
		pool string
		want Counts
	}{
		{"192.0.2.10-192.0.2.20", Counts{Size: 11, Leased: 1, Reserved: 1, Declined: 1, Free: 8}},
		{"192.0.2.21-192.0.2.21", Counts{Size: 1, Leased: 1}},
		{"192.0.2.1-192.0.2.8", Counts{Size: 8, Free: 8}},
		{"192.0.2.22-192.0.2.30", Counts{Size: 9, Free: 9}},
	} {
		pool, err := kea.ParseRange(tc.pool)
		if err != nil {
			t.Fatal(err)
		}
		got := newUsage(servedSubnet{}, pool, used)
		if got.Counts != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.pool, got.Counts, tc.want)
		}
	}
	if own := within(used, at("192.0.2.10"), at("192.0.2.20")); len(own) != 3 {
		t.Errorf("a pool looks at %d addresses, want its own 3", len(own))
	}
}
