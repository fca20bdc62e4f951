// Package alert tells people what is wrong, where they are: by webhook and by e-mail. What is wrong
// is what the components report as problems, and a few events beside; finding that is left to
// them. This package keeps what was told, tells each thing once, tells when it is over, and delivers in
// gateway-scheduler, at least once and in order.
package alert

import (
	"context"
	"embed"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/db"
	"gateway/internal/problem"
	"gateway/internal/secret"
	"gateway/internal/sys"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	name         = "alert"
	channelsPath = "/alerts"
)

// Options are what the component needs.
type Options struct {
	DB       db.Pool
	Run      *change.Runner
	Box      *secret.Box
	Database interface{ Up() bool }
	Host     host // *sys.Host
	Now      func() time.Time
	Uptime   func() time.Duration // time that nobody can set; nil: that of this process
	Log      *slog.Logger
	// Outside is how receivers are reached; what is missing is the real one.
	Outside Outside
}

// Outside is where the node ends. Tests put their own in place.
type Outside struct {
	Transport func() (*http.Transport, error)
	Dial      func(ctx context.Context, network, address string) (net.Conn, error)
	// Deadline is what a receiver has for one delivery.
	Deadline time.Duration
	Pace     Pace
}

// Pace is how fast deliveries are made.
type Pace struct {
	// Every is how often it is checked what is due.
	Every time.Duration
	// Claim is how long a delivery belongs to whoever began it; longer than it can take. After that it was
	// interrupted, and is made again with the same id.
	Claim time.Duration
	// The pause after a failed attempt doubles, from First to Longest; after GiveUp there are no more.
	First, Longest, GiveUp time.Duration
}

// Look finds what is wrong now, and names the components that could not be asked.
type Look func(ctx context.Context) (found []problem.Problem, unknown []string, err error)

type host interface {
	Interfaces() ([]sys.Interface, error)
	Health() (sys.Health, error)
}

// Alerts are the alerts of this node.
type Alerts struct {
	Options
	look  Look
	known []problem.Kind // what can be found
	wake  chan struct{}  // something is to be sent
	last  steady
}

// New returns them. Components that tell of events need them before there is anything to look at.
func New(o Options) *Alerts {
	a := &Alerts{Options: o, wake: make(chan struct{}, 1)}
	a.Outside = a.outside(o.Outside)
	if a.Uptime == nil {
		started := time.Now()
		a.Uptime = func() time.Duration { return time.Since(started) }
	}
	return a
}

// Component is what tells of the problems of the others, which look finds.
func (a *Alerts) Component(look Look, others []component.Component) component.Component {
	a.look, a.known = look, []problem.Kind{channelFails}
	for _, c := range others {
		a.known = append(a.known, c.Problems.Kinds...)
	}
	return component.Component{
		Name: name, Tables: tables(), Migrations: db.Files(migrations), Routes: a.routes, Problems: a.problems(),
		Background: a.send, Support: []component.Support{{File: "events.json", Read: component.Answer("/alerts/events?limit=200")}},
		Jobs: []component.Job{
			{Name: "alert.watch", Where: component.OnEveryNode, Every: watchEvery, Within: 5 * time.Minute, Run: a.watch},
			{Name: "alert.prune", Where: component.OnEveryNode, Every: time.Hour, Run: a.prune},
		},
		Kept: []component.Kept{{
			Name: "alerts", Tables: events, Job: "alert.prune", Bound: component.Always(component.Bound{Days: keepDays, Rows: mostKept}),
			Amount: component.InTables(a.DB, "fired_at", events...),
		}},
		Objects: []component.Object{{
			Key: "channels", Path: channelsPath, Name: []string{"name"}, Alike: true,
			Derived: []string{"last_ok_at", "last_error", "last_error_at"},
		}},
	}
}

// RenewalsAborted tells that a cycle of certificate renewals was aborted.
func (a *Alerts) RenewalsAborted(ctx context.Context) {
	subject := problem.Subject{Kind: "component", ID: "cert", Name: "Certificates"}
	if _, err := a.raise(ctx, cycleFailed.On(subject, "/certificates", nil)); err != nil {
		a.Log.Error("alert", "kind", cycleFailed.Alert, "err", err)
	}
}

// tables: what was told is history. A delivery goes on until it has arrived, and old ones are removed. Of a
// backup neither is told again, nor does anything count as wrong now that was so then.
func tables() []db.Table {
	kept := &db.Rights{Insert: true, Update: db.EveryColumn, Delete: true}
	return []db.Table{
		{Name: "alert_channels", Scope: db.Replicated, Omit: []string{"secrets"}},
		{Name: "alert_states", Scope: db.History, NoBackup: true, API: kept},
		{Name: "alert_events", Scope: db.History, API: &db.Rights{Insert: true, Update: []string{"acknowledged_at", "acknowledged_by"}, Delete: true}},
		{Name: "alert_deliveries", Scope: db.History, NoBackup: true, API: kept},
		{Name: "alert_channel_status", Scope: db.History, NoBackup: true, API: kept},
	}
}

func (a *Alerts) routes(r api.Router) {
	a.channels().Register(r, a.DB, a.Run)
	a.eventRoutes(r)
	a.kindRoute(r)
}

// Kind is one kind of alert.
type Kind struct {
	Kind     string           `json:"kind" doc:"Name of the kind, as in a channel and in an event" example:"backend.down"`
	Severity problem.Severity `json:"severity" enum:"info,warning,error,critical" doc:"The usual severity; the worst, where there are several"`
}

func (a *Alerts) kindRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-alert-kinds", Method: http.MethodGet, Path: "/alerts/kinds", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "List the kinds of alerts",
		Description: "A channel can be limited to some of them. A problem without a kind of its own has the kind problem.<code>.",
	}, func(context.Context, *struct{}) (*api.Body[[]Kind], error) {
		return api.OK(a.kinds()), nil
	})
}

// kinds are all that can be told, by name.
func (a *Alerts) kinds() []Kind {
	worst := map[string]problem.Severity{}
	for _, k := range append(slices.Clone(a.known), notices()...) {
		kind := k.AlertKind()
		if was, there := worst[kind]; !there || k.Severity.Compare(was) < 0 {
			worst[kind] = k.Severity
		}
	}
	out := make([]Kind, 0, len(worst))
	for kind, severity := range worst {
		out = append(out, Kind{kind, severity})
	}
	slices.SortFunc(out, func(a, b Kind) int { return strings.Compare(a.Kind, b.Kind) })
	return out
}

// node is what this node is called.
func (a *Alerts) node() string {
	health, err := a.Host.Health()
	if err != nil || health.Hostname == "" {
		return "gateway"
	}
	return health.Hostname
}

// addresses are this node's own, which nothing is sent to.
func (a *Alerts) addresses() ([]netip.Addr, error) {
	links, err := a.Host.Interfaces()
	if err != nil {
		return nil, err
	}
	return sys.Addresses(links), nil
}
