package app_test

import (
	"fmt"
	"sync/atomic"
)

// subnetNumber tells the subnets of tests apart, which must not overlap.
var subnetNumber atomic.Uint32

// nextSubnet is the beginning of the addresses of a network that no other subnet has.
func nextSubnet() string {
	n := subnetNumber.Add(1)
	return fmt.Sprintf("10.%d.%d.", 128+n>>8&127, n&255)
}

// leased gets operations on DHCP ready.
func leased() map[string]get {
	subnetOf := func(actor client, at string) fields {
		link := unique()
		made(actor, "/network-interfaces", fields{"name": link, "type": "ethernet", "role": "lan"})
		return fields{
			"interface": link, "subnet": at + "0/24", "pools": []string{at + "100-" + at + "199"}, "gateway": at + "1", "dns_servers": []string{at + "1"}, "ntp_servers": []string{at + "2"},
			"domain": "lan.example.com", "options": []string{"66 text boot"},
		}
	}
	subnet := func(actor client) fields { return subnetOf(actor, nextSubnet()) }
	reservation := func(actor client) fields {
		at := nextSubnet()
		return fields{"subnet_id": made(actor, "/dhcp/subnets", subnetOf(actor, at)), "address": at + "10", "mac": "02:00:5e:00:53:01", "hostname": "printer"}
	}
	all := map[string]get{
		"PUT /dhcp/settings":       create(func(client) fields { return fields{} }),
		"DELETE /dhcp/leases/{id}": func(s *stage, _ string, _ client) (string, any) { s.nothingWaits(); return "192.0.2.100", nil },
		"POST /dhcp/wake": create(func(actor client) fields {
			return fields{"mac": "02:00:5e:00:53:01", "subnet_id": made(actor, "/dhcp/subnets", subnet(actor))}
		}),
	}
	resources(all, map[string]with{"/dhcp/subnets": subnet, "/dhcp/reservations": reservation})
	return all
}
