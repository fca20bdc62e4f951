package radius_test

import (
	"net/http"
	"testing"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/firewall"
	"gateway/internal/component/network"
	"gateway/internal/component/radius"
	"gateway/internal/component/radius/freeradius"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/uplink"
	"gateway/internal/daemon"
	"gateway/internal/db"
)

type object = componenttest.Object

func setup(t *testing.T) componenttest.Setup {
	return componenttest.Setup{
		Component: func(r *componenttest.Rig) component.Component {
			return radius.New(radius.Options{DB: r.Pool, Run: r.Run, Box: r.Box, Applier: r})
		},
		Daemon: func(r *componenttest.Rig) daemon.Daemon {
			return freeradius.New(freeradius.Options{Units: r.Units, Exec: componenttest.ExecInRoot(t)})
		},
		Schemas: []db.Schema{ // which have the zones and what is in them
			firewall.New(firewall.Options{}).Schema(), network.New(network.Options{}).Schema(),
			tunnel.New(tunnel.Options{}).Schema(), uplink.New(uplink.Options{}).Schema(),
		},
		Folders: []string{freeradius.ClientsFolder},
	}
}

func TestTheDaemonKeepsTheContract(t *testing.T) {
	componenttest.Contract(t, setup(t), func(r *componenttest.Rig) {
		r.Do("POST", "/radius/clients", object{"name": "ap-1", "address": "192.0.2.0/24", "secret": "correct-horse"}).Want(http.StatusCreated)
		r.Do("POST", "/radius/users", object{"name": "ann", "password": "wonder land", "vlan": 10}).Want(http.StatusCreated)
		r.Edit("/radius/settings", object{"listen_addresses": []string{"127.0.0.1"}}).Want(http.StatusOK)
	})
}

// After a restore under another master key each row is mended by itself, and meanwhile the others are served.
func TestASecretThatCannotBeDecryptedIsNamed(t *testing.T) {
	r := componenttest.New(t, setup(t))
	r.Do("POST", "/radius/clients", object{"name": "ap-1", "address": "192.0.2.1", "secret": "correct-horse"}).Want(http.StatusCreated)
	r.Do("POST", "/radius/clients", object{"name": "ap-2", "address": "192.0.2.2", "secret": "correct-horse"}).Want(http.StatusCreated)
	r.Do("POST", "/radius/users", object{"name": "ann", "password": "wonder land"}).Want(http.StatusCreated)
	r.Edit("/radius/settings", object{"enabled": true, "listen_addresses": []string{"127.0.0.1"}}).Want(http.StatusOK)

	r.Restore(`update radius_clients set secret = 'sealed by another master key' where name = 'ap-1'`)
	out, err := r.Daemon.Render(t.Context(), r.Pool, r.Box.Unseal)
	if err != nil || len(out.Problems) != 1 || out.Problems[0].Subject != `the RADIUS client "ap-1"` || !out.Has(freeradius.ClientsFolder+"/ap-2.conf") {
		t.Errorf("one of three: %+v, %v", out.Problems, err)
	}
	for _, table := range []string{"radius_clients set secret", "radius_users set password", "radius_probe set secret"} {
		r.Restore(`update ` + table + ` = 'sealed by another master key'`)
	}
	if out, err := r.Daemon.Render(t.Context(), r.Pool, r.Box.Unseal); err == nil {
		t.Errorf("none of three: rendered %d files", len(out.Files))
	}
	r.Do("POST", "/radius/users", object{"name": "bob", "password": "wonder land"}).Want(http.StatusCreated)
	if out, err := r.Daemon.Render(t.Context(), r.Pool, r.Box.Unseal); err == nil {
		t.Errorf("a new user without a client: rendered %d files", len(out.Files))
	}
	r.Edit("/radius/settings", object{"enabled": false}).Want(http.StatusOK)
	if _, err := r.Daemon.Render(t.Context(), r.Pool, r.Box.Unseal); err != nil {
		t.Errorf("it cannot be switched off: %v", err)
	}
	r.Edit("/radius/settings", object{"zones": []string{}}).Want(http.StatusOK)
	if probe, err := freeradius.LoadProbe(t.Context(), r.Pool, r.Box.Unseal); err != nil || probe == "" {
		t.Errorf("this node has no secret to ask itself with: %v", err)
	}
}
