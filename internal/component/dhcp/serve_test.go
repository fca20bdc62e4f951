package dhcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/dhcp"
	"gateway/internal/component/dhcp/dhcptest"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/daemon"
	"gateway/internal/daemon/hostnames"
)

// served is the component with a real Kea at its other end.
type served struct {
	*componenttest.Rig
	kea   *dhcptest.Kea
	links chan struct{} // says that they have changed
}

// serve has Kea with a wan, a lan and a dmz, and is switched on.
func serve(t *testing.T) served { t.Helper(); return serveWith(t, nil) }

// serveWith is serve where the names of clients are told.
func serveWith(t *testing.T, names *hostnames.Registry) served {
	t.Helper()
	s := wired(t, names, machine(), map[string]string{"eth0": "203.0.113.7/24", "eth1": "192.0.2.1/24", "eth2": "198.51.100.1/24"})
	declare(s.Rig)
	s.Edit("/dhcp/settings", object{"enabled": true}).Want(http.StatusOK)
	return s
}

// wired has Kea on wires of the test's own, and is not switched on. The API sees the links of host;
// nil for those that there are.
func wired(t *testing.T, names *hostnames.Registry, host kea.Host, wires map[string]string) served {
	t.Helper()
	s := served{links: make(chan struct{})}
	with := setup(t)
	with.Live = true
	with.Daemon = func(r *componenttest.Rig) daemon.Daemon {
		s.kea = dhcptest.New(t, r.Root, wires)
		r.Units.Act = s.kea.Act
		o := s.kea.Options()
		o.Units, o.Names = r.Units, names
		o.Watch = func(ctx context.Context, wake func()) error {
			for {
				select {
				case <-ctx.Done():
					return nil
				case <-s.links:
					wake()
				}
			}
		}
		return kea.New(o)
	}
	with.Component = func(r *componenttest.Rig) component.Component {
		if s.kea != nil && host == nil {
			host = s.kea
		}
		return dhcp.New(dhcp.Options{DB: r.Pool, Run: r.Run, Applier: r, Host: host})
	}
	s.Rig = componenttest.New(t, with)
	return s
}

func (s served) subnet(more ...object) string {
	s.T.Helper()
	return s.Do("POST", "/dhcp/subnets", subnet(more...)).Want(http.StatusCreated).ID()
}

func text(m dhcptest.Message, code byte) string { return string(m.Options[code]) }

