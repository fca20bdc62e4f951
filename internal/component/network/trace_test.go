package network_test

import (
	"net/http"
	"testing"

	"gateway/internal/component/componenttest"
)

// The way that docs/architecture.md describes: from the request to the kernel's routes.
func TestTheWayOfARoute(t *testing.T) {
	_, s := setup(t)
	r := componenttest.New(t, s)
	id := r.Do("POST", "/network-interfaces", object{"name": "p0", "type": "ethernet"}).Want(http.StatusCreated).Field("id")
	r.Do("POST", "/ip-addresses", object{"interface_id": id, "address": "192.0.2.1", "prefix": 24}).Want(http.StatusCreated)
	r.Trace("/routes", func() {
		r.Do("POST", "/routes", object{"destination": "198.51.100.0/24", "gateway": "192.0.2.254"}).Want(http.StatusCreated)
	})
}
