package forwardproxy_test

import (
	"net/http"
	"testing"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/firewall"
	"gateway/internal/component/forwardproxy"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/component/network"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/uplink"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/sys"
)

type object = componenttest.Object

// links are the interfaces of a machine that is made up.
type links []sys.Interface

func (l links) Interfaces() ([]sys.Interface, error) { return l, nil }

func machine() links {
	return links{
		{Name: "eth0", AddrInfo: []sys.Address{{Local: "203.0.113.7", PrefixLen: 24}}},
		{Name: "eth1", AddrInfo: []sys.Address{{Local: "192.0.2.1", PrefixLen: 24}, {Local: "2001:db8::1", PrefixLen: 64}}},
	}
}

func setup(t *testing.T) componenttest.Setup {
	return componenttest.Setup{
		Component: func(r *componenttest.Rig) component.Component {
			return forwardproxy.New(forwardproxy.Options{DB: r.Pool, Run: r.Run, Host: machine()})
		},
		Daemon: func(r *componenttest.Rig) daemon.Daemon {
			return squid.New(squid.Options{Units: r.Units, Exec: componenttest.ExecInRoot(t), Host: machine(), Names: true})
		},
		Schemas: []db.Schema{
			firewall.New(firewall.Options{}).Schema(), network.New(network.Options{}).Schema(), // which have the zones and the addresses
			tunnel.New(tunnel.Options{}).Schema(), uplink.New(uplink.Options{}).Schema(),
		},
		Folders: []string{squid.PagesFolder, squid.ListsFolder},
	}
}

func fill(r *componenttest.Rig) {
	r.T.Helper()
	list := r.Do("POST", "/forward-proxy/lists", object{"name": "ads"}).Want(http.StatusCreated)
	r.Do("PUT", "/forward-proxy/lists/"+list.Field("id")+"/names", object{"names": "ads.example.com\ntracker.example.net\n"}).Want(http.StatusOK)
	for _, body := range []object{
		{"action": "deny", "type": "list", "value": "ads", "only_from": []string{}, "name": "No advertising"},
		{"action": "deny", "type": "domain", "value": "example.com", "only_from": []string{"192.0.2.64/26"}, "only_during": "mon-fri 08:00-18:00", "name": "Not at work"},
		{"action": "allow", "type": "url", "value": "http://example.org/*", "only_from": []string{}, "priority": 50},
		{"action": "deny", "type": "user_agent", "value": "curl", "only_from": []string{}},
		{"action": "deny", "type": "source", "value": "192.0.2.9", "only_from": []string{}},
		{"action": "deny", "type": "port", "value": "8000-8100", "only_from": []string{}},
		{"action": "deny", "type": "method", "value": "post", "only_from": []string{}},
		{"action": "deny", "type": "time", "value": "sat,sun 22:00-06:00", "only_from": []string{}},
	} {
		r.Do("POST", "/forward-proxy/acls", body).Want(http.StatusCreated)
	}
	r.Edit("/forward-proxy/settings", object{
		"listen_addresses": []string{"127.0.0.1"}, "parent_host": "proxy.example.com", "dns_servers": []string{"9.9.9.9"}, "contact": "it@example.com",
	}).Want(http.StatusOK)
}

func TestTheDaemonKeepsTheContract(t *testing.T) { componenttest.Contract(t, setup(t), fill) }
