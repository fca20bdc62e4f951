package haproxyconf_test

import (
	"os"
	"testing"

	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/proxy"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/db"
)

// TestMain gives the tests inside of the package the API, whose package imports it.
func TestMain(m *testing.M) {
	haproxyconf.API.New = func(pool db.Pool, run *change.Runner, applier haproxyconf.Applier) component.Component {
		return proxy.New(proxy.Options{DB: pool, Run: run, Applier: applier})
	}
	haproxyconf.API.ListenOnIPv6 = proxy.ListenOnIPv6
	os.Exit(m.Run())
}
