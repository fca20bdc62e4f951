package tunnel_test

import (
	"log/slog"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/firewall"
	"gateway/internal/component/network"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/daemon"
	"gateway/internal/db"
)

type object = apitest.Object

// rig stores changes, and that is all.
type rig struct {
	*componenttest.Rig
	folder string // of wg-quick
}

func newRig(t testing.TB) rig {
	t.Helper()
	folder := t.TempDir()
	return rig{folder: folder, Rig: componenttest.New(t, componenttest.Setup{
		Schemas: schemas(),
		Daemon: func(*componenttest.Rig) daemon.Daemon {
			return wireguard.New(wireguard.Options{ImportFolder: folder, Log: slog.New(slog.DiscardHandler)})
		},
		Component: func(r *componenttest.Rig) component.Component {
			return tunnel.New(tunnel.Options{DB: r.Pool, Run: r.Run, Box: r.Box, Applier: r})
		},
	})}
}

// aged makes all rows older than a change may take to be applied.
func (r rig) aged() { r.changed("-1 minute") }

// changed sets when all rows were changed, from now.
func (r rig) changed(when string) {
	r.T.Helper()
	for _, table := range []string{"tunnel_interfaces", "tunnel_peers"} {
		r.Restore(`update ` + table + ` set updated_at = now() + interval '` + when + `'`)
	}
}

// schemas are those of the components whose names and zones tunnels look at.
func schemas() []db.Schema {
	return []db.Schema{firewall.New(firewall.Options{}).Schema(), network.New(network.Options{}).Schema()}
}

// server makes a server tunnel.
func (r rig) server(name, address string, more ...object) tunnel.Interface {
	r.T.Helper()
	return apitest.Data[tunnel.Interface](r.Do("POST", "/tunnel/interfaces", apitest.With(object{"name": name, "mode": "server", "address_cidr": address, "endpoint": "vpn.example.com"}, more...)).Want(201))
}

func (r rig) client(name, address string) tunnel.Interface {
	r.T.Helper()
	return apitest.Data[tunnel.Interface](r.Do("POST", "/tunnel/interfaces", object{"name": name, "mode": "client", "address_cidr": address}).Want(201))
}

func (r rig) peer(of tunnel.Interface, name string, more ...object) tunnel.Peer {
	r.T.Helper()
	return apitest.Data[tunnel.Peer](r.Do("POST", "/tunnel/peers", apitest.With(object{"interface_id": of.ID, "name": name}, more...)).Want(201))
}
