package proxy_test

import (
	"net/http"
	"testing"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/proxy"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/daemon"
	"gateway/internal/sys"
)

// alone is a node that has the loopback alone.
type alone struct{}

func (alone) Interfaces() ([]sys.Interface, error) { return nil, nil }

func TestTheDaemonKeepsTheContract(t *testing.T) {
	componenttest.Contract(t, componenttest.Setup{
		Folders: []string{"/etc/gateway/haproxy/certs"},
		Component: func(r *componenttest.Rig) component.Component {
			return proxy.New(proxy.Options{DB: r.Pool, Run: r.Run, Host: alone{}})
		},
		Daemon: func(*componenttest.Rig) daemon.Daemon {
			return haproxyconf.New(haproxyconf.Options{Exec: componenttest.ExecInRoot(t)}) // it looks for its user
		},
	}, func(r *componenttest.Rig) {
		made := func(path string, body componenttest.Object) string {
			return r.Do("POST", path, body).Want(http.StatusCreated).ID()
		}
		web, mail := made("/backends", componenttest.Object{"name": "web", "health_check": true}), made("/backends", componenttest.Object{"name": "mail", "scheme": "tcp"})
		made("/backends/"+web+"/servers", componenttest.Object{"name": "a", "address": "192.0.2.1", "port": 80})
		domain := made("/domains", componenttest.Object{"name": "example.com", "backend_id": web, "allow_from": []string{"10.0.0.0/8"}})
		made("/domains/"+domain+"/headers", componenttest.Object{"name": "X-Note", "value": "hello"})
		made("/domains/"+domain+"/users", componenttest.Object{"name": "ann", "password": "correct horse"})
		made("/routing-rules", componenttest.Object{"domain_id": domain, "path_prefix": "/api", "backend_id": web, "priority": 1})
		made("/tcp-services", componenttest.Object{"name": "mail", "port": 993, "backend_id": mail})
	})
}