// shows DHCP-03, DHCP-04
func TestClientsAreServed(t *testing.T) {
	s := serve(t)
	id := s.subnet(object{
		"dns_servers": []string{"192.0.2.1", "9.9.9.9"}, "domain": "lan.example.com", "lease_time": 1200,
		"options": []string{"66 text boot.example.com"},
	})
	c := s.kea.NewClient("eth1", "02:00:5e:00:53:01")
	got, err := c.Obtain(t.Context(), 8*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	pool := kea.Range{First: netip.MustParseAddr("192.0.2.100"), Last: netip.MustParseAddr("192.0.2.199")}
	if !pool.Contains(got.Address) || got.Server() != netip.MustParseAddr("192.0.2.1") {
		t.Errorf("got %s of %s", got.Address, got.Server())
	}
	for code, want := range map[byte]string{1: "\xff\xff\xff\x00", 3: "\xc0\x00\x02\x01", 6: "\xc0\x00\x02\x01\x09\x09\x09\x09", 15: "lan.example.com", 51: "\x00\x00\x04\xb0", 66: "boot.example.com"} {
		if text(got, code) != want {
			t.Errorf("option %d = %q, want %q", code, text(got, code), want)
		}
	}
	// By MAC address and by client id; the former address is not renewed.
	s.Do("POST", "/dhcp/reservations", object{"subnet_id": id, "address": "192.0.2.10", "mac": c.MAC.String(), "hostname": "printer"}).Want(http.StatusCreated)
	again, err := c.Again(t.Context(), got.Address, 8*time.Second)
	if err != nil || again.Type != dhcptest.NAK {
		t.Errorf("a client with a reservation renews %s: %+v, %v", got.Address, again, err)
	}
	if got, err = c.Obtain(t.Context(), 8*time.Second); err != nil || got.Address != netip.MustParseAddr("192.0.2.10") || text(got, 12) != "printer" {
		t.Errorf("reserved: %s, named %q, %v", got.Address, text(got, 12), err)
	}
	s.Do("POST", "/dhcp/reservations", object{"subnet_id": id, "address": "192.0.2.150", "client_id": "00:61:62:63"}).Want(http.StatusCreated)
	byID := s.kea.NewClient("eth1", "02:00:5e:00:53:02")
	byID.ClientID = []byte("\x00abc")
	if a := s.kea.MustObtain(byID); a != netip.MustParseAddr("192.0.2.150") {
		t.Errorf("reserved by client id: %s", a)
	}
	if s.kea.Starts != 1 {
		t.Errorf("kea was started %d times", s.kea.Starts)
	}
}

// Of subnets that stand alone, Kea serves the first one of an interface.
func TestSeveralSubnetsOfOneInterfaceAreServed(t *testing.T) {
	s := serve(t)
	first := s.subnet(object{"subnet": "10.9.0.0/24", "pools": []string{"10.9.0.100"}, "gateway": "10.9.0.1"})
	second := s.subnet(object{"domain": "second.example.com"})
	got := map[netip.Addr]bool{}
	for i := range 3 {
		got[s.kea.MustObtain(s.kea.NewClient("eth1", fmt.Sprintf("02:00:5e:00:53:%02x", i)))] = true
	}
	if !got[netip.MustParseAddr("10.9.0.100")] || len(got) != 3 {
		t.Errorf("the clients have %v", got)
	}
	c := s.kea.NewClient("eth1", "02:00:5e:00:53:09")
	for id, address := range map[string]string{first: "10.9.0.7", second: "192.0.2.7"} {
		made := s.Do("POST", "/dhcp/reservations", object{"subnet_id": id, "address": address, "mac": c.MAC.String()}).Want(http.StatusCreated).ID()
		m, err := c.Obtain(t.Context(), 8*time.Second)
		if want := map[string]string{first: "", second: "second.example.com"}[id]; err != nil || m.Address.String() != address || text(m, 15) != want {
			t.Errorf("reserved %s: %s of %q, %v", address, m.Address, text(m, 15), err)
		}
		s.Do("DELETE", "/dhcp/reservations/"+made, nil).Want(http.StatusOK)
		s.Do("DELETE", "/dhcp/leases/"+address, nil).Want(http.StatusOK)
	}
	// Of one that is left, the clients go on.
	s.Do("DELETE", "/dhcp/subnets/"+first, nil).Want(http.StatusOK)
	if a := s.kea.MustObtain(c); !netip.MustParsePrefix("192.0.2.0/24").Contains(a) {
		t.Errorf("with one subnet left, a client has %s", a)
	}
	if s.kea.Starts != 1 {
		t.Errorf("kea was started %d times", s.kea.Starts)
	}
}

// silent fails unless nobody answers at the wire.
func silent(t *testing.T, s served, wire string) error {
	t.Helper()
	_, err := s.kea.NewClient(wire, "02:00:5e:00:53:77").Ask(t.Context(), dhcptest.Discover, nil, 2*time.Second, dhcptest.Offer)
	return err
}

// Kea's sockets see what the packet filter drops, so what keeps it out of wan is its own list.
func TestNobodyIsAnsweredInWan(t *testing.T) {
	s := serve(t)
	s.subnet()
	wan := subnet(object{"interface": "eth0", "subnet": "203.0.113.0/24", "pools": []string{"203.0.113.100-203.0.113.199"}, "gateway": ""})
	s.Do("POST", "/dhcp/subnets", wan).Want(http.StatusBadRequest)
	s.kea.MustObtain(s.kea.NewClient("eth1", "02:00:5e:00:53:01"))
	for _, wire := range []string{"eth0", "eth2"} {
		if err := silent(t, s, wire); !errors.Is(err, dhcptest.ErrSilence) {
			t.Errorf("a client at %s: %v", wire, err)
		}
	}
	// A row that came past the API is left out and named.
	s.Restore(`insert into dhcp_subnets (id, revision, created_at, updated_at, interface, subnet, pools, gateway, dns_servers, ntp_servers, domain, lease_time, options, dns_names, active, description)
		values ('00000000-0000-7000-8000-000000067001', 1, now(), now(), 'eth0', '203.0.113.0/24', '{203.0.113.100-203.0.113.199}', '', '{}', '{}', '', 3600, '{}', false, true, '')`)
	s.Sync()
	if err := silent(t, s, "eth0"); !errors.Is(err, dhcptest.ErrSilence) {
		t.Errorf("with a row for wan, a client there: %v", err)
	}
	if p := componenttest.ProblemsText(s.Rendered()); !strings.Contains(p, "203.0.113.0/24") {
		t.Errorf("nothing is said of the row: %q", p)
	}
	// The control: the same row, with the interface in another zone.
	s.Restore(`update network_interfaces set role = 'dmz' where name = 'eth0'`)
	s.MustSync()
	if err := silent(t, s, "eth0"); err != nil {
		t.Errorf("with the interface in another zone, a client there: %v", err)
	}
}

func TestAChangeOfASubnetLeavesTheLeasesOfOthers(t *testing.T) {
	s := serve(t)
	id := s.subnet()
	s.subnet(object{"interface": "eth2", "subnet": "198.51.100.0/24", "pools": []string{"198.51.100.100-198.51.100.199"}, "gateway": "198.51.100.1"})
	lan, dmz := s.kea.NewClient("eth1", "02:00:5e:00:53:01"), s.kea.NewClient("eth2", "02:00:5e:00:53:02")
	has := map[*dhcptest.Client]netip.Addr{lan: s.kea.MustObtain(lan), dmz: s.kea.MustObtain(dmz)}
	for _, change := range []object{{"lease_time": 600}, {"pools": []string{"192.0.2.50-192.0.2.199"}}, {"domain": "a.example.com"}} {
		s.Edit("/dhcp/subnets/"+id, change).Want(http.StatusOK)
		for c, addr := range has {
			if m, err := c.Again(t.Context(), addr, 8*time.Second); err != nil || m.Type != dhcptest.ACK || m.Address != addr {
				t.Errorf("after %v, %s has %s of %+v, %v", change, c.MAC, addr, m, err)
			}
		}
	}
	s.Do("DELETE", "/dhcp/subnets/"+id, nil).Want(http.StatusOK)
	if m, err := dmz.Again(t.Context(), has[dmz], 8*time.Second); err != nil || m.Type != dhcptest.ACK {
		t.Errorf("after the other subnet is gone: %+v, %v", m, err)
	}
	leases, err := s.kea.Client.Leases(t.Context())
	if err != nil || len(leases) < 1 || s.kea.Starts != 1 {
		t.Errorf("%d leases, %d starts, %v", len(leases), s.kea.Starts, err)
	}
}

// An interface that goes is taken off the list, and served again when it comes.
func TestAnInterfaceThatIsMissing(t *testing.T) {
	s := serve(t)
	s.subnet()
	s.subnet(object{"interface": "eth2", "subnet": "198.51.100.0/24", "pools": []string{"198.51.100.100-198.51.100.199"}, "gateway": "198.51.100.1"})
	s.kea.Unwire("eth2")
	s.Sync()
	if p := componenttest.ProblemsText(s.Rendered()); !strings.Contains(p, "missing on this node") {
		t.Errorf("problems: %q", p)
	}
	s.kea.MustObtain(s.kea.NewClient("eth1", "02:00:5e:00:53:01"))
	s.kea.Wire("eth2", "198.51.100.1/24")
	s.MustSync()
	s.kea.MustObtain(s.kea.NewClient("eth2", "02:00:5e:00:53:02"))
	// Killed, it starts on what is installed.
	s.kea.Stop()
	s.Restart()
	s.Forget()
	s.MustSync()
	s.kea.MustObtain(s.kea.NewClient("eth1", "02:00:5e:00:53:03"))
}

// A VLAN with another number is made anew under its name, and Kea's socket is that of the one that is gone.
func TestAnInterfaceThatIsMadeAnewIsServed(t *testing.T) {
	s := serve(t)
	s.subnet()
	s.kea.MustObtain(s.kea.NewClient("eth1", "02:00:5e:00:53:01"))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Daemon.Background(ctx, func() {}) }()
	s.kea.Unwire("eth1")
	s.kea.Wire("eth1", "192.0.2.1/24")
	if got, err := s.kea.NewClient("eth1", "02:00:5e:00:53:02").Obtain(t.Context(), 2*time.Second); err == nil {
		t.Errorf("the control: Kea answered %s by a socket of its own", got.Address)
	}
	s.links <- struct{}{}
	s.kea.MustObtain(s.kea.NewClient("eth1", "02:00:5e:00:53:03"))
	s.links <- struct{}{} // the same interfaces as before
	s.kea.MustObtain(s.kea.NewClient("eth1", "02:00:5e:00:53:04"))
	stop()
	if err := <-done; err != nil || s.kea.Starts != 2 {
		t.Errorf("%d starts, %v", s.kea.Starts, err)
	}
	s.kea.Unwire("eth1") // while nobody watches, as after a kill of gateway-apply
	s.kea.Wire("eth1", "192.0.2.1/24")
	ctx, stop = context.WithCancel(t.Context())
	go func() { done <- s.Daemon.Background(ctx, func() {}) }()
	s.Daemon.Live(s.Rendered())
	s.kea.MustObtain(s.kea.NewClient("eth1", "02:00:5e:00:53:05"))
	stop()
	if err := <-done; err != nil || s.kea.Starts != 3 {
		t.Errorf("after a kill: %d starts, %v", s.kea.Starts, err)
	}
}
