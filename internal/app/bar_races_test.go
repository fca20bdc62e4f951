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

func TestBarCarry05Races(t *testing.T) {
	bar.NotShort(t)
	n := bar.GateSize(60, 200, 5000)
	both, neither := races(t, n)
	control, _ := races(t, 30, func(c *app.Config) { c.Unlocked = true })
	figure := fmt.Sprintf("%d of %d races of two components stored both changes, %d neither; control with the old locks: %d of 30", both, n, neither, control)
	bar.Report(t, "carry", 5, figure, "0 both, control > 0", both == 0 && neither == 0 && control > 0)
}
