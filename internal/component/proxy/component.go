// Package proxy manages the reverse proxy, HAProxy: domains, the pools of servers behind
// them, and how requests get from the one to the other. It is what operators are offered;
// rendering and running HAProxy on it is package haproxyconf's, certificates are package
// cert's, and opening ports is the packet filter's.
package proxy

import (
	"context"
	"embed"
	"encoding/json"
	"net"
	"net/netip"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/db"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Applier applier // apply.Client
	Setup   setup   // *setupstate.Store
	// Questions is the way to gateway-scheduler, which answers them with what follows.
	Questions questions // db.Questions
	Host      host      // *sys.Host
	Lookup    func(ctx context.Context, name string) ([]netip.Addr, error)
	// Dial reaches a server that is tested; nil for one that refuses what only this node can reach.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

type questions interface {
	Ask(ctx context.Context, channel string, in, out any) error
}

type host interface {
	Interfaces() ([]sys.Interface, error)
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
	States(ctx context.Context) ([]apply.State, error)
}

type setup interface {
	Load() (setupstate.State, error)
}

type service struct {
	Options
	counts counts
	pace   pace
}

// New returns the component.
func New(o Options) component.Component { return (&service{Options: o}).component() }

func (s *service) component() component.Component {
	return component.Component{
		Name:       haproxyconf.Name,
		Tables:     haproxyconf.Tables(),
		Migrations: db.Files(migrations),
		Routes:     s.routes,
		Jobs: []component.Job{
			{Name: "proxy.ipv6", Where: component.OnEveryNode, Every: time.Minute, Run: s.followSetup},
			{Name: "proxy.traffic", Where: component.OnEveryNode, Every: trafficStep, Run: s.keepTraffic},
		},
		Answers:  map[string]func(context.Context, json.RawMessage) (any, error){reachChannel: s.answerReach},
		Objects:  objects(),
		Problems: s.problems(),
		Values:   s.values(),
		Support:  []component.Support{{File: "statistics.json", Read: component.Answer("/proxy/stats")}},
	}
}

func objects() []component.Object {
	domain := map[string]string{"domain_id": "domains"}
	return []component.Object{
		{Key: "backends", Path: "/backends", Name: []string{"name"}, Derived: []string{"servers"}},
		{Key: "servers", Path: "/backend-servers", Name: []string{"backend_id", "name"}, Refs: map[string]string{"backend_id": "backends"}, Derived: []string{"proxy_name"}},
		{Key: "domains", Path: "/domains", Name: []string{"name"}, Refs: map[string]string{"backend_id": "backends"}},
		{Key: "headers", Path: "/domain-headers", Name: []string{"domain_id", "name"}, Refs: domain},
		{Key: "routing_rules", Path: "/routing-rules", Name: []string{"domain_id", "path_prefix", "priority"}, Alike: true, Refs: map[string]string{"domain_id": "domains", "backend_id": "backends"}},
		{Key: "tcp_services", Path: "/tcp-services", Name: []string{"name"}, Refs: map[string]string{"backend_id": "backends"}},
	}
}

func (s *service) routes(r api.Router) {
	s.backends().Register(r, s.DB, s.Run)
	s.servers().Register(r, s.DB, s.Run)
	s.servers().RegisterUnder(r, s.DB, s.Run, s.serversOfBackend())
	s.domains().Register(r, s.DB, s.Run)
	s.headers().Register(r, s.DB, s.Run)
	s.headers().RegisterUnder(r, s.DB, s.Run, s.headersOfDomain())
	s.users().Register(r, s.DB, s.Run)
	s.users().RegisterUnder(r, s.DB, s.Run, s.usersOfDomain())
	s.rules().Register(r, s.DB, s.Run)
	s.orderRoute(r)
	s.ports().Register(r, s.DB, s.Run)
	s.statusRoutes(r)
	s.trafficRoutes(r)
	s.coverRoutes(r)
	s.reachRoute(r)
}
