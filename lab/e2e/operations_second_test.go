package e2e

import (
	"fmt"
	"testing"
	"time"

	"gateway/tools/bar"
)

// A node that burned down comes back on other hardware, from an archive and a passphrase: its accounts, its secrets, its
// rules, on a network card of another name.
func TestBarOperations03SecondNode(t *testing.T) {
	a, c := alone(t)
	const passphrase = "Lantern-Orchard-Gravel-58"
	c.put("/backups/passphrase", object{"passphrase": passphrase, "password": a.admin.password}).want(200)
	c.post("/network-interfaces", object{"name": "eth0", "type": "ethernet", "role": "lan"}).want(201).live()
	c.post("/users", object{"email": thenAdmin.email, "role": "admin", "password": thenAdmin.password}).want(201)
	c.post("/ntp/pools", object{"kind": "server", "address": thenServer}).want(201)
	ap := device{t, a.client, a.node.IP().String(), "correct-horse-battery"}
	c.post("/radius/clients", object{"name": "ap-1", "address": a.client.IP().String(), "secret": ap.secret}).want(201).live()
	c.post("/radius/users", object{"name": "ann", "password": "wonder land", "vlan": 10}).want(201).live()
	settings := c.settings("/radius/settings")
	settings["enabled"] = true
	c.put("/radius/settings", settings).want(200).live()
	if got := ap.asks("ann", "wonder land"); got != "accept" {
		t.Fatalf("on the first node ann is answered %s", got)
	}
	first := &restorer{appliance: a}
	archive, err := a.node.HostPath("/var/lib/gateway/backups/" + first.backUp() + ".gwb")
	a.lab.Must(err)

	b := &appliance{t: t, lab: a.lab, node: a.lab.Node("gw2"), client: a.client}
	b.install(firstDeb(t))
	b.run("sh", "-c", "ip link set eth0 down && ip link set eth0 name up0 && ip link set up0 up")
	a.lab.Must(b.node.CopyIn(archive, "/root/archive.gwb", 0o600))
	b.lab.Must(b.node.WriteFile("/root/passphrase", []byte(passphrase+"\n"), 0o600))
	b.lab.Must(b.node.WriteFile("/root/wrong", []byte("Lantern-Orchard-Gravel-59\n"), 0o600))
	b.fails("gateway-ctl", "restore", "/root/archive.gwb")
	b.fails("gateway-ctl", "restore", "/root/archive.gwb", "--passphrase-file", "/root/wrong")
	began := time.Now()
	t.Log(b.run("gateway-ctl", "restore", "/root/archive.gwb", "--passphrase-file", "/root/passphrase", "--link", "eth0=up0", "--confirm-within", "300"))
	took := time.Since(began)
	second := &restorer{appliance: b}
	if side := second.side(); side != "then" {
		t.Fatalf("the second node is in the state %s", side)
	}
	there := device{t, b.client, b.node.IP().String(), ap.secret}
	answer := ""
	b.eventually(patience, "RADIUS answers on the second node", func() bool { answer = there.asks("ann", "wonder land"); return answer == "accept" })
	b.signedIn(thenAdmin).post("/backups/restore/confirm", nil).want(200)
	b.eventually(patience, "it is over", func() bool { return second.state().Ended != nil })
	if s := second.state(); s.Result != "confirmed" {
		t.Errorf("confirmed: %+v", s)
	}
	links := b.sql("gateway", "select string_agg(name, ' ') from network_interfaces")
	if links != "up0" {
		t.Errorf("the interfaces are %q", links)
	}
	if left := b.sh("ls /var/lib/gateway/backups | grep keys || true"); left != "" {
		t.Errorf("the key of the other node is left: %s", left)
	}
	figure := fmt.Sprintf("restored in %.1f s; accounts, RADIUS secret and zone of the renamed card work, management reachable", took.Seconds())
	bar.Report(t, "operations", 3, figure, "passes", !t.Failed())
}
