package app_test

import "sync/atomic"

// nextPort keeps TCP services from asking for the same one.
var nextPort atomic.Int64

// published gets operations on sites and what is behind them ready.
func published() map[string]get {
	backend := func(scheme string) fields { return fields{"name": unique(), "scheme": scheme} }
	domain := func() fields { return fields{"name": unique() + ".example.com"} }
	server := func(actor client) fields {
		return fields{"backend_id": made(actor, "/backends", backend("http")), "name": unique(), "address": "192.0.2.1", "port": 80}
	}
	header := func(actor client) fields {
		return fields{"domain_id": made(actor, "/domains", domain()), "name": "X-" + unique(), "value": "a"}
	}
	user := func(actor client) fields {
		return fields{"domain_id": made(actor, "/domains", domain()), "name": unique(), "password": "a good password"}
	}
	rule := func(actor client) fields {
		return fields{"domain_id": made(actor, "/domains", domain()), "backend_id": made(actor, "/backends", backend("http")), "path_prefix": "/" + unique()}
	}
	service := func(actor client) fields {
		return fields{"name": unique(), "port": 20000 + int(nextPort.Add(1)), "backend_id": made(actor, "/backends", backend("tcp"))}
	}
	all := map[string]get{
		"POST /routing-rules/order": func(s *stage, _ string, actor client) (string, any) {
			s.nothingWaits()
			r := rule(actor)
			return "", fields{"domain_id": r["domain_id"], "rules": []string{made(actor, "/routing-rules", r)}}
		},
		"POST /proxy/reach":                   create(func(client) fields { return fields{"domain": unique() + ".example.com"} }),
		"POST /system/proxy-reload":           create(func(client) fields { return nil }),
		"POST /backends/{id}/servers":         under("backend_id", "/backend-servers", server, false, true),
		"GET /backends/{id}/servers":          under("backend_id", "/backend-servers", server, false, false),
		"POST /domains/{id}/headers":          under("domain_id", "/domain-headers", header, false, true),
		"GET /domains/{id}/headers":           under("domain_id", "/domain-headers", header, false, false),
		"GET /domains/{id}/headers/{item}":    under("domain_id", "/domain-headers", header, true, false),
		"PUT /domains/{id}/headers/{item}":    under("domain_id", "/domain-headers", header, true, true),
		"DELETE /domains/{id}/headers/{item}": under("domain_id", "/domain-headers", header, true, false),
		"POST /domains/{id}/users":            under("domain_id", "/domain-users", user, false, true),
		"GET /domains/{id}/users":             under("domain_id", "/domain-users", user, false, false),
		"GET /domains/{id}/users/{item}":      under("domain_id", "/domain-users", user, true, false),
		"PUT /domains/{id}/users/{item}":      under("domain_id", "/domain-users", user, true, true),
		"DELETE /domains/{id}/users/{item}":   under("domain_id", "/domain-users", user, true, false),
	}
	resources(all, map[string]with{
		"/backends": plain(func() fields { return backend("http") }), "/domains": plain(domain),
		"/backend-servers": server, "/domain-headers": header, "/domain-users": user, "/routing-rules": rule, "/tcp-services": service,
	})
	return all
}
