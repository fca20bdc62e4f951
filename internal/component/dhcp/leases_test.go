package dhcp_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/internal/component/dhcp"
)

// watched is served with what runs beside the rounds.
func watched(t *testing.T) served {
	t.Helper()
	s := serve(t)
	background(t, s.Daemon)
	return s
}

func (s served) leases(query string) []dhcp.Lease {
	s.T.Helper()
	return apitest.Data[[]dhcp.Lease](s.Do("GET", "/dhcp/leases"+query, nil).Want(http.StatusOK))
}

// until waits for what holds, looking again and again.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestLeasesAreListed(t *testing.T) {
	s := watched(t)
	id := s.subnet()
	other := s.subnet(object{"interface": "eth2", "subnet": "198.51.100.0/24", "pools": []string{"198.51.100.10-198.51.100.12"}, "gateway": "198.51.100.1"})
	one, two := s.kea.NewClient("eth1", "02:00:5e:00:53:01"), s.kea.NewClient("eth2", "00:00:5e:00:53:02")
	one.Hostname, two.Hostname = "laptop", "Tab let"
	s.kea.MustObtain(one)
	s.kea.MustObtain(two)
	var all []dhcp.Lease
	until(t, "two leases", func() bool { all = s.leases(""); return len(all) == 2 })
	if l := all[0]; l.Address != "192.0.2.100" || l.MAC != one.MAC.String() || !l.RandomMAC || l.Hostname != "laptop" || l.SubnetID != id || l.State != "assigned" ||
		!l.ExpiresAt.After(l.LastSeen) || l.FirstSeen.After(l.LastSeen) || l.ReservationID != "" {
		t.Errorf("the lease is %+v", l)
	}
	if l := all[1]; l.RandomMAC || l.SubnetID != other {
		t.Errorf("the other lease is %+v", l)
	}
	if got := s.leases("?sort=-address"); got[0].Address != all[1].Address {
		t.Errorf("sorted: %+v", got)
	}
	if got := s.leases("?q=LAPTOP"); len(got) != 1 {
		t.Errorf("found: %+v", got)
	}
	if got := s.leases("?filter=subnet_id:" + other); len(got) != 1 || got[0].SubnetID != other {
		t.Errorf("of one subnet: %+v", got)
	}
	if got := s.leases("?limit=1&offset=1"); len(got) != 1 || got[0].Address != all[1].Address {
		t.Errorf("the second page: %+v", got)
	}
	s.Do("GET", "/dhcp/leases?sort=x", nil).Want(http.StatusBadRequest)
	s.Do("GET", "/dhcp/leases?filter=subnet_id:x", nil).Want(http.StatusBadRequest)
	// A reservation of a lease, at its address.
	made := s.Do("POST", "/dhcp/reservations", object{"subnet_id": id, "address": all[0].Address, "mac": all[0].MAC, "hostname": all[0].Hostname}).Want(http.StatusCreated).ID()
	if l := s.leases("?q=laptop")[0]; l.ReservationID != made {
		t.Errorf("made static: %+v", l)
	}
	s.Do("DELETE", "/dhcp/leases/"+all[1].Address, nil).Want(http.StatusOK)
	until(t, "one lease", func() bool { return len(s.leases("")) == 1 })
	s.Do("DELETE", "/dhcp/leases/"+all[1].Address, nil).Want(http.StatusNotFound)
	if !slices.Contains(s.Actions(), "dhcp.lease.delete "+all[1].Address) {
		t.Errorf("audited: %q", s.Actions())
	}
}

