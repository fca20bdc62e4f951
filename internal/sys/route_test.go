package sys

import (
	"net/netip"
	"testing"
	"time"
)

func TestTheWayToOurselvesIsLocal(t *testing.T) {
	got, err := NewHost(time.Now).Route(netip.MustParseAddr("127.0.0.1"))
	if err != nil || !got.Local || got.Interface != "lo" {
		t.Errorf("the route to 127.0.0.1 is %+v, %v; want local by lo", got, err)
	}
}
