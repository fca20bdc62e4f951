package e2e

import (
	"net"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/radius/protocol"
	"gateway/lab"
)

// device asks as an access point does.
type device struct {
	t      *testing.T
	at     *lab.Client
	to     string
	secret string
}

// asks answers accept, reject or silence.
func (d device) asks(user, password string) string {
	d.t.Helper()
	said, err := d.tries("1812", user, password)
	if err != nil {
		d.t.Fatal(err)
	}
	return said
}

// tries is asks at any port, and beside others.
func (d device) tries(port, user, password string) (string, error) {
	conn, err := d.at.DialContext(d.t.Context(), "udp", net.JoinHostPort(d.to, port))
	if err != nil {
		return "", err
	}
	defer conn.Close()
	p := protocol.Request(user)
	p.PAP(password, d.secret)
	data, err := p.Encode(d.secret, true)
	if err != nil {
		return "", err
	}
	if _, err := conn.Write(data); err != nil {
		return "silence", nil //nolint:nilerr // the packet was refused on its way
	}
	if err := conn.SetReadDeadline(time.Now().Add(3 * time.Second)); err != nil {
		return "", err
	}
	in := make([]byte, 4096)
	n, err := conn.Read(in)
	if err != nil {
		return "silence", nil //nolint:nilerr // nobody answered
	}
	answer, err := p.Answer(in[:n], d.secret)
	if err != nil {
		return "", err
	}
	return map[protocol.Code]string{protocol.AccessAccept: "accept", protocol.AccessReject: "reject"}[answer.Code], nil
}

// From nothing to a sign-in, by the installed product: off, on in one zone, changed live, off again.
func TestSignInsByRADIUS(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	a.settles(c, patience)
	if got := a.sh("systemctl is-active freeradius; systemctl is-enabled freeradius; true"); got != "inactive\ndisabled" {
		t.Errorf("on a fresh node FreeRADIUS is %q", got)
	}
	eth0 := c.post("/network-interfaces", object{"name": "eth0", "type": "ethernet", "role": "lan"}).want(201).live().id()
	defer func() { // the node is shared
		settings := c.settings("/radius/settings")
		settings["enabled"] = false
		c.put("/radius/settings", settings).want(200)
		c.do("DELETE", "/network-interfaces/"+eth0, nil).want(200)
	}()
	ap := device{t, a.client, a.node.IP().String(), "correct-horse-battery"}
	c.post("/radius/clients", object{"name": "ap-1", "address": a.client.IP().String(), "secret": ap.secret}).want(201).live()
	c.post("/radius/users", object{"name": "ann", "password": "wonder land", "vlan": 10}).want(201).live()
	if got := ap.asks("ann", "wonder land"); got != "silence" {
		t.Errorf("off, the server answers %s", got)
	}
	settings := c.settings("/radius/settings")
	settings["enabled"] = true
	c.put("/radius/settings", settings).want(200).live()
	if got := ap.asks("ann", "wonder land"); got != "accept" {
		t.Errorf("ann is answered %s", got)
	}
	if got := ap.asks("ann", "wonder"); got != "reject" {
		t.Errorf("somebody else is answered %s", got)
	}
	tested := data[struct{ Result, Client string }](c.post("/radius/test-sign-in", object{"user": "ann", "password": "wonder land", "client_address": a.client.IP().String()}).want(200))
	if tested.Result != "accepted" || tested.Client != "ap-1" {
		t.Errorf("the test says %+v", tested)
	}
	pid := a.sh("systemctl show -p MainPID --value freeradius")
	began := time.Now()
	c.post("/radius/users", object{"name": "ben", "password": "builder"}).want(201).live()
	t.Logf("a new user was live after %v", time.Since(began))
	if got := ap.asks("ben", "builder"); got != "accept" {
		t.Errorf("ben is answered %s", got)
	}
	if now := a.sh("systemctl show -p MainPID --value freeradius"); now != pid {
		t.Errorf("for a new user FreeRADIUS was restarted")
	}
	said := c.get("/radius/sign-ins").want(200).String()
	if !strings.Contains(said, `"result":"password"`) || !strings.Contains(said, `"client":"ap-1"`) {
		t.Errorf("the last sign-ins are %s", said)
	}
	if rules := a.sh("nft list table inet gateway"); !strings.Contains(rules, "1812") || !strings.Contains(rules, "1813") {
		t.Error("the packet filter does not have the ports")
	}
	preview := c.get("/system/config-preview?generator=radius").want(200).String()
	for _, secret := range []string{ap.secret, "wonder land", "builder"} {
		if strings.Contains(preview, secret) || strings.Contains(a.sh("journalctl --no-pager -o cat"), secret) {
			t.Errorf("%q is in the preview or in the journal", secret)
		}
	}
	settings = c.settings("/radius/settings")
	settings["zones"] = []string{"dmz"} // where this device is not
	c.put("/radius/settings", settings).want(200).live()
	if got := ap.asks("ann", "wonder land"); got != "silence" {
		t.Errorf("from another zone ann is answered %s", got)
	}
}
