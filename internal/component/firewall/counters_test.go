package firewall_test

import (
	"net/http"
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/firewall"
	"gateway/internal/component/firewall/firewalltest"
)

// shows FW-64
func TestCounters(t *testing.T) {
	r := firewalltest.NewLive(t)
	rule := r.Made("/firewall/rules", object{"name": "x", "action": "accept"})
	nat := r.Made("/nat-rules", object{"name": "y", "kind": "masquerade"})
	var list []firewall.Counter
	r.As("viewer", "GET", "/firewall/counters", nil).Want(http.StatusOK).Into(&list)
	if len(list) != 2 || list[0].RuleID != nat || !list[0].NAT || list[1].RuleID != rule || list[1].NAT || list[1].Packets != 0 || list[1].LastHit != nil {
		t.Errorf("counters = %+v", list)
	}
	values, err := componenttest.Values(t, firewall.New(firewall.Options{Applier: r}).Values)
	if dropped, known := values["firewall.dropped"]; err != nil || !known || dropped != 0 {
		t.Errorf("measured: %v (%v)", values, err)
	}
}
