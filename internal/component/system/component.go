// Package system shows the node itself, its health, resources, services and packages,
// and holds the few switches that belong to no daemon. Reading the host is left to
// gateway/internal/sys, acting on its services to the applier, and keeping the
// switches to gateway/internal/setupstate.
package system

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
)

// Options are what the component needs.
type Options struct {
	Version  string
	DB       db.DB
	Run      *change.Runner
	Setup    *setupstate.Store
	Database interface{ Up() bool }
	Host     host     // *sys.Host
	Units    units    // *sys.Units
	Packages packages // *sys.Apt
	Applier  applier  // apply.Client
	Services []daemon.Service
	// Metrics is what GET /metrics answers, beside the few figures of this component.
	Metrics prometheus.Gatherer
	// IPv6 tells whoever listens, in the transaction of the change.
	IPv6 func(ctx context.Context, tx pgx.Tx, on bool) error
	// Kept is what all components keep of the past.
	Kept func() []component.Kept
	Now  func() time.Time
	Log  *slog.Logger
}

type host interface {
	Health() (sys.Health, error)
	Resources() (sys.Resources, error)
	Disks(folders ...string) ([]sys.Mounted, error)
	Interfaces() ([]sys.Interface, error)
}

type units interface {
	States(ctx context.Context, names []string) ([]sys.UnitState, error)
}

type packages interface {
	Packages(ctx context.Context, names []string) ([]sys.PackageVersion, error)
	Installed(names []string) ([]sys.PackageVersion, error)
	Stamp() string
}

type applier interface {
	PacketFilterLoaded(ctx context.Context) (bool, error)
	States(ctx context.Context) ([]apply.State, error)
	Service(ctx context.Context, action apply.Action, service string) error
}

type handlers struct {
	Options
	versions *versions
	metrics  http.Handler
	setting  sync.Mutex
	disks    diskLooks
}

// New returns the component.
func New(o Options) component.Component {
	h := &handlers{Options: o, versions: &versions{from: o.Packages, names: packageNames(o.Services), now: o.Now, log: o.Log, timeout: versionsTimeout}}
	h.metrics = h.newMetrics()
	return component.Component{
		Name:     "system",
		Routes:   h.routes,
		Listen:   map[string]func(context.Context, string){change.Channel: h.heed},
		Problems: h.problems(),
		Support: []component.Support{
			{File: "node.json", Read: component.Answer("/system/health")},
			{File: "resources.json", Read: component.Answer("/system/resources")},
			{File: "services.json", Read: component.Answer("/system/services")},
			{File: "packages.json", Read: component.Answer("/system/package-versions")},
			{File: "interfaces.json", Read: component.Answer("/system/interfaces")},
			{File: "kept.json", Read: component.Answer("/system/kept")},
		},
	}
}

func (h *handlers) routes(r api.Router) {
	h.hostRoutes(r)
	h.serviceRoutes(r)
	h.settingRoutes(r)
	h.keptRoute(r)
	api.Handle(r, api.Op{
		ID: "package-versions", Method: http.MethodGet, Path: "/system/package-versions", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Installed and available version of the product and its daemons",
		Description: "From the package lists last fetched; up to one minute old. While apt reads them, available is what it said before, or empty.",
	}, h.packageVersions)
	api.Raw(r, api.Op{
		ID: "metrics", Method: http.MethodGet, Path: "/metrics", Access: api.Admin, TokenRead: true, WithoutDatabase: true,
		Summary:     "Metrics for Prometheus",
		Description: "For administrators, and for every API token.",
	}, "text/plain; version=0.0.4; charset=utf-8", h.serveMetrics)
}
