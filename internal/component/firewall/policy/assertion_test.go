package policy

import (
	"reflect"
	"testing"

	"gateway/internal/packetfilter"
	"gateway/internal/value"
)

// An assertion about one network on both sides is about both: a side that gets lost means "any".
func TestAnAssertionAboutOneNetworkOnBothSides(t *testing.T) {
	got := newBuilder().assertion(assertRow{Name: "inside", Source: "192.0.2.0/24", Destination: "192.0.2.0/24"})
	n, err := value.Prefix("192.0.2.0/24")
	if err != nil {
		t.Fatal(err)
	}
	want := packetfilter.Merge([]packetfilter.Range{packetfilter.RangeOf(n)})
	for side, addresses := range map[string]packetfilter.Addresses{"source": got.Query.Source, "destination": got.Query.Destination} {
		if !reflect.DeepEqual(addresses, want) {
			t.Errorf("the %s is %v, want %v", side, addresses, want)
		}
	}
}
