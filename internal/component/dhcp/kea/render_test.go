package kea

import (
	"encoding/json"
	"net/netip"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/dhcp/control"
	"gateway/internal/daemon"
)

func pointer[T any](v T) *T { return &v }

// full is a state that has everything.
func full() State {
	return State{
		Settings: Settings{Enabled: pointer(true), Authoritative: pointer(true)},
		Subnets: []StoredSubnet{
			{"b", Subnet{
				Interface: "eth2", Network: "198.51.100.0/25", Pools: []string{"198.51.100.10-198.51.100.20", "198.51.100.40"}, LeaseTime: 600,
				Options: []string{`26 number16 1400`, `66 text a "quoted", text\`, `150 addresses 192.0.2.5, 192.0.2.6`, `224 hex 0x00:ff`, `23 number8 64`, `2 number32 3600`},
			}},
			{"a", Subnet{
				Interface: "eth1", Network: "192.0.2.0/24", Pools: []string{"192.0.2.2-192.0.2.199"}, Gateway: "192.0.2.1", DNSServers: []string{"192.0.2.200", "9.9.9.9"},
				NTPServers: []string{"192.0.2.200"}, Domain: "lan.example.com", LeaseTime: 86400, DNSNames: true, Active: pointer(true),
			}},
			{"c", Subnet{Interface: "eth1", Network: "203.0.113.0/24", LeaseTime: 600, Active: pointer(false)}},
		},
		Reservations: []StoredReservation{
			{"a", Reservation{Address: "192.0.2.10", MAC: "02:00:5e:00:53:01", Hostname: "printer"}},
			{"a", Reservation{Address: "192.0.2.11", ClientID: "00:61:62"}},
		},
		Zones: map[string]string{"eth0": "wan", "eth1": "lan", "eth2": "dmz"}, Links: []string{"eth0", "eth1", "eth2", "lo"},
		Own:   []netip.Addr{netip.MustParseAddr("192.0.2.100"), netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("2001:db8::1")},
		Hooks: []string{"/usr/lib/x86_64-linux-gnu/kea/hooks/libdhcp_lease_cmds.so"}, Socket: control.KeaSocket, LeaseFile: leaseFile,
	}
}

func mustRender(t testing.TB, s State) daemon.Rendering {
	t.Helper()
	r, err := s.Render()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRender(t *testing.T) {
	check := New(Options{Exec: componenttest.Exec(t)}).Check
	for name, edit := range map[string]func(*State){
		"everything": func(*State) {},
		"nothing":    func(s *State) { *s = State{Socket: s.Socket, LeaseFile: s.LeaseFile} },
		"shared": func(s *State) { // eth1 has two
			s.Subnets[2].Active = nil
			s.Reservations = append(s.Reservations, StoredReservation{"c", Reservation{Address: "203.0.113.5", MAC: "02:00:5e:00:53:01"}})
		},
		"taken": func(s *State) { // names that no client has, one of which is reserved
			s.Taken = Taken{Host: "gw1.example.net", Node: "edge.lan.example.com", Sites: []string{"*.lan.example.com", "printer.lan.example.com", "www.example.com"}}
		},
		"left-out": func(s *State) {
			s.Zones = map[string]string{"eth1": "wan", "eth3": "lan", "eth4": "lan"}
			s.Subnets = append(s.Subnets,
				StoredSubnet{"d", Subnet{Interface: "eth3", Network: "10.0.0.0/8", LeaseTime: 600}},
				StoredSubnet{"e", Subnet{Interface: "eth4", Network: "172.16.0.0/12", LeaseTime: 600}},
				StoredSubnet{"f", Subnet{Interface: "eth4", Network: "172.16.1.0/24", LeaseTime: 600}},
				StoredSubnet{"g", Subnet{Interface: "eth4", Network: "172.16.1.0/33", LeaseTime: -5, Gateway: "x", Domain: "a\nb"}},
			)
			s.Links = []string{"eth1", "eth2", "eth4"}
			s.Reservations = []StoredReservation{
				{"e", Reservation{Address: "172.16.0.5", MAC: "02:00:5e:00:53:01"}},
				{"e", Reservation{Address: "172.16.0.5", MAC: "02:00:5e:00:53:02"}},
				{"e", Reservation{Address: "192.0.2.5", MAC: "02:00:5e:00:53:03", Hostname: "a.b"}},
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := full()
			edit(&s)
			r := mustRender(t, s)
			dir := filepath.Join("testdata", "render", name)
			componenttest.Golden(t, filepath.Join(dir, ConfFile), string(r.File(ConfFile)))
			componenttest.Golden(t, filepath.Join(dir, "problems"), componenttest.ProblemsText(r))
			if err := check(t.Context(), dir); err != nil {
				t.Errorf("kea: %v", err)
			}
		})
	}
}

func TestTheOrderOfRowsIsNoMatter(t *testing.T) {
	one, other := full(), full()
	slices.Reverse(other.Subnets)
	if mustRender(t, one).Hash() != mustRender(t, other).Hash() {
		t.Error("the same rows in another order are another file")
	}
}

func TestWhatWasWrittenReadsBack(t *testing.T) {
	r := mustRender(t, full())
	c, err := parse(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, written, err := full().render(); err != nil || !reflect.DeepEqual(c, written) {
		t.Errorf("it reads back as %+v, and is %+v, %v", c, written, err)
	}
	again, err := document{c}.text()
	if err != nil || string(again) != string(r.File(ConfFile)) {
		t.Errorf("it reads back as\n%s, %v", again, err)
	}
	installed := daemon.Rendering{Files: []daemon.File{{Path: ConfFile, Data: append(again, "# gw-sha256 00\n"...)}}}
	if _, err := parse(installed); err != nil {
		t.Errorf("as it is installed: %v", err)
	}
	for _, other := range []string{"", "{}", "// x\n{\"Dhcp4\": {\"renew-timer\": 1}}\n"} {
		if _, err := parse(daemon.Rendering{Files: []daemon.File{{Path: ConfFile, Data: []byte(other)}}}); err == nil {
			t.Errorf("%q passes for ours", other)
		}
	}
}

func TestAddressesOfThisNodeAreCutOut(t *testing.T) {
	r := Range{netip.MustParseAddr("192.0.2.10"), netip.MustParseAddr("192.0.2.12")}
	for _, tc := range []struct {
		own  []string
		want string
	}{
		{nil, `["192.0.2.10-192.0.2.12"]`},
		{[]string{"192.0.2.11"}, `["192.0.2.10-192.0.2.10","192.0.2.12-192.0.2.12"]`},
		{[]string{"192.0.2.10"}, `["192.0.2.11-192.0.2.12"]`},
		{[]string{"192.0.2.12", "192.0.2.10"}, `["192.0.2.11-192.0.2.11"]`},
		{[]string{"192.0.2.12", "192.0.2.10", "192.0.2.11", "::1", "192.0.2.9"}, `[]`},
	} {
		var own []netip.Addr
		for _, a := range tc.own {
			own = append(own, netip.MustParseAddr(a))
		}
		got := []string{}
		for _, part := range r.Without(own) {
			got = append(got, part.String())
		}
		if text, _ := json.Marshal(got); string(text) != tc.want {
			t.Errorf("without %v: %s, want %s", tc.own, text, tc.want)
		}
	}
}
