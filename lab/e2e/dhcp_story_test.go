package e2e

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/dhcp/dhcptest"
)

// leases are what the API says of the clients.
func (c *caller) leases() map[string]string {
	var all []struct{ MAC, Address string }
	out := map[string]string{}
	if r, err := c.try("GET", "/dhcp/leases", nil); err == nil && r.status == 200 && r.decode(&all) {
		for _, l := range all {
			out[l.MAC] = l.Address
		}
	}
	return out
}

// The installed product gives a client of the network an address and a name: Kea in its
// sandbox, gateway-apply in its own, and the way between them.
func TestStoryDHCP(t *testing.T) {
	a, c := alone(t)
	network := netip.PrefixFrom(a.node.IP(), 24).Masked()
	base := strings.TrimSuffix(network.Addr().String(), "0")
	var links []struct{ ID, Name, Role string }
	c.get("/network-interfaces").want(200).decode(&links)
	if len(links) == 0 {
		c.post("/network-interfaces", object{"name": "eth0", "type": "ethernet", "role": "lan"}).want(201)
	}
	subnet := c.post("/dhcp/subnets", object{
		"interface": "eth0", "subnet": network.String(), "pools": []string{base + "200-" + base + "210"}, "gateway": a.node.IP().String(), "domain": "lan.example.com", "dns_names": true,
	}).want(201).id()
	client, err := dhcptest.NewClient(a.client, "eth0", "02:00:5e:00:53:01")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	client.Hostname = "laptop"
	if _, err := client.Ask(t.Context(), dhcptest.Discover, nil, 2*time.Second, dhcptest.Offer); !errors.Is(err, dhcptest.ErrSilence) {
		t.Errorf("before it is switched on: %v", err)
	}
	settings := c.settings("/dhcp/settings")
	settings["enabled"] = true
	c.put("/dhcp/settings", settings).want(200)
	obtain := func(after string) netip.Addr {
		t.Helper()
		m, err := client.Obtain(t.Context(), 20*time.Second)
		if err != nil {
			t.Fatalf("after %s: %v\n%s", after, err, a.sh("journalctl -n 40 --no-pager -u kea-dhcp4-server -u gateway-dhcp-control -u gateway-apply"))
		}
		return m.Address
	}
	addr := obtain("switching it on")
	a.eventually(patience, "the lease is listed", func() bool { return c.leases()[client.MAC.String()] == addr.String() })
	named := func() bool {
		return strings.Contains(a.sh("unbound-control list_local_data"), "laptop.lan.example.com.")
	}
	a.eventually(patience, "the name is answered", named)
	if rules := a.sh("nft list table inet gateway"); !strings.Contains(rules, `iifname "eth0" udp dport 67 accept`) {
		t.Errorf("the port is not open:\n%s", rules)
	}
	pid := a.mainPID("kea-dhcp4-server.service")
	c.post("/dhcp/reservations", object{"subnet_id": subnet, "address": base + "220", "mac": client.MAC.String(), "hostname": "desk"}).want(201)
	if got := obtain("a reservation"); got.String() != base+"220" {
		t.Errorf("a reserved client has %s", got)
	}
	if now := a.mainPID("kea-dhcp4-server.service"); now != pid {
		t.Errorf("a change was a restart of Kea: %s, then %s", pid, now)
	}
	a.sh("systemctl kill -s KILL kea-dhcp4-server.service")
	if got := obtain("a kill"); got.String() != base+"220" {
		t.Errorf("after a kill the client has %s", got)
	}
	a.sh("systemctl restart gateway-apply.service unbound.service")
	a.eventually(patience, "the names are answered again", func() bool {
		return strings.Contains(a.sh("unbound-control list_local_data"), "desk.lan.example.com.")
	})
	settings = c.settings("/dhcp/settings")
	settings["enabled"] = false
	c.put("/dhcp/settings", settings).want(200)
	if state := strings.Fields(a.sh("systemctl is-active kea-dhcp4-server.service || true")); fmt.Sprint(state) != "[inactive]" {
		t.Errorf("switched off, Kea is %v", state)
	}
	a.eventually(patience, "the names are gone", func() bool {
		return !strings.Contains(a.sh("unbound-control list_local_data"), "desk.lan.example.com.")
	})
}
