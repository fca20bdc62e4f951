package firewall_test

import (
	"log/slog"
	"net/http"
	"testing"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/firewall"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/component/network"
	"gateway/internal/component/uplink"
	"gateway/internal/daemon"
	"gateway/internal/db"
)

func TestTheDaemonKeepsTheContract(t *testing.T) {
	componenttest.Contract(t, componenttest.Setup{
		Schemas: []db.Schema{network.New(network.Options{}).Schema(), uplink.New(uplink.Options{}).Schema()},
		Component: func(r *componenttest.Rig) component.Component {
			return firewall.New(firewall.Options{DB: r.Pool, Run: r.Run})
		},
		Daemon: func(*componenttest.Rig) daemon.Daemon {
			return filter.New(filter.Options{Policy: policy.New(daemon.NeedsOf(nil)), Exec: componenttest.Exec(t), Log: slog.New(slog.DiscardHandler)})
		},
	}, func(r *componenttest.Rig) {
		made := func(path string, body componenttest.Object) string {
			return r.Do("POST", path, body).Want(http.StatusCreated).ID()
		}
		host := made("/firewall/address-objects", componenttest.Object{"name": "host", "kind": "host", "value": "192.0.2.1"})
		group := made("/firewall/address-groups", componenttest.Object{"name": "group", "members": []string{host}})
		made("/firewall/rules", componenttest.Object{"name": "rule", "action": "accept", "src_kind": "group", "src_group_id": group})
		made("/nat-rules", componenttest.Object{"name": "nat", "kind": "dnat", "dest_port": 80, "target_address": "192.0.2.1"})
	})
}
