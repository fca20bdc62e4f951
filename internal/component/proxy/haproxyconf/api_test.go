package haproxyconf_test

import (
	"os"
	"testing"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/proxy"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/sys"
)

// alone is a node that has the loopback alone.
type alone struct{}

func (alone) Interfaces() ([]sys.Interface, error) { return nil, nil }

// TestMain gives the tests inside of the package the API, whose package imports it.
func TestMain(m *testing.M) {
	haproxyconf.API = func(r *componenttest.Rig) component.Component {
		return proxy.New(proxy.Options{DB: r.Pool, Run: r.Run, Applier: r, Host: alone{}})
	}
	os.Exit(m.Run())
}
