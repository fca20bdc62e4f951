package app_test

// tunnelled gets operations on tunnels and their peers ready.
func tunnelled() map[string]get {
	tunnel := func() fields {
		return fields{"name": unique(), "mode": "server", "address_cidr": "10.8.0.1/24", "endpoint": "vpn.example.com", "active": false}
	}
	peer := func(actor client) fields {
		return fields{"interface_id": made(actor, "/tunnel/interfaces", tunnel()), "name": unique()}
	}
	all := map[string]get{
		"POST /tunnel/interfaces/{id}/generate-keypair": on("/tunnel/interfaces", plain(tunnel), nil),
		"POST /tunnel/import":                           create(func(client) fields { return fields{} }),
	}
	for _, path := range []string{"POST /tunnel/peers/{id}/generate-keypair", "GET /tunnel/peers/{id}/config", "GET /tunnel/peers/{id}/qr", "GET /peers/{id}/config", "GET /peers/{id}/qr"} {
		all[path] = on("/tunnel/peers", peer, nil)
	}
	resources(all, map[string]with{"/tunnel/interfaces": plain(tunnel), "/tunnel/peers": peer})
	return all
}
