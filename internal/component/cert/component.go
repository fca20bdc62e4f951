// Package cert manages the certificates that the reverse proxy serves: those that an
// authority issues by ACME, those that an operator uploads, and self-signed ones for names
// inside. It orders and renews them, renders one file for each and the list of all, and
// swaps them in the running HAProxy. Which names are served, and by whom, is left to
// package proxy: a certificate finds its domain by the name that a client asks for.
package cert

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/dnsprovider"
	"gateway/internal/haproxy"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Unit is HAProxy's, which package proxy manages too. A renewal never touches its configuration.
const Unit = haproxy.Unit

// Options are what the component needs. Box, Run and Setup are for the processes that
// have routes and jobs.
type Options struct {
	DB    db.Pool
	Run   *change.Runner
	Box   *secret.Box
	Setup setup // *setupstate.Store
	Host  links // *sys.Host
	// HAProxy is for the process that applies; whoever else has files for it shares it.
	HAProxy *haproxy.Daemon
	Now     func() time.Time
	Log     *slog.Logger
	// Alert is told of a certificate that could not be renewed, once until it could.
	Alert func(ctx context.Context, a Alert)
	// Providers makes the clients of DNS providers; only the process with jobs has it.
	Providers dnsprovider.Open
	// Outside is how the authority and the world's name servers are reached.
	Outside Outside
}

// Outside is where the node ends. All of it has a default; tests put their own in place.
type Outside struct {
	Resolver  string                            // name server to ask, as 192.0.2.1:53; empty: the system's
	Addresses func() []netip.Addr               // that this node has
	DNSPort   string                            // of the name servers that hold a zone; empty: 53
	HTTPPort  string                            // where a name's web server is looked for; empty: 80
	Transport func() (http.RoundTripper, error) // to the authority
	Served    string                            // where HAProxy serves certificates; empty: 127.0.0.1:443
}

type setup interface {
	Load() (setupstate.State, error)
}

type links interface {
	Interfaces() ([]sys.Interface, error)
}

type part struct {
	Options
	outside    Outside // with its defaults
	challenges challenges
}

// New returns the component.
func New(o Options) component.Component { return newPart(o).component() }

func newPart(o Options) *part {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p := &part{Options: o}
	p.outside = p.outsideOf(o.Outside)
	return p
}

// kept is for what is true for a while only.
var kept = &db.Rights{Insert: true, Update: db.EveryColumn, Delete: true}

func (p *part) component() component.Component {
	return component.Component{
		Name:       "cert",
		Tables:     tables(),
		Migrations: db.Files(migrations),
		Routes:     p.routes,
		Listen:     map[string]func(context.Context, string){challengeChannel: p.challengesChanged},
		Jobs: []component.Job{
			{Name: "cert.renew", Every: 2 * time.Second, Run: p.renewDue},
			{Name: "cert.upkeep", Every: time.Hour, Run: p.upkeep},
		},
		Objects: []component.Object{
			{Key: "dns_providers", Path: "/certificates/dns-providers", Name: []string{"name"}},
			{
				Key: "certificates", Path: "/certificates", Name: []string{"names"}, Refs: map[string]string{"dns_provider_id": "dns_providers"}, Optional: []string{"dns_provider_id"},
				Derived: []string{
					"status", "expires_at", "not_before", "issuer", "serial", "last_renewed_at",
					"last_error", "last_error_message", "remedy", "next_attempt_at", "checks", "checked_at",
				},
			},
		},
	}
}

func tables() []component.Table {
	return []component.Table{
		{Name: "dns_providers", Scope: component.Replicated, Omit: []string{"secrets"}, RowsChecked: true},
		{Name: "certificates", Scope: component.Replicated, Omit: issued, RowsChecked: true},
		{Name: "certificate_status", Scope: component.History, API: kept},
		{Name: "acme_accounts", Scope: component.Replicated, Omit: []string{"private_key"}, RowsChecked: true},
		{Name: "acme_challenges", Scope: component.History, API: kept},
		{Name: "acme_orders", Scope: component.History, API: &db.Rights{Insert: true, Delete: true}},
	}
}

// NewDaemon returns what gateway-apply needs of the certificates.
func NewDaemon(o Options) daemon.Daemon { return newPart(o).daemon() }

func (p *part) daemon() daemon.Daemon {
	return daemon.Daemon{
		Config: daemon.Config{
			Name: "cert", Tables: tables(), Source: daemon.Steps[[]served]{Load: loadOpened, Render: render},
			Check: check, Plain: unchecked,
		},
		Units: []string{Unit},
		Apply: p.apply,
	}
}

func (p *part) routes(r api.Router) {
	p.certificates().Register(r, p.DB, p.Run)
	p.providers().Register(r, p.DB, p.Run)
	p.kindRoute(r)
	p.actionRoutes(r)
}
