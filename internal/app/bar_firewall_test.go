package app_test

import "net/http"

// filtered gets operations on the packet filter and its interfaces ready.
func filtered() map[string]get {
	named := func() fields { return fields{"name": unique()} }
	host := func() fields { return fields{"name": unique(), "kind": "host", "value": "192.0.2.1"} }
	service := func() fields { return fields{"name": unique(), "protocol": "tcp", "port": 8080} }
	address := func(actor client) fields {
		return fields{"group_id": made(actor, "/firewall/address-groups", named()), "object_id": made(actor, "/firewall/address-objects", host())}
	}
	member := func(actor client) fields {
		return fields{"group_id": made(actor, "/firewall/service-groups", named()), "object_id": made(actor, "/firewall/services", service())}
	}
	rule := func() fields {
		return fields{"name": unique(), "src_zone": "lan", "dst_zone": "dmz", "src_kind": "any", "dst_kind": "any", "action": "accept"}
	}
	nat := func() fields { return fields{"name": unique(), "kind": "masquerade", "out_zone": "wan"} }
	link := func() fields { return fields{"name": unique(), "type": "ethernet"} }
	hex := func() string { u := unique(); return u[1:5] + ":" + u[5:9] + ":" + u[9:13] }
	onLink := func(actor client) fields {
		return fields{"interface_id": made(actor, "/network-interfaces", link()), "address": "fd00:" + hex() + "::1", "prefix": 64}
	}
	note := func(client) fields { return fields{"note": unique()} }
	all := map[string]get{
		"PATCH /firewall/rules/{id}":     on("/firewall/rules", plain(rule), note),
		"PATCH /nat-rules/{id}":          on("/nat-rules", plain(nat), note),
		"POST /firewall/rules/order":     order("/firewall/rules", rule),
		"POST /nat-rules/order":          order("/nat-rules", nat),
		"PUT /firewall/settings":         create(func(client) fields { return fields{"lockout_zones": []string{}, "lockout_networks": []string{}} }),
		"POST /firewall/connections/cut": create(func(client) fields { return fields{"src": "192.0.2.1"} }),
		"POST /firewall/explain": create(func(client) fields {
			return fields{"source": "127.0.0.1", "destination": "127.0.0.1", "protocol": "tcp", "port": 443, "interface": "lo"}
		}),
	}
	for path, group := range map[string]struct {
		members string
		body    with
	}{"/firewall/address-groups": {"/firewall/address-members", address}, "/firewall/service-groups": {"/firewall/service-members", member}} {
		all["POST "+path+"/{id}/members"] = under("group_id", group.members, group.body, false, true)
		all["GET "+path+"/{id}/members"] = under("group_id", group.members, group.body, false, false)
		all["GET "+path+"/{id}/members/{item}"] = under("group_id", group.members, group.body, true, false)
		all["PUT "+path+"/{id}/members/{item}"] = under("group_id", group.members, group.body, true, true)
		all["DELETE "+path+"/{id}/members/{item}"] = under("group_id", group.members, group.body, true, false)
	}
	all["POST /network-interfaces/{id}/ip-addresses"] = under("interface_id", "/ip-addresses", onLink, false, true)
	all["GET /network-interfaces/{id}/ip-addresses"] = under("interface_id", "/ip-addresses", onLink, false, false)
	resources(all, map[string]with{
		"/ip-addresses":             onLink,
		"/routes":                   plain(func() fields { return fields{"destination": "fd01::" + hex(), "dev": unique()} }),
		"/firewall/zones":           plain(named),
		"/firewall/address-objects": plain(host), "/firewall/address-groups": plain(named), "/firewall/address-members": address,
		"/firewall/services": plain(service), "/firewall/service-groups": plain(named), "/firewall/service-members": member,
		"/firewall/rules": plain(rule), "/nat-rules": plain(nat),
		"/firewall/assertions": plain(func() fields {
			return fields{"name": unique(), "expect": "never", "src_zone": "dmz", "dst_zone": "mgmt"}
		}),
	})
	return all
}

// order puts the last of all objects of a path first, so that something changes.
func order(path string, body func() fields) get {
	return func(s *stage, _ string, actor client) (string, any) {
		s.nothingWaits()
		made(actor, path, body())
		var all []struct{ ID string }
		actor.Get(path + "?limit=1000").Want(http.StatusOK).Data(&all)
		ids := make([]string, len(all))
		for i, one := range all {
			ids[len(all)-1-i] = one.ID
		}
		return "", fields{"rules": ids}
	}
}
