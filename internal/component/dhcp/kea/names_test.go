package kea

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/dhcp/control"
)

func TestTheNamesOfClients(t *testing.T) {
	lease := func(addr, hostname string, age int) Lease {
		return Lease{Address: netip.MustParseAddr(addr), Hostname: hostname, NamedSince: time.Unix(int64(1000-age), 0)}
	}
	subnets := []subnetConf{
		{Subnet: "192.0.2.0/24", Context: subnetContext{Domain: "lan.example.com", DNSNames: true}, Reservations: []reservationConf{{Address: "192.0.2.10", Hostname: "nas"}, {Address: "192.0.2.11"}}},
		{Subnet: "198.51.100.0/24", Context: subnetContext{Domain: "dmz.example.com", DNSNames: false}},
		{Subnet: "203.0.113.0/24", Context: subnetContext{Domain: "", DNSNames: true}},
	}
	declined := lease("192.0.2.60", "printer", 9)
	declined.Declined = true
	var got []string
	for _, r := range clientNames(subnets, []Lease{
		lease("192.0.2.20", "Laptop.evil.example", 1), lease("192.0.2.21", "nas", 50), lease("192.0.2.22", "tablet", 1), lease("192.0.2.23", "tablet", 2),
		lease("192.0.2.24", "wpad", 1), lease("192.0.2.25", "", 1), lease("192.0.2.26", "-x", 1), lease("192.0.2.27", "a b", 1), lease("192.0.2.28", "*", 1),
		lease("192.0.2.29", "x\"\n", 1), lease("192.0.2.30", ".", 1), lease("192.0.2.10", "other", 1), lease("198.51.100.5", "dmzhost", 1), lease("203.0.113.5", "nodomain", 1),
		declined, lease("10.0.0.1", "elsewhere", 1),
	}) {
		got = append(got, r.Name+" "+r.Address.String())
	}
	slices.Sort(got)
	want := []string{"laptop.lan.example.com. 192.0.2.20", "nas.lan.example.com. 192.0.2.10", "tablet.lan.example.com. 192.0.2.23"}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// recordsOf are the names that are told, in order.
func recordsOf(subnets []subnetConf, leases []Lease) (out []string) {
	for _, r := range clientNames(subnets, leases) {
		out = append(out, r.Name+" "+r.Address.String())
	}
	slices.Sort(out)
	return out
}

// A guest must not answer for a machine of the LAN because both networks have one domain.
func TestAReservedNameIsNobodyElsesInAnotherSubnet(t *testing.T) {
	domain := subnetContext{Domain: "example.com", DNSNames: true}
	subnets := []subnetConf{
		{Subnet: "10.0.1.0/24", Context: domain},
		{Subnet: "192.0.2.0/24", Context: domain, Reservations: []reservationConf{{Address: "192.0.2.10", Hostname: "nas"}}},
		{Subnet: "198.51.100.0/24", Context: domain},
	}
	got := recordsOf(subnets, []Lease{
		{Address: netip.MustParseAddr("10.0.1.5"), Hostname: "nas"},
		{Address: netip.MustParseAddr("198.51.100.5"), Hostname: "nas"},
		{Address: netip.MustParseAddr("10.0.1.6"), Hostname: "laptop", NamedSince: time.Unix(20, 0)},
		{Address: netip.MustParseAddr("198.51.100.6"), Hostname: "laptop", NamedSince: time.Unix(10, 0)},
	})
	if want := []string{"laptop.example.com. 198.51.100.6", "nas.example.com. 192.0.2.10"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Who has an older lease does not take a name by calling itself like somebody else.
func TestANameStaysWithWhoHadItFirst(t *testing.T) {
	var tb table
	lease := func(addr, mac, hostname string, seen int64) control.Lease {
		return control.Lease{Address: addr, MAC: mac, Hostname: hostname, Seen: seen, Lifetime: 5000}
	}
	tb.replace([]control.Lease{lease("192.0.2.50", "old", "guest", 1000), lease("192.0.2.51", "nas", "nas", 1100)})
	tb.put(lease("192.0.2.50", "old", "nas", 1200))
	tb.put(lease("192.0.2.51", "nas", "nas", 1300)) // renewed
	all, _ := tb.all(time.Unix(1400, 0))
	subnets := []subnetConf{{Subnet: "192.0.2.0/24", Context: subnetContext{Domain: "lan.example.com", DNSNames: true}}}
	if got, want := recordsOf(subnets, all), []string{"nas.lan.example.com. 192.0.2.51"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A site's name leads to the site, and the node's to its management.
func TestNamesOfTheNodeAndOfSitesAreNoClients(t *testing.T) {
	taken := Taken{Host: "GW1", Node: "edge.lan.example.com", Sites: []string{"*.wild.example.com", "shop.lan.example.com", "www.lan.example.com", "a.b.lan.example.com", "canary\n.lan.example.com"}}
	at := func(domain string) subnetContext {
		return subnetContext{Domain: domain, DNSNames: true, Taken: taken.Below(domain)}
	}
	if got, want := taken.Below("lan.example.com"), []string{"edge", "gw1", "shop", "www"}; !slices.Equal(got, want) {
		t.Errorf("taken are %q, want %q", got, want)
	}
	subnets := []subnetConf{
		{Subnet: "10.0.1.0/24", Context: at("lan.example.com"), Reservations: []reservationConf{{Address: "10.0.1.10", Hostname: "shop"}, {Address: "10.0.1.11", Hostname: "nas"}}},
		{Subnet: "192.0.2.0/24", Context: at("wild.example.com"), Reservations: []reservationConf{{Address: "192.0.2.10", Hostname: "printer"}}},
	}
	var leases []Lease
	for i, name := range []string{"gw1", "edge", "shop", "www", "laptop"} {
		leases = append(leases, Lease{Address: netip.AddrFrom4([4]byte{10, 0, 1, byte(20 + i)}), Hostname: name}, Lease{Address: netip.AddrFrom4([4]byte{192, 0, 2, byte(20 + i)}), Hostname: name})
	}
	got := recordsOf(subnets, leases)
	if want := []string{"laptop.lan.example.com. 10.0.1.24", "nas.lan.example.com. 10.0.1.11", "printer.wild.example.com. 192.0.2.10"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
