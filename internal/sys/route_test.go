package sys

import (
	"net/netip"
	"slices"
	"testing"
	"time"
)

func TestTheWayToOurselvesIsLocal(t *testing.T) {
	got, err := NewHost(time.Now).Route(netip.MustParseAddr("127.0.0.1"))
	if err != nil || !got.Local || got.Interface != "lo" {
		t.Errorf("the route to 127.0.0.1 is %+v, %v; want local by lo", got, err)
	}
}

func TestOurOwnAddressesAreAmongTheRoutes(t *testing.T) {
	routes, err := NewHost(time.Now).Routes()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(routes, func(r Hop) bool { return r.Local && r.Network.Contains(netip.MustParseAddr("127.0.0.1")) }) {
		t.Errorf("no route of %+v leads to ourselves", routes)
	}
}
