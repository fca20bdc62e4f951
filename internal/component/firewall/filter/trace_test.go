package filter_test

import (
	"testing"

	"gateway/internal/component/firewall/firewalltest"
)

// The way that docs/architecture.md describes: from the request to the kernel's packet filter.
func TestTheWayOfARule(t *testing.T) {
	r := firewalltest.NewLive(t)
	r.Iface("eth0", "wan")
	rule := object{"name": "walk", "action": "accept", "src_zone": "wan", "src_kind": "cidr", "src_cidr": "192.0.2.0/24", "dst_zone": "wan"}
	r.Made("/firewall/rules", rule)
	r.Made("/firewall/assertions", object{"name": "a", "expect": "reach", "src_zone": "wan", "dst_zone": "gateway", "service_object_id": r.Builtin("/firewall/services", "HTTPS")})
	rule["name"], rule["src_cidr"] = "talk", "198.51.100.0/24"
	r.Trace("/firewall/rules", func() { r.Made("/firewall/rules", rule) })
}
