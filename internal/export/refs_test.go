package export_test

import (
	"net/http"
	"strings"
	"testing"
)

// What refers to another component goes before what it refers to, and comes after it.
func TestReferencesToAnotherComponentAreExportedByName(t *testing.T) {
	n, admin := newNode(t)
	group := admin.Post("/uplink-groups", object{"name": "voice line"}).Want(http.StatusCreated).ID()
	admin.Post("/firewall/rules", object{"name": "phones", "action": "accept", "src_zone": "lan", "dst_zone": "wan", "uplink_group_id": group}).Want(http.StatusCreated)
	doc := n.export()
	if !strings.Contains(doc, "uplink_group: voice line") || strings.Contains(doc, group) {
		t.Errorf("exported as\n%s", doc)
	}
	if steps := n.plan(doc); len(steps) != 0 {
		t.Errorf("the document of what there is would do %v", steps)
	}
	n.apply("uplink: {groups: []}\nfirewall: {rules: []}")
	if strings.Contains(n.export(), "voice line") {
		t.Fatal("the group is still there")
	}
	n.apply(doc)
	if again := n.export(); again != doc {
		t.Errorf("came back as\n%s\nwas\n%s", again, doc)
	}
	// A document without the other component refers to what is there.
	_, rest, _ := strings.Cut(doc, "\nfirewall:")
	n.apply("firewall: {rules: []}")
	n.apply("firewall:" + rest)
	if again := n.export(); again != doc {
		t.Errorf("came back as\n%s\nwas\n%s", again, doc)
	}
}

// An earlier document takes the new objects out of a rule that stays, so they can be deleted only
// after the rule has changed.
func TestWhatIsNoLongerUsedIsDeletedAfterItsUserChanged(t *testing.T) {
	n, admin := newNode(t)
	rule := object{"name": "calls", "action": "accept", "src_zone": "lan", "dst_zone": "wan", "priority": 500}
	path := "/firewall/rules/" + admin.Post("/firewall/rules", rule).Want(http.StatusCreated).ID()
	doc := n.export()
	rule["uplink_group_id"] = admin.Post("/uplink-groups", object{"name": "voice line"}).Want(http.StatusCreated).ID()
	admin.Post("/firewall/zones", object{"name": "phones"}).Want(http.StatusCreated)
	rule["src_zone"] = "phones"
	host := admin.Post("/firewall/address-objects", object{"name": "pbx", "kind": "host", "value": "192.0.2.9"}).Want(http.StatusCreated).ID()
	set := admin.Post("/firewall/address-groups", object{"name": "exchanges"}).Want(http.StatusCreated).ID()
	admin.Post("/firewall/address-members", object{"group_id": set, "object_id": host}).Want(http.StatusCreated)
	rule["dst_kind"], rule["dst_group_id"] = "group", set
	admin.Put(path, rule).Want(http.StatusOK)
	n.apply(doc)
	if again := n.export(); again != doc {
		t.Errorf("came back as\n%s\nwas\n%s", again, doc)
	}
}
