package uplink_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api/apitest"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/firewall"
	"gateway/internal/component/network"
	"gateway/internal/component/uplink"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/daemon"
	"gateway/internal/db"
)

type object = apitest.Object

func setup(t testing.TB) componenttest.Setup {
	t.Helper()
	return componenttest.Setup{
		Schemas: []db.Schema{firewall.New(firewall.Options{}).Schema(), network.New(network.Options{}).Schema()},
		Parse:   func(out daemon.Rendering) error { _, err := multiwan.Parse(out.File(multiwan.Path)); return err },
		Daemon: func(*componenttest.Rig) daemon.Daemon {
			return multiwan.New(multiwan.Options{Log: slog.New(slog.DiscardHandler)})
		},
		Component: func(r *componenttest.Rig) component.Component {
			return uplink.New(uplink.Options{DB: r.Pool, Run: r.Run, Applier: r, Log: slog.New(slog.DiscardHandler)})
		},
	}
}

// newRig has two interfaces.
func newRig(t testing.TB) *componenttest.Rig {
	t.Helper()
	r := componenttest.New(t, setup(t))
	interfaces(r)
	return r
}

func interfaces(r *componenttest.Rig) {
	r.T.Helper()
	r.Restore(`insert into network_interfaces (id, revision, created_at, updated_at, name, type, parent, members, description)
		select gen_random_uuid(), 1, now(), now(), name, 'ethernet', '', '{}', '' from unnest(array['wan1', 'wan2']) name`)
}

// filled stores two uplinks in a group.
func filled(r *componenttest.Rig) {
	r.T.Helper()
	interfaces(r)
	group := r.Do("POST", "/uplink-groups", object{"name": "internet", "is_default": true}).Want(201).ID()
	for i, in := range []object{
		{"name": "fibre", "interface": "wan1", "gateway": "192.0.2.1", "monitor_address": "9.9.9.9"},
		{"name": "mobile", "interface": "wan2", "gateway": "198.51.100.1", "interval_ms": 500, "window_s": 10},
	} {
		id := r.Do("POST", "/uplinks", in).Want(201).ID()
		r.Do("POST", "/uplink-members", object{"group_id": group, "uplink_id": id, "tier": i + 1, "weight": 3}).Want(201)
	}
}

func TestTheDaemonKeepsTheContract(t *testing.T) {
	componenttest.Contract(t, setup(t), filled)
}

// Rows that are none are named, and the others are rendered.
func TestWhatIsNoUplinkIsLeftOutAndNamed(t *testing.T) {
	r := componenttest.New(t, setup(t))
	filled(r)
	good := string(r.Rendered().File(multiwan.Path))
	for _, want := range []string{`"name":"fibre","number":1,"interface":"wan1"`, `"target":"9.9.9.9"`, `"members":[{"uplink":1,"tier":1,"weight":3},{"uplink":2,"tier":2,"weight":3}]`} {
		if !strings.Contains(good, want) {
			t.Errorf("no %s in\n%s", want, good)
		}
	}
	for _, update := range []string{
		`update uplink_uplinks set interface = 'a b' where name = 'fibre'`,
		`update uplink_uplinks set gateway = 'x' where name = 'fibre'`,
		`update uplink_uplinks set gateway = '::1' where name = 'fibre'`,
		`update uplink_uplinks set monitor_address = '192.0.2.1; drop' where name = 'fibre'`,
		`update uplink_uplinks set monitor_address = '2001:db8::1' where name = 'fibre'`,
	} {
		r.Tx(func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), update); err != nil {
				return err
			}
			out, err := r.Daemon.Render(t.Context(), tx, r.Box.Unseal)
			if err != nil || len(out.Problems) != 1 || out.Problems[0].Subject != "uplink fibre" {
				t.Errorf("%s: problems %+v, %v", update, out.Problems, err)
			}
			if text := string(out.File(multiwan.Path)); !strings.Contains(text, "mobile") || strings.Contains(text, "fibre") {
				t.Errorf("%s: rendered\n%s", update, text)
			}
			return componenttest.ErrUndo
		})
	}
}
