package ntp_test

import (
	"net/http"
	"testing"
	"time"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/ntp"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/daemon"
)

func TestTheDaemonKeepsTheContract(t *testing.T) {
	componenttest.Contract(t, componenttest.Setup{
		Component: func(r *componenttest.Rig) component.Component {
			return ntp.New(ntp.Options{DB: r.Pool, Run: r.Run, Now: time.Now})
		},
		Daemon: func(*componenttest.Rig) daemon.Daemon {
			return chrony.New(chrony.Options{Exec: componenttest.Exec(t)})
		},
	}, func(r *componenttest.Rig) {
		r.Do("POST", "/ntp/pools", componenttest.Object{"kind": "server", "address": "ntp.example.com"}).Want(http.StatusCreated)
		r.Edit("/ntp/settings", componenttest.Object{"serve_clients": true, "listen_addresses": []string{"192.0.2.1"}}).Want(http.StatusOK)
	})
}
