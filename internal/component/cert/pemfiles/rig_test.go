package pemfiles

import (
	"context"
	"log/slog"
	"testing"

	"gateway/internal/component/cert/certtest"
	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/haproxy"
)

// Schema is what package cert stores, which imports this one: TestMain, outside of the
// package, sets it.
var Schema db.Schema

// rig is the daemon's side, with a real HAProxy at its other end. Rows are written past the API.
type rig struct {
	*componenttest.Rig
	haproxy *certtest.Proxy
	adapter *adapter
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{}
	r.Rig = componenttest.New(t, componenttest.Setup{Schemas: []db.Schema{Schema}, Folders: []string{folder}, Daemon: func(c *componenttest.Rig) daemon.Daemon {
		r.haproxy = certtest.New(t, c.Root, ListPath)
		c.Units.Act = func(context.Context, string, string) error { r.haproxy.Serve(); return nil }
		proxied := haproxy.NewDaemon(c.Units)
		proxied.Runtime, proxied.Master = r.haproxy.Runtime, r.haproxy.Master
		r.adapter = &adapter{Options{HAProxy: proxied, Log: slog.New(slog.DiscardHandler)}}
		return r.adapter.daemon()
	}})
	return r
}

// serve starts HAProxy on the fallback and what is stored.
func (r *rig) serve() {
	r.T.Helper()
	r.haproxy.Put(Fallback, selfSigned(r.T, "gateway.invalid").PEM())
	r.MustSync()
}
