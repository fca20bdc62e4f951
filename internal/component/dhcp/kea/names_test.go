package kea

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTheNamesOfClients(t *testing.T) {
	lease := func(addr, hostname string, age int) Lease {
		return Lease{Address: netip.MustParseAddr(addr), Hostname: hostname, FirstSeen: time.Unix(int64(1000-age), 0)}
	}
	subnets := []subnetConf{
		{Subnet: "192.0.2.0/24", Context: subnetContext{"lan.example.com", true}, Reservations: []reservationConf{{Address: "192.0.2.10", Hostname: "nas"}, {Address: "192.0.2.11"}}},
		{Subnet: "198.51.100.0/24", Context: subnetContext{"dmz.example.com", false}},
		{Subnet: "203.0.113.0/24", Context: subnetContext{"", true}},
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
