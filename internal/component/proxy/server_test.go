package proxy

import (
	"net/http"
	"testing"

	"gateway/internal/api/apitest"
)

// A site hands out whatever its servers answer: neither what clouds tell their instances, nor what is for this node alone.
func TestAServerIsNeitherTheNodeItselfNorACloudsMetadata(t *testing.T) {
	r := newRig(t)
	pool := r.Backend("web")
	for _, tc := range []struct {
		address string
		port    int
		field   string // that is complained of; none where it is taken
	}{
		{"169.254.169.254", 80, "address"},
		{"169.254.1.1", 8081, "address"},
		{"fe80::1", 80, "address"},
		{"::ffff:169.254.169.254", 80, "address"},
		{"100.100.100.200", 80, "address"},
		{"fd00:ec2::254", 443, "address"},
		{"fd00:ec2::253", 443, ""},
		{"64:ff9b::a9fe:a9fe", 80, "address"},
		{"127.0.0.1", 8080, "port"},
		{"127.0.0.1", 13128, "port"},
		{"127.8.8.8", 3443, "port"},
		{"::1", 443, "port"},
		{"203.0.113.7", 3443, "port"},
		{"2001:db8::7", 22, "port"},
		{"127.0.0.1", 8081, ""},
		{"203.0.113.7", 8081, ""},
		{"198.51.100.9", 8080, ""},
		{"localhost", 8080, "port"},
		{"Api.Localhost", 3443, "port"},
		{"localhost", 8081, ""},
		{"metadata.google.internal", 80, "address"},
		{"backend.example.com", 8080, ""}, // other names are looked up by HAProxy; docs/security.md says so
	} {
		a := r.Do("POST", "/backends/"+pool+"/servers", object{"name": "n", "address": tc.address, "port": tc.port})
		switch {
		case tc.field == "":
			r.Do("DELETE", "/backend-servers/"+a.Want(http.StatusCreated).ID(), nil).Want(http.StatusOK)
		case a.Status != http.StatusBadRequest || a.Complaint(tc.field) == "":
			t.Errorf("%s port %d is answered %d %+v", tc.address, tc.port, a.Status, a.Error)
		}
	}
}

// What was stored before the rule stays editable, as long as nobody has it lead there anew.
func TestAServerOfBeforeTheRuleCanBeEdited(t *testing.T) {
	r := newRig(t)
	server := r.Server(r.Backend("web"), "old", "192.0.2.1:8080")
	r.Restore(`update proxy_servers set address = '127.0.0.1'`)
	r.Edit("/backend-servers/"+server, object{"weight": 7, "active": false}).Want(http.StatusOK)
	if a := r.Edit("/backend-servers/"+server, object{"port": 3443}); a.Status != http.StatusBadRequest || a.Complaint("port") == "" {
		t.Errorf("another port of this node is answered %d %+v", a.Status, a.Error)
	}
	r.Edit("/backend-servers/"+server, object{"port": 8081}).Want(http.StatusOK)
	r.Edit("/backend-servers/"+server, apitest.With(object{"port": 8080})).Want(http.StatusBadRequest)
}
