// Package cert manages the certificates that the reverse proxy serves: those that an
// authority issues by ACME, those that an operator uploads, and self-signed ones for names
// inside. It stores, orders and renews them; rendering their files and having HAProxy serve
// them is package pemfiles'. Which names are served, and by whom, is left to package proxy: a
// certificate finds its domain by the name that a client asks for.
package cert

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/db"
	"gateway/internal/dnsprovider"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs.
type Options struct {
	DB  db.Pool
	Run *change.Runner
	Box *secret.Box
	// Applier knows what could not be rendered.
	Applier applier // apply.Client
	Setup   setup   // *setupstate.Store
	Host    links   // *sys.Host
	Now     func() time.Time
	Log     *slog.Logger
	// Alert is told of a certificate that could not be renewed, once until it could.
	Alert func(ctx context.Context, a Alert)
	// CycleFailed is told that a cycle of renewals was aborted.
	CycleFailed func(ctx context.Context)
	// Providers makes the clients of DNS providers; only the process with jobs has it.
	Providers dnsprovider.Open
	// Outside is how the authority and the world's name servers are reached.
	Outside Outside
}

// Outside is where the node ends. All of it has a default; tests put their own in place.
type Outside struct {
	Resolver  string                            // name server to ask, as 192.0.2.1:53; empty: the system's
	Addresses func() ([]netip.Addr, error)      // that this node has
	DNSPort   string                            // of the name servers that hold a zone; empty: 53
	HTTPPort  string                            // where a name's web server is looked for; empty: 80
	Transport func() (http.RoundTripper, error) // to the authority
	Served    string                            // where HAProxy serves certificates; empty: 127.0.0.1:443
}

type setup interface {
	Load() (setupstate.State, error)
}

type applier interface {
	States(ctx context.Context) ([]apply.State, error)
}

type links interface {
	Interfaces() ([]sys.Interface, error)
}

type service struct {
	Options
	outside    Outside // with its defaults
	challenges challenges
}

// New returns the component.
func New(o Options) component.Component { return newService(o).component() }

func newService(o Options) *service {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &service{Options: o}
	s.outside = s.outsideOf(o.Outside)
	return s
}

func (s *service) component() component.Component {
	return component.Component{
		Name:       pemfiles.Name,
		Tables:     pemfiles.Tables(),
		Migrations: db.Files(migrations),
		Routes:     s.routes,
		Problems:   s.problems(),
		Support:    []component.Support{{File: "summary.json", Read: component.Answer("/certificates/summary")}},
		Listen:     map[string]func(context.Context, string){challengeChannel: s.challengesChanged},
		Jobs: []component.Job{
			// One after the other, and an authority may take its time with each.
			{Name: "cert.renew", Where: component.OnPrimary, Every: 2 * time.Second, Within: 24 * time.Hour, Run: s.renewCycle},
			{Name: "cert.upkeep", Where: component.OnPrimary, Every: time.Hour, Run: s.upkeep},
		},
		Objects: []component.Object{
			{Key: "dns_providers", Path: "/certificates/dns-providers", Name: []string{"name"}},
			{
				Key: "certificates", Path: "/certificates", Name: []string{"names"}, Alike: true, Refs: map[string]string{"dns_provider_id": "dns_providers"}, Optional: []string{"dns_provider_id"},
				Derived: []string{
					"status", "expires_at", "not_before", "issuer", "serial", "last_renewed_at",
					"last_error", "last_error_message", "remedy", "next_attempt_at", "checks", "checked_at",
				},
			},
		},
	}
}

func (s *service) routes(r api.Router) {
	s.certificates().Register(r, s.DB, s.Run)
	s.providers().Register(r, s.DB, s.Run)
	s.kindRoute(r)
	s.actionRoutes(r)
}
