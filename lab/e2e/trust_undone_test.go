package e2e

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/radius/freeradius"
	"gateway/tools/bar"
)

// What a change deleted is all there again when nobody confirmed it, and works.
func TestBarTrust08UndoneDeletions(t *testing.T) {
	a, c := alone(t)
	const each = 7
	var made []string
	passwords := map[string]string{}
	for i := range each {
		name := fmt.Sprintf("site%d.example.com", i)
		certificate, key := pair(t, name)
		made = append(made, "/certificates/"+c.post("/certificates", uploaded(name, certificate, key)).want(201).id())
		domain := c.post("/domains", object{"name": name}).want(201).id()
		passwords[name] = "Harbour-Lantern-" + rand.Text()
		made = append(made, "/domain-users/"+c.post("/domain-users", object{"domain_id": domain, "name": "ann", "password": passwords[name]}).want(201).id())
		if i < 6 {
			body := object{"name": fmt.Sprintf("ns%d", i), "kind": "rfc2136", "settings": object{"server": "192.0.2.1", "key_name": "gateway", "key": "YQ=="}}
			made = append(made, "/certificates/dns-providers/"+c.post("/certificates/dns-providers", body).want(201).id())
		}
	}
	beside := a.besideSites(c)
	made = append(made, beside.made...)
	before, serial := a.secretsKept(), a.servesSerial("site0.example.com")
	if !beside.work(a, c) {
		t.Fatal("the tunnel or the RADIUS server does not work to begin with")
	}
	asks := c.copy()
	asks.header.Set("Gateway-Confirm-Within", "15")
	change := asks.post("/batch", object{"operations": deletions(made)}).want(200).header.Get("Gateway-Change")
	meanwhile := differ(before, a.secretsKept())
	deleted := len(meanwhile) == len(before) && a.servesSerial("site0.example.com") != serial
	a.awaitUndone(c, change)
	a.settles(c, patience)
	after := differ(before, a.secretsKept())
	for _, name := range after {
		t.Errorf("%s is not as before", name)
	}
	back := 0
	if len(after) == 0 {
		back = len(made)
	}
	works := 0
	for i := range each {
		name := fmt.Sprintf("site%d.example.com", i)
		if a.serves(name).DNSNames[0] == name && a.siteAnswers(name, "", "") == 401 && a.siteAnswers(name, "ann", passwords[name]) != 401 {
			works++
		}
	}
	others := beside.work(a, c)
	left := a.sql("gateway", "select count(*) from change_secrets")
	figure := fmt.Sprintf("%d of %d back byte for byte, %d of %d sites with their key and password, tunnel and RADIUS with theirs %v, %s secrets left beside; control: gone meanwhile %v, from %d of %d tables and files",
		back, len(made), works, each, others, left, deleted, len(meanwhile), len(before))
	bar.Report(t, "trust", 8, figure, "all, 0 left, control true", back == len(made) && works == each && others && left == "0" && deleted)
}

// besideSites is what has a secret beside the sites: a tunnel with a peer, a device and a user of the RADIUS server, and
// what reaches no daemon, a channel of alerts and a target of backups.
type besideSites struct {
	made                     []string // what refers to others first
	peer, phone              string   // its path, and its configuration with all three keys
	shared, person, password string
}

func (a *appliance) besideSites(c *caller) besideSites {
	a.t.Helper()
	b := besideSites{shared: "Harbour-Lantern-" + rand.Text(), person: "ann", password: "Harbour-Lantern-" + rand.Text()}
	add := func(path string, body object) string {
		id := c.post(path, body).want(201).id()
		b.made = append([]string{path + "/" + id}, b.made...)
		return id
	}
	tunnel := add("/tunnel/interfaces", object{
		"name": "wg0", "mode": "server", "address_cidr": "10.8.0.1/24", "endpoint": "vpn.example.com", "active": false, "private_key": a.tunnelKey(),
	})
	b.peer = "/tunnel/peers/" + add("/tunnel/peers", object{"interface_id": tunnel, "name": "phone", "preshared_key": a.tunnelKey()})
	b.phone = string(c.get(b.peer + "/config").want(200).body)
	c.post("/network-interfaces", object{"name": "eth0", "type": "ethernet", "role": "lan"}).want(201).live()
	c.switched("/radius/settings", nil)
	add("/radius/clients", object{"name": "device", "address": a.client.IP().String(), "secret": b.shared})
	add("/radius/users", object{"name": b.person, "password": b.password})
	add("/alerts", object{
		"name": "hook", "kind": "webhook", "target": "https://192.0.2.1/", "active": false, "settings": object{"token": "Harbour-Lantern-" + rand.Text()},
	})
	add("/backup-targets", object{"name": "bucket", "kind": "s3", "active": false, "settings": object{
		"endpoint": "192.0.2.1", "bucket": "archives", "access_key": "gateway", "secret_key": "Harbour-Lantern-" + rand.Text(),
	}})
	a.settles(c, patience)
	return b
}

// work reports whether the phone is given the same keys, and the device and the user are who they were.
func (b besideSites) work(a *appliance, c *caller) bool {
	a.t.Helper()
	phone := string(c.get(b.peer + "/config").want(200).body)
	said := device{a.t, a.client, a.node.IP().String(), b.shared}.asks(b.person, b.password)
	if said != "accept" {
		a.t.Logf("the RADIUS server says %s", said)
	}
	return phone == b.phone && strings.Contains(phone, "PresharedKey") && said == "accept"
}

// secretsKept is every row and file that holds what was deleted, but for what each write sets anew: by table and folder.
func (a *appliance) secretsKept() map[string]string {
	a.t.Helper()
	kept := map[string]string{}
	for _, table := range []string{
		"certificates", "dns_providers", "proxy_users", "tunnel_interfaces", "tunnel_peers", "radius_clients", "radius_users", "alert_channels", "backup_targets",
	} {
		kept[table] = a.sql("gateway", "select to_jsonb(t) - '{revision,updated_at}'::text[] from "+table+" t order by id")
	}
	for _, files := range []string{
		"/etc/gateway/haproxy/certs/*.pem", "/etc/gateway/haproxy/maps/logins.map", freeradius.ClientsFolder + "/*", freeradius.UsersFile,
	} {
		kept[files] = a.sh("sha256sum " + files + " 2>/dev/null || true")
	}
	return kept
}

// differ names what is not the same in both.
func differ(before, after map[string]string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(before)), func(name string) bool { return before[name] == after[name] })
}

// siteAnswers is what a site answers to a visitor with that name and password.
func (a *appliance) siteAnswers(site, user, password string) int {
	a.t.Helper()
	return a.visitor(http1).get("https://"+site+"/", func(r *http.Request) {
		if user != "" {
			r.SetBasicAuth(user, password)
		}
	}).status
}
