package app_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/tools/bar"
)

// races has two changes of different components made at once that are harmless each and break
// an assertion together: the resolver is opened to others while somebody writes down that
// nobody reaches it. It counts how often both were stored, and neither.
func races(t *testing.T, n int, options ...apptest.Option) (both, neither int) {
	t.Helper()
	_, admin := apptest.Ready(t, append(options, apptest.NoLimits)...)
	other := admin.Copy()
	service := admin.Post("/firewall/services", fields{"name": "resolver", "protocol": "udp", "port": 53}).Want(http.StatusCreated).ID()
	closed, open := []string{"127.0.0.1"}, []string{"127.0.0.1", "192.0.2.1"}
	listen(admin, closed).Want(http.StatusOK)
	for range n {
		var opened, asserted *apptest.Answer
		var pair sync.WaitGroup
		pair.Go(func() { opened = listen(admin, open) })
		pair.Go(func() {
			asserted = other.Post("/firewall/assertions", fields{"name": "nobody asks us", "expect": "never", "dst_zone": "gateway", "service_object_id": service})
		})
		pair.Wait()
		did := [2]bool{opened.Status == http.StatusOK, asserted.Status == http.StatusCreated}
		switch did {
		case [2]bool{true, true}:
			both++
		case [2]bool{}:
			neither++
			t.Logf("neither was stored: %d %s, %d %s", opened.Status, opened.Body, asserted.Status, asserted.Body)
		}
		if did[1] {
			admin.Delete("/firewall/assertions/" + asserted.ID()).Want(http.StatusOK)
		}
		if did[0] {
			listen(admin, closed).Want(http.StatusOK)
		}
	}
	return both, neither
}

// listen says where the resolver answers.
func listen(c *apptest.Client, addresses []string) *apptest.Answer {
	return c.Put("/dns/settings", fields{
		"upstream_forwards": []string{}, "access_acl": []string{"127.0.0.0/8"}, "listen_addresses": addresses,
		"cache_min_ttl": 0, "cache_max_ttl": 86400, "dnssec": true, "qname_minimisation": true,
	})
}

// lockouts has the two routes by which a session is answered removed at once, each by a change
// of another component: the default route of the main table, and an uplink with its own table.
// It counts how often both went, and neither.
func lockouts(t *testing.T, n int, options ...apptest.Option) (both, neither int) {
	t.Helper()
	var route, uplink string
	r := newRemote(t, func(r *remote) { route, uplink = r.route("0.0.0.0/0"), r.uplink() }, options...)
	other := r.Copy()
	for range n {
		var first, second *apptest.Answer
		var pair sync.WaitGroup
		pair.Go(func() { first = r.Delete("/routes/" + route) })
		pair.Go(func() { second = other.Delete("/uplinks/" + uplink) })
		pair.Wait()
		did := [2]bool{first.Status == http.StatusOK, second.Status == http.StatusOK}
		switch did {
		case [2]bool{true, true}:
			both++
		case [2]bool{}:
			neither++
			t.Logf("neither was stored: %d %s, %d %s", first.Status, first.Body, second.Status, second.Body)
		}
		if did[0] {
			route = r.route("0.0.0.0/0")
		}
		if did[1] {
			uplink = r.uplink()
		}
	}
	return both, neither
}

// detours has a route made that leads a host into an open network, while somebody writes down that
// nobody gets there. It counts how often both were stored, and neither.
func detours(t *testing.T, n int, options ...apptest.Option) (both, neither int) {
	t.Helper()
	r := newRemote(t, open("203.0.113.7/32"), options...)
	r.Delete("/firewall/assertions/" + r.asserted).Want(http.StatusOK)
	other := r.Copy()
	for range n {
		var led, asserted *apptest.Answer
		var pair sync.WaitGroup
		pair.Go(func() {
			led = r.Post("/routes", fields{"destination": "203.0.113.200/32", "gateway": "198.51.100.9"})
		})
		pair.Go(func() { asserted = other.Post("/firewall/assertions", never("203.0.113.200/32")) })
		pair.Wait()
		did := [2]bool{led.Status == http.StatusCreated, asserted.Status == http.StatusCreated}
		switch did {
		case [2]bool{true, true}:
			both++
		case [2]bool{}:
			neither++
			t.Logf("neither was stored: %d %s, %d %s", led.Status, led.Body, asserted.Status, asserted.Body)
		}
		if did[1] {
			r.Delete("/firewall/assertions/" + asserted.ID()).Want(http.StatusOK)
		}
		if did[0] {
			r.Delete("/routes/" + led.ID()).Want(http.StatusOK)
		}
	}
	return both, neither
}

func TestBarCarry05Races(t *testing.T) {
	bar.NotShort(t)
	n, pairs := bar.GateSize(60, 200, 5000), bar.GateSize(30, 100, 1000)
	both, neither := races(t, n)
	out, none := lockouts(t, pairs)
	led, stuck := detours(t, pairs)
	control, controls := unlocked(t, races)
	lost, losts := unlocked(t, lockouts)
	broke, brokes := unlocked(t, detours)
	figure := fmt.Sprintf("%d of %d races of two components stored both changes, %d neither; control with the old locks: %d of %d; %d of %d races of a route and an uplink locked out their session, %d stored neither; control: %d of %d; "+
		"%d of %d races of a route and an assertion broke it, %d stored neither; control: %d of %d",
		both, n, neither, control, controls, out, pairs, none, lost, losts, led, pairs, stuck, broke, brokes)
	bar.Report(t, "carry", 5, figure, "0 both, control > 0", both == 0 && neither == 0 && control > 0 && out == 0 && none == 0 && lost > 0 && led == 0 && stuck == 0 && broke > 0)
}

// unlocked is how many of the races end wrong with the old locks: on a busy machine the first thirty may not meet.
func unlocked(t *testing.T, race func(*testing.T, int, ...apptest.Option) (wrong, neither int)) (wrong, all int) {
	t.Helper()
	for wrong == 0 && all < 300 {
		more, _ := race(t, 30, func(c *app.Config) { c.Unlocked = true })
		wrong, all = wrong+more, all+30
	}
	return wrong, all
}
