package cert_test

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"gateway/internal/component"
	"gateway/internal/component/cert"
	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/setupstate"
)

// newNode is the setup store of a node that nobody set up yet.
type newNode struct{}

func (newNode) Load() (setupstate.State, error) { return setupstate.Default(), nil }

func TestTheDaemonKeepsTheContract(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	componenttest.Contract(t, componenttest.Setup{
		Folders: []string{"/etc/gateway/haproxy/certs"},
		Component: func(r *componenttest.Rig) component.Component {
			return cert.New(cert.Options{DB: r.Pool, Run: r.Run, Box: r.Box, Setup: newNode{}, Now: time.Now, Log: log})
		},
		Daemon: func(*componenttest.Rig) daemon.Daemon { return pemfiles.New(pemfiles.Options{Log: log}) },
	}, func(r *componenttest.Rig) {
		r.Do("POST", "/certificates", componenttest.Object{"source": "self_signed", "names": []string{"example.com"}}).Want(http.StatusCreated)
	})
}