func TestHowFullPoolsAreAndWhoListens(t *testing.T) {
	s := watched(t)
	id := s.subnet(object{"pools": []string{"192.0.2.100-192.0.2.101"}})
	s.Do("POST", "/dhcp/reservations", object{"subnet_id": id, "address": "192.0.2.101", "mac": "02:00:5e:00:53:09"}).Want(http.StatusCreated)
	s.kea.MustObtain(s.kea.NewClient("eth1", "02:00:5e:00:53:01"))
	var pools []dhcp.PoolUsage
	until(t, "a lease that counts", func() bool {
		pools = apitest.Data[[]dhcp.PoolUsage](s.Do("GET", "/dhcp/usage", nil).Want(http.StatusOK))
		return len(pools) == 1 && pools[0].Leased == 1
	})
	if p := pools[0]; p.Size != 2 || p.Reserved != 1 || p.Free != 0 || len(p.Cells) != 2 || p.Cells[1].Reserved != 1 || p.Cells[1].First != "192.0.2.101" {
		t.Errorf("the pool is %+v", p)
	}
	st := apitest.Data[dhcp.Status](s.Do("GET", "/dhcp/status", nil).Want(http.StatusOK))
	if len(st.Interfaces) != 1 || st.Sockets != "ready" || !st.Interfaces[0].Listening || st.Interfaces[0].Zone != "lan" || st.Interfaces[0].Interface != "eth1" {
		t.Errorf("status: %+v", st)
	}
	found := s.problems()
	if !slices.ContainsFunc(found, func(p string) bool { return strings.HasPrefix(p, "dhcp.pool_full 192.0.2.0/24") }) {
		t.Errorf("problems: %q", found)
	}
	// An interface that goes, and then the server.
	s.kea.Unwire("eth1")
	s.Sync()
	if found = s.problems(); !slices.Contains(found, "dhcp.not_listening DHCP server") {
		t.Errorf("without the interface: %q", found)
	}
	s.kea.Stop()
	if found = s.problems(); !slices.Equal(found, []string{"dhcp.not_answering DHCP server"}) {
		t.Errorf("without the server: %q", found)
	}
	s.Do("GET", "/dhcp/status", nil).Want(http.StatusServiceUnavailable)
	s.Restore(`update dhcp_settings set enabled = false`)
	s.Do("GET", "/dhcp/leases", nil).Want(http.StatusConflict)
	if found = s.problems(); len(found) > 0 {
		t.Errorf("switched off: %q", found)
	}
}

// problems are those found now, as "code subject".
func (s served) problems() (out []string) {
	s.T.Helper()
	found, err := dhcp.New(dhcp.Options{DB: s.Pool, Run: s.Run, Applier: s, Host: machine()}).Problems.Find(s.T.Context())
	if err != nil {
		s.T.Fatal(err)
	}
	for _, p := range found.Problems {
		out = append(out, p.Code+" "+p.Subject.Name)
	}
	return out
}

// asked remembers what gateway-scheduler would be asked for.
type asked struct {
	channel string
	sent    bool
}

func (a *asked) Ask(_ context.Context, channel string, _, out any) error {
	a.channel = channel
	*out.(*bool) = a.sent
	return nil
}

func TestADeviceIsWoken(t *testing.T) {
	r := rig(t)
	id := r.Do("POST", "/dhcp/subnets", subnet()).Want(http.StatusCreated).ID()
	q := &asked{sent: true}
	wake := apitest.New(t, "dhcp", dhcp.New(dhcp.Options{DB: r.Pool, Run: r.Run, Applier: r, Host: machine(), Questions: q}).Routes)
	wake.Do("POST", "/dhcp/wake", object{"mac": "02-00-5E-00-53-01", "subnet_id": id}).Want(http.StatusOK)
	if q.channel != "dhcp_wake" || !slices.Contains(r.Actions(), "dhcp.wake 02:00:5e:00:53:01") {
		t.Errorf("asked on %q, audited %q", q.channel, r.Actions())
	}
	q.sent = false
	wake.Do("POST", "/dhcp/wake", object{"mac": "02-00-5E-00-53-01", "subnet_id": id}).Want(http.StatusServiceUnavailable)
	refused(t, "no MAC address", wake.Do("POST", "/dhcp/wake", object{"mac": "x", "subnet_id": id}), "mac")
	refused(t, "no subnet", wake.Do("POST", "/dhcp/wake", object{"mac": "02-00-5E-00-53-01", "subnet_id": "x"}), "subnet_id")
}
