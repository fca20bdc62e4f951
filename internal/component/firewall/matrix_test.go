package firewall_test

import (
	"net/http"
	"strings"
	"testing"

	"gateway/internal/component/firewall"
	"gateway/internal/component/firewall/firewalltest"
)

// matrixOf is the matrix as a viewer sees it, by source and destination.
func matrixOf(t *testing.T, r *firewalltest.Rig) map[string]firewall.Cell {
	t.Helper()
	var m firewall.Matrix
	r.As("viewer", "GET", "/firewall/matrix", nil).Want(http.StatusOK).Into(&m)
	cells := map[string]firewall.Cell{}
	for _, c := range m.Cells {
		cells[c.Src+" "+c.Dst] = c
	}
	if want := len(m.Zones) * (len(m.Zones) + 1); len(cells) != want {
		t.Errorf("%d cells for %d zones, want %d", len(cells), len(m.Zones), want)
	}
	return cells
}

func TestMatrix(t *testing.T) {
	r := firewalltest.New(t)
	for zone, name := range map[string]string{"wan": "eth0", "lan": "eth1", "dmz": "eth2"} {
		r.Iface(name, zone)
	}
	web := r.Builtin("/firewall/service-groups", "Web")
	rule := func(name, src, dst string, more object) string {
		body := object{"name": name, "src_zone": src, "dst_zone": dst, "action": "accept"}
		for k, v := range more {
			body[k] = v
		}
		return r.Made("/firewall/rules", body)
	}
	out := rule("out", "lan", "wan", nil)
	rule("off", "wan", "lan", object{"enabled": false})
	over := rule("over", "wan", "dmz", object{"expires_at": "2126-01-01T00:00:00Z"})
	r.Restore(`update firewall_rules set expires_at = now() - interval '1 hour' where id = $1`, over)
	rule("sites", "lan", "dmz", object{"service_group_id": web, "dst_kind": "object", "dst_object_id": r.Address("site", "host", "192.0.2.5")})
	rule("no mail", "dmz", "any", object{"action": "drop", "priority": 1, "service_object_id": r.Builtin("/firewall/services", "SMTP")})
	rule("updates", "dmz", "wan", object{"priority": 2})
	r.Do("PUT", "/firewall/settings", object{"lockout_zones": []string{"lan"}, "lockout_networks": []string{}}).Want(http.StatusOK)

	cells := matrixOf(t, r)
	for _, tc := range []struct{ name, cell, reach, services string }{
		{"a rule for everything", "lan wan", "all", ""},
		{"a rule that is disabled", "wan lan", "none", ""},
		{"a rule that has expired", "wan dmz", "none", ""},
		{"a service group to one host", "lan dmz", "some", "tcp/80 tcp/443 udp/443 narrow"},
		{"all but what a rule before it drops", "dmz wan", "some", "but tcp/25"},
		{"the management from its zones", "lan gateway", "some", "tcp/22 tcp/443 tcp/3443 udp/443"},
		{"and from no other", "wan gateway", "none", ""},
		{"a zone without an interface", "mgmt wan", "none", "no_interface"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := cells[tc.cell]
			said := strings.Join(c.Services, " ")
			if c.Reach != "some" {
				said = c.Reason
			} else if c.ExceptCount > 0 && c.ExceptCount < c.ServiceCount {
				said = "but " + strings.Join(c.Except, " ")
			}
			if c.SomeAddresses {
				said += " narrow"
			}
			if c.Reach != tc.reach || said != tc.services {
				t.Errorf("%s is %s: %q, want %s: %q", tc.cell, c.Reach, said, tc.reach, tc.services)
			}
		})
	}
	if by := cells["lan wan"].Decided; len(by) != 1 || by[0].ID != out || by[0].Name != "out" || by[0].Action != "accept" {
		t.Errorf("decided by %+v, want the rule out", by)
	}
}

// A port forward passes by itself, unless it needs a rule.
func TestMatrixOfAPortForward(t *testing.T) {
	r := firewalltest.New(t)
	r.Iface("eth0", "wan")
	r.Iface("eth2", "dmz")
	body := object{"name": "site", "kind": "dnat", "in_zone": "wan", "protocol": "tcp", "dest_port": 8080, "target_address": "192.0.2.5", "target_port": 80}
	made := r.Do("POST", "/nat-rules", body).Want(http.StatusCreated)
	c := matrixOf(t, r)["wan dmz"]
	if c.Reach != "some" || strings.Join(c.Services, " ") != "tcp/80" || len(c.Decided) != 1 || c.Decided[0].Kind != "translated" {
		t.Errorf("%+v, want tcp/80 by the port forward", c)
	}
	body["pass"] = false
	r.Do("PUT", "/nat-rules/"+made.ID(), body).Want(http.StatusOK)
	if c := matrixOf(t, r)["wan dmz"]; c.Reach != "none" {
		t.Errorf("%+v, want none without a rule", c)
	}
}

// BenchmarkMatrix is the whole answer, with the policy read from the database.
func BenchmarkMatrix(b *testing.B) {
	r := firewalltest.New(b)
	r.FillRules(10_000)
	for b.Loop() {
		r.Do("GET", "/firewall/matrix", nil).Want(http.StatusOK)
	}
}
