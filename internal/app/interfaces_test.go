package app_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"gateway/internal/app"
	"gateway/internal/app/apptest"
)

// exclusive are two changes of different components, one of which makes the other one wrong.
type exclusive struct {
	name          string
	first, second func(c *apptest.Client) *apptest.Answer
	// undo removes what one of them stored, so that both are possible again.
	undo func(first, second *apptest.Answer)
}

// Names of interfaces are no foreign keys: what components store of them is judged one change after the other.
func TestChangesOfInterfacesAtOnce(t *testing.T) {
	if n := conflictsStored(t); n > 0 {
		t.Errorf("of 75 times both of two changes that exclude each other were stored %d times", n)
	}
	// The control.
	if n := conflictsStored(t, func(c *app.Config) { c.Unlocked = true }); n == 0 {
		t.Error("without the shared lock no two of them were stored")
	}
}

// conflictsStored counts how often both were.
func conflictsStored(t *testing.T, options ...apptest.Option) (both int) {
	t.Helper()
	_, admin := apptest.Ready(t, append(options, apptest.NoLimits)...)
	other := admin.Copy()
	ethernet := func() string {
		return admin.Post("/network-interfaces", fields{"name": "eth7", "type": "ethernet", "role": "lan"}).Want(http.StatusCreated).ID()
	}
	port := ethernet()
	remove := func(path string, a *apptest.Answer) {
		if a.Status == http.StatusCreated {
			admin.Delete(path + a.ID()).Want(http.StatusOK)
		}
	}
	again := func(gone *apptest.Answer, path string, made *apptest.Answer) {
		if remove(path, made); gone.Status == http.StatusOK {
			port = ethernet()
		}
	}
	tunnel := fields{"name": "wg7", "mode": "server", "address_cidr": "10.8.0.1/24", "endpoint": "vpn.example.com"}
	for _, e := range []exclusive{
		{
			name: "an address of the network of a tunnel",
			first: func(c *apptest.Client) *apptest.Answer {
				return c.Post("/ip-addresses", fields{"interface_id": port, "address": "10.8.0.2", "prefix": 24})
			},
			second: func(c *apptest.Client) *apptest.Answer { return c.Post("/tunnel/interfaces", tunnel) },
			undo: func(first, second *apptest.Answer) {
				remove("/ip-addresses/", first)
				remove("/tunnel/interfaces/", second)
			},
		},
		{
			name:  "an uplink by an interface that goes",
			first: func(c *apptest.Client) *apptest.Answer { return c.Delete("/network-interfaces/" + port) },
			second: func(c *apptest.Client) *apptest.Answer {
				return c.Post("/uplinks", fields{"name": "fibre", "interface": "eth7", "gateway": "192.0.2.1", "active": false})
			},
			undo: func(first, second *apptest.Answer) { again(first, "/uplinks/", second) },
		},
		{
			name: "a tunnel of the name of an interface",
			first: func(c *apptest.Client) *apptest.Answer {
				return c.Post("/network-interfaces", fields{"name": "wg7", "type": "ethernet"})
			},
			second: func(c *apptest.Client) *apptest.Answer { return c.Post("/tunnel/interfaces", tunnel) },
			undo: func(first, second *apptest.Answer) {
				remove("/network-interfaces/", first)
				remove("/tunnel/interfaces/", second)
			},
		},
	} {
		for range 25 {
			var pair sync.WaitGroup
			var first, second *apptest.Answer
			pair.Go(func() { first = e.first(admin) })
			pair.Go(func() { second = e.second(other) })
			pair.Wait()
			refused := func(a *apptest.Answer) bool {
				return a.Status == http.StatusBadRequest || a.Status == http.StatusConflict
			}
			switch done := first.Status < 300; {
			case done && second.Status < 300:
				both++
			case done && refused(second), second.Status < 300 && refused(first):
			default:
				t.Errorf("%s: %d %s, %d %s", e.name, first.Status, first.Body, second.Status, second.Body)
			}
			e.undo(first, second)
		}
	}
	return both
}

// A batch of several of these components and changes of each one do not end one another.
func TestABatchBesideChangesOfInterfaces(t *testing.T) {
	_, admin := apptest.Ready(t, apptest.NoLimits)
	port := admin.Post("/network-interfaces", fields{"name": "eth7", "type": "ethernet"}).Want(http.StatusCreated).ID()
	made := admin.Post("/tunnel/interfaces", fields{"name": "wg7", "mode": "server", "address_cidr": "10.8.0.1/24", "endpoint": "vpn.example.com"}).Want(http.StatusCreated).ID()
	tunnel := fields{"name": "wg7", "mode": "server", "address_cidr": "10.8.0.1/24", "endpoint": "vpn.example.net"}
	batch := fields{"operations": []fields{
		{"method": "POST", "path": "/ip-addresses", "body": fields{"interface_id": port, "address": "10.9.0.1", "prefix": 24}},
		{"method": "PUT", "path": "/tunnel/interfaces/" + made, "body": tunnel},
		{"method": "POST", "path": "/uplinks", "body": fields{"name": "fibre", "interface": "eth7", "gateway": "10.9.0.2", "active": false}},
	}}
	var statuses []int
	for range 10 {
		var mu sync.Mutex
		var all sync.WaitGroup
		note := func(a *apptest.Answer) { mu.Lock(); defer mu.Unlock(); statuses = append(statuses, a.Status) }
		var change string
		for i, c := range []*apptest.Client{admin.Copy(), admin.Copy(), admin.Copy()} {
			all.Go(func() {
				switch i {
				case 0:
					a := c.Post("/batch", batch)
					note(a)
					change = a.Header.Get("Gateway-Change")
				case 1:
					note(c.Put("/tunnel/interfaces/"+made, tunnel))
				default:
					note(c.Put("/network-interfaces/"+port, fields{"name": "eth7", "type": "ethernet"}))
				}
			})
		}
		all.Wait()
		if change != "" {
			admin.Post("/changes/"+change+"/revert", nil).Want(http.StatusOK)
		}
	}
	if i := slices.IndexFunc(statuses, func(s int) bool { return s != http.StatusOK }); i >= 0 {
		t.Errorf("%d changes were answered %v", len(statuses), statuses)
	}
}
