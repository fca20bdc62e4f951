package network_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/change"
	"gateway/internal/component/componenttest"
	"gateway/tools/bar"
)

// TestBarNetwork06Live is one more route beside many: from the request to the answer, which
// comes when it is in the kernel.
func TestBarNetwork06Live(t *testing.T) {
	routes, addresses := bar.GateSize(1000, 10_000, 10_000), bar.GateSize(100, 1000, 1000)
	space, s := setup(t)
	r := componenttest.New(t, s)
	id := r.Do("POST", "/network-interfaces", object{"name": "p0", "type": "ethernet"}).Want(http.StatusCreated).Field("id")
	err := r.Run.Run(t.Context(), change.Change{Action: "network.route.create", Subject: "many", Component: "network", Actor: "test"}, func(tx change.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into network_addresses (id, revision, created_at, updated_at, interface_id, address, prefix, is_vip, vip_priority, description)
			select gen_random_uuid(), 1, now(), now(), $2, format('10.%s.%s.1', n >> 8, n & 255), 24, false, 100, '' from generate_series(0, $1::int - 1) n`, addresses, id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `insert into network_routes (id, revision, created_at, updated_at, destination, type, gateway, dev, table_name, onlink, active, comment)
			select gen_random_uuid(), 1, now(), now(), format('172.16.%s.%s/32', n >> 8, n & 255), 'unicast', format('10.0.%s.2', n % 100), '', 'main', false, true, '' from generate_series(0, $1::int - 1) n`, routes)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	add := func(i int) time.Duration {
		body := object{"destination": fmt.Sprintf("198.51.100.%d/32", i), "gateway": "10.0.1.2"}
		start := time.Now()
		r.Do("POST", "/routes", body).Want(http.StatusCreated)
		return time.Since(start)
	}
	add(0)
	if got := len(strings.Split(strings.TrimSpace(ip(t, space, "-4 route show proto 250")), "\n")); got != routes+1 {
		t.Fatalf("%d routes in the kernel, want %d", got, routes+1)
	}
	var took []time.Duration
	for i := range 9 {
		took = append(took, add(i+1))
		if out := ip(t, space, fmt.Sprintf("-4 route show 198.51.100.%d/32", i+1)); !strings.Contains(out, "via 10.0.1.2") {
			t.Errorf("the route is not there: %q", out)
		}
	}
	slices.Sort(took)
	middle := took[len(took)/2]
	bar.ReportTimed(t, "network", 6, fmt.Sprintf("one more route beside %d routes and %d addresses is live %d ms after the request", routes, addresses, middle.Milliseconds()),
		"<= 50 ms", !t.Failed(), middle <= 50*time.Millisecond)
}
