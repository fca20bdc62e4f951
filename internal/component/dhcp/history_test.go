package dhcp_test

import (
	"net/http"
	"slices"
	"testing"
)

func TestTheHistoryNamesWhatWasCreated(t *testing.T) {
	r := rig(t)
	id := r.Do("POST", "/dhcp/subnets", subnet()).Want(http.StatusCreated).ID()
	r.Do("POST", "/dhcp/reservations", object{"subnet_id": id, "address": "192.0.2.10", "mac": "02:00:5e:00:53:01"}).Want(http.StatusCreated)
	for _, want := range []string{"dhcp.subnet.create 192.0.2.0/24", "dhcp.reservation.create 192.0.2.10"} {
		if got := r.Actions(); !slices.Contains(got, want) {
			t.Errorf("the audit log has %q, want %q", got, want)
		}
	}
}
