package export_test

import (
	"net/http"
	"strings"
	"testing"
)

// Keys stay behind: a tunnel that comes back has a new one, and a peer no private key.
func TestTunnelsAreExportedWithoutTheirKeys(t *testing.T) {
	n, admin := newNode(t)
	id := admin.Post("/tunnel/interfaces", object{"name": "wg7", "mode": "server", "address_cidr": "10.77.0.1/24", "active": false}).Want(http.StatusCreated).ID()
	admin.Post("/tunnel/peers", object{"interface_id": id, "name": "ann", "generate_preshared_key": true, "keepalive": 25}).Want(http.StatusCreated)
	doc := n.export()
	if !strings.Contains(doc, "interface: wg7") || strings.Contains(doc, "private_key") || strings.Contains(doc, "preshared") {
		t.Errorf("exported as\n%s", doc)
	}
	if steps := n.plan(doc); len(steps) != 0 {
		t.Errorf("the document of what there is would do %v", steps)
	}
	n.apply("tunnel: {interfaces: [], peers: []}")
	if strings.Contains(n.export(), "wg7") {
		t.Fatal("the tunnel is still there")
	}
	n.apply(doc)
	if again := n.export(); again != doc {
		t.Errorf("came back as\n%s\nwas\n%s", again, doc)
	}
}
