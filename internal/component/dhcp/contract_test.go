package dhcp_test

import (
	"net/http"
	"testing"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/dhcp"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/component/firewall"
	"gateway/internal/component/network"
	"gateway/internal/component/proxy"
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
func (l links) DeadPacketSockets() (int, error)      { return 0, nil }

func machine() links {
	return links{
		{Name: "eth0", AddrInfo: []sys.Address{{Local: "203.0.113.7", PrefixLen: 24}}},
		{Name: "eth1", AddrInfo: []sys.Address{{Local: "192.0.2.1", PrefixLen: 24}, {Local: "10.9.0.1", PrefixLen: 24}, {Local: "10.9.8.1", PrefixLen: 24}}},
		{Name: "eth2"},
	}
}

func setup(t *testing.T) componenttest.Setup {
	t.Helper()
	return componenttest.Setup{
		Schemas: []db.Schema{firewall.New(firewall.Options{}).Schema(), network.New(network.Options{}).Schema(), tunnel.New(tunnel.Options{}).Schema(), uplink.New(uplink.Options{}).Schema(), proxy.New(proxy.Options{}).Schema()},
		Component: func(r *componenttest.Rig) component.Component {
			return dhcp.New(dhcp.Options{DB: r.Pool, Run: r.Run, Applier: r, Host: machine()})
		},
		Daemon: func(*componenttest.Rig) daemon.Daemon {
			return kea.New(kea.Options{Exec: componenttest.Exec(t), Host: machine(), HookDir: t.TempDir()})
		},
	}
}

// iface declares an interface in a zone; none for "".
func iface(r *componenttest.Rig, name, zone string) {
	r.T.Helper()
	r.Restore(`insert into network_interfaces (id, revision, created_at, updated_at, name, type, role, parent, members, description)
		values ($1, 1, now(), now(), $2, 'ethernet', nullif($3, ''), '', '{}', '')`, db.NewID(), name, zone)
}

// site publishes a name.
func site(r *componenttest.Rig, name, www string) {
	r.T.Helper()
	r.Restore(`insert into proxy_domains (id, revision, created_at, updated_at, name, active, http_to_https, disable_h3, hsts_max_age, hsts_subdomains, hsts_preload,
		rate_limit, maintenance, max_body_size, www_redirect, allow_from, notes) values ($1, 1, now(), now(), $2, true, true, false, 0, false, false, 0, false, 0, $3, '{}', '')`, db.NewID(), name, www)
}

// rig has a wan, a lan and a second network of clients.
func rig(t *testing.T) *componenttest.Rig {
	t.Helper()
	r := componenttest.New(t, setup(t))
	declare(r)
	return r
}

func declare(r *componenttest.Rig) {
	r.T.Helper()
	iface(r, "eth0", "wan")
	iface(r, "eth1", "lan")
	iface(r, "eth2", "dmz")
}

func subnet(more ...object) object {
	all := object{"interface": "eth1", "subnet": "192.0.2.0/24", "pools": []string{"192.0.2.100-192.0.2.199"}, "gateway": "192.0.2.1"}
	for _, m := range more {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

func TestTheDaemonKeepsTheContract(t *testing.T) {
	componenttest.Contract(t, setup(t), func(r *componenttest.Rig) {
		declare(r)
		r.Restore(`insert into dhcp_node (name) values ('gw1.lan.example.com')`)
		site(r, "shop.lan.example.com", "off")
		id := r.Do("POST", "/dhcp/subnets", subnet(object{
			"dns_servers": []string{"192.0.2.1"}, "ntp_servers": []string{"192.0.2.2"}, "domain": "lan.example.com", "dns_names": true,
			"options": []string{"66 text boot.example.com"},
		})).Want(http.StatusCreated).ID()
		r.Do("POST", "/dhcp/reservations", object{"subnet_id": id, "address": "192.0.2.10", "mac": "02:00:5e:00:53:01", "hostname": "printer"}).Want(http.StatusCreated)
		r.Do("POST", "/dhcp/reservations", object{"subnet_id": id, "address": "192.0.2.11", "client_id": "01:02:03"}).Want(http.StatusCreated)
		r.Edit("/dhcp/settings", object{"authoritative": false}).Want(http.StatusOK)
	})
}
