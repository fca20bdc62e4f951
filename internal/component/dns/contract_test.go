package dns_test

import (
	"net/http"
	"testing"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/dns"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/daemon"
)

func TestTheDaemonKeepsTheContract(t *testing.T) {
	componenttest.Contract(t, componenttest.Setup{
		Component: func(r *componenttest.Rig) component.Component { return dns.New(dns.Options{DB: r.Pool, Run: r.Run}) },
		Daemon: func(*componenttest.Rig) daemon.Daemon {
			return unbound.New(unbound.Options{Exec: componenttest.Exec(t)})
		},
	}, func(r *componenttest.Rig) {
		zone := r.Do("POST", "/dns/zones", componenttest.Object{"name": "example.com", "forward_to": []string{}}).Want(http.StatusCreated).ID()
		r.Do("POST", "/dns/records", componenttest.Object{"zone_id": zone, "name": "www", "type": "TXT", "value": "hello"}).Want(http.StatusCreated)
	})
}
