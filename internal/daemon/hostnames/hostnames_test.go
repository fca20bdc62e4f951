package hostnames

import (
	"net/netip"
	"testing"
)

func TestWhoeverWaitsIsToldOfOthers(t *testing.T) {
	var r Registry
	one := Record{"a.example.", netip.MustParseAddr("192.0.2.1")}
	other := Record{"b.example.", netip.MustParseAddr("192.0.2.2")}
	_, changed := r.All()
	r.Put("dhcp", []Record{other, one, one})
	select {
	case <-changed:
	default:
		t.Error("nobody was told")
	}
	all, changed := r.All()
	if len(all) != 2 || all[0] != one || all[1] != other {
		t.Errorf("%v", all)
	}
	r.Put("dhcp", []Record{one, other})
	select {
	case <-changed:
		t.Error("the same is no news")
	default:
	}
	r.Put("other", []Record{one})
	r.Put("dhcp", nil)
	if all, _ := r.All(); len(all) != 1 || all[0] != one {
		t.Errorf("%v", all)
	}
	(*Registry)(nil).Put("dhcp", []Record{one})
}
