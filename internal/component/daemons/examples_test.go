package daemons_test

import (
	"log/slog"
	"net/http"
	"time"

	"gateway/internal/component"
	"gateway/internal/component/cert"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/dns"
	"gateway/internal/component/firewall"
	"gateway/internal/component/network"
	"gateway/internal/component/ntp"
	"gateway/internal/component/proxy"
	"gateway/internal/setupstate"
)

type object = componenttest.Object

// example is the component of a daemon, and how to store some of all that its files are made of.
type example struct {
	api  func(r *componenttest.Rig) component.Component
	fill func(r *componenttest.Rig)
}

// made makes an object and returns its id.
func made(r *componenttest.Rig, path string, body object) string {
	r.T.Helper()
	return r.Do("POST", path, body).Want(http.StatusCreated).ID()
}

// examples has a line for every daemon, by its name.
var examples = map[string]example{
	"ntp": {
		func(r *componenttest.Rig) component.Component {
			return ntp.New(ntp.Options{DB: r.Pool, Run: r.Run, Now: time.Now})
		},
		func(r *componenttest.Rig) {
			made(r, "/ntp/pools", object{"kind": "server", "address": "ntp.example.com"})
			r.Edit("/ntp/settings", object{"serve_clients": true, "listen_addresses": []string{"192.0.2.1"}}).Want(http.StatusOK)
		},
	},
	"dns": {
		func(r *componenttest.Rig) component.Component { return dns.New(dns.Options{DB: r.Pool, Run: r.Run}) },
		func(r *componenttest.Rig) {
			zone := made(r, "/dns/zones", object{"name": "example.com", "forward_to": []string{}})
			made(r, "/dns/records", object{"zone_id": zone, "name": "www", "type": "TXT", "value": "hello"})
		},
	},
	"proxy": {
		func(r *componenttest.Rig) component.Component {
			return proxy.New(proxy.Options{DB: r.Pool, Run: r.Run})
		},
		func(r *componenttest.Rig) {
			web, mail := made(r, "/backends", object{"name": "web", "health_check": true}), made(r, "/backends", object{"name": "mail", "scheme": "tcp"})
			made(r, "/backends/"+web+"/servers", object{"name": "a", "address": "192.0.2.1", "port": 80})
			site := made(r, "/domains", object{"name": "example.com", "backend_id": web, "allow_from": []string{"10.0.0.0/8"}})
			made(r, "/domains/"+site+"/headers", object{"name": "X-Note", "value": "hello"})
			made(r, "/domains/"+site+"/users", object{"name": "ann", "password": "correct horse"})
			made(r, "/routing-rules", object{"domain_id": site, "path_prefix": "/api", "backend_id": web, "priority": 1})
			made(r, "/tcp-services", object{"name": "mail", "port": 993, "backend_id": mail})
		},
	},
	"cert": {
		func(r *componenttest.Rig) component.Component {
			return cert.New(cert.Options{DB: r.Pool, Run: r.Run, Box: r.Box, Setup: newNode{}, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		},
		func(r *componenttest.Rig) {
			made(r, "/certificates", object{"source": "self_signed", "names": []string{"example.com"}})
		},
	},
	"firewall": {
		func(r *componenttest.Rig) component.Component {
			return firewall.New(firewall.Options{DB: r.Pool, Run: r.Run})
		},
		func(r *componenttest.Rig) {
			host := made(r, "/firewall/address-objects", object{"name": "host", "kind": "host", "value": "192.0.2.1"})
			group := made(r, "/firewall/address-groups", object{"name": "group", "members": []string{host}})
			made(r, "/firewall/rules", object{"name": "rule", "action": "accept", "src_kind": "group", "src_group_id": group})
			made(r, "/nat-rules", object{"name": "nat", "kind": "dnat", "dest_port": 80, "target_address": "192.0.2.1"})
		},
	},
}

// newNode is the setup store of a node that nobody set up yet.
type newNode struct{}

func (newNode) Load() (setupstate.State, error) { return setupstate.Default(), nil }

// interfaces has what the packet filter reads beside what daemons have.
func interfaces() component.Component { return network.New(network.Options{}) }
