package firewall_test

import (
	"net/http"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/firewall/firewalltest"
	"gateway/internal/component/uplink"
	"gateway/internal/packetfilter"
)

func TestAGroupThatARuleUsesIsKept(t *testing.T) {
	r := firewalltest.New(t)
	uplinks := apitest.New(t, "uplink", uplink.New(uplink.Options{DB: r.Pool, Run: r.Run}).Routes)
	group := uplinks.Do("POST", "/uplink-groups", object{"name": "voice"}).Want(http.StatusCreated).ID()
	made := r.Do("POST", "/firewall/rules", object{"name": "phones", "action": "accept", "uplink_group_id": group}).Want(http.StatusCreated)
	if got := made.Field("uplink_group_id"); got != group {
		t.Errorf("the rule has the group %s, want %s", got, group)
	}
	if got := r.Do("GET", "/firewall/rules?filter=uplink_group_id:"+group, nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("found %s rules with the group, want 1", got)
	}
	uplinks.Do("DELETE", "/uplink-groups/"+group, nil).Want(http.StatusConflict)
	r.Edit("/firewall/rules/"+made.ID(), object{"action": "drop"}).Want(http.StatusBadRequest)
	r.Do("PUT", "/firewall/rules/"+made.ID(), object{"name": "phones", "action": "drop"}).Want(http.StatusOK)
	uplinks.Do("DELETE", "/uplink-groups/"+group, nil).Want(http.StatusOK)
}

func TestTheExplanationNamesTheUplinkGroup(t *testing.T) {
	r := firewalltest.New(t)
	r.Iface("eth1", "lan")
	r.Made("/firewall/rules", object{"name": "phones", "action": "accept", "src_zone": "lan", "uplink_group_id": r.UplinkGroup("voice", 1, "inet")})
	ask := func(source, destination string) packetfilter.Trace {
		t.Helper()
		return apitest.Data[packetfilter.Trace](r.Do("POST", "/firewall/explain",
			object{"source": source, "destination": destination, "protocol": "udp", "port": 5060, "interface": "eth1"}).Want(http.StatusOK))
	}
	if got := ask("192.0.2.7", "198.51.100.1"); got.UplinkGroup != "voice" {
		t.Errorf("explained as %+v", got)
	}
	if got := ask("2001:db8::7", "2001:db8:1::1"); got.UplinkGroup != "" {
		t.Errorf("IPv6 is explained as %+v", got)
	}
}
