package app_test

import (
	"net/http"
	"sync"
	"testing"

	"gateway/internal/app/apptest"
)

// Two changes at once, of components that are each judged by what the other one stores, are not both stored.
func TestChangesOfInterfacesAtOnce(t *testing.T) {
	_, admin := apptest.Ready(t, apptest.NoLimits)
	other := admin.Copy()
	port := admin.Post("/network-interfaces", fields{"name": "eth7", "type": "ethernet"}).Want(http.StatusCreated).ID()
	tunnel := fields{"name": "wg7", "mode": "server", "address_cidr": "10.8.0.1/24", "endpoint": "vpn.example.com"}
	for _, race := range []struct {
		name          string
		first, second func() (path string, a *apptest.Answer)
		restore       func()
	}{
		{
			name: "an address of the network of a tunnel",
			first: func() (string, *apptest.Answer) {
				return "/ip-addresses/", admin.Post("/ip-addresses", fields{"interface_id": port, "address": "10.8.0.2", "prefix": 24})
			},
			second: func() (string, *apptest.Answer) {
				return "/tunnel/interfaces/", other.Post("/tunnel/interfaces", tunnel)
			},
		},
		{
			name:  "an uplink by an interface that goes",
			first: func() (string, *apptest.Answer) { return "", admin.Delete("/network-interfaces/" + port) },
			second: func() (string, *apptest.Answer) {
				return "/uplinks/", other.Post("/uplinks", fields{"name": "fibre", "interface": "eth7", "gateway": "192.0.2.1", "active": false})
			},
			restore: func() {
				port = admin.Post("/network-interfaces", fields{"name": "eth7", "type": "ethernet"}).Want(http.StatusCreated).ID()
			},
		},
	} {
		both := 0
		for range 25 {
			var made [2]string
			var pair sync.WaitGroup
			for i, send := range []func() (string, *apptest.Answer){race.first, race.second} {
				pair.Go(func() {
					if path, a := send(); a.Status < 300 && path != "" {
						made[i] = path + a.ID()
					} else if a.Status < 300 {
						made[i] = "gone"
					}
				})
			}
			pair.Wait()
			if made[0] != "" && made[1] != "" {
				both++
			}
			for _, path := range made {
				if path == "gone" && race.restore != nil {
					race.restore()
				} else if path != "" {
					admin.Delete(path).Want(http.StatusOK)
				}
			}
		}
		if both > 0 {
			t.Errorf("%s: both were stored %d times of 25", race.name, both)
		}
	}
}
