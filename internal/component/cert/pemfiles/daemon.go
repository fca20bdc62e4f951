// Package pemfiles makes HAProxy serve the certificates that package cert stores: it reads
// those that there is something to serve of, renders one file for each and the list of all,
// judges them, and swaps them in the running process. It is gateway-apply's side; what
// operators are offered, and everything about authorities, is package cert's.
package pemfiles

import (
	"log/slog"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/haproxy"
	"gateway/internal/secret"
)

// Name is that of the component whose daemon this is.
const Name = "cert"

// Options are what HAProxy is managed with. Package haproxyconf manages it too: a renewal
// never touches its configuration.
type Options struct {
	HAProxy *haproxy.Daemon // whoever else has files for it shares it
	Log     *slog.Logger
}

// adapter leads from rows to the running HAProxy.
type adapter struct{ Options }

// New returns what gateway-apply needs of the certificates.
func New(o Options) daemon.Daemon { return (&adapter{o}).daemon() }

func (a *adapter) daemon() daemon.Daemon {
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(), Source: daemon.Steps[[]served]{Load: load, Render: render},
			Check: check, Plain: plain,
		},
		Units: []string{haproxy.Unit},
		Apply: a.apply,
	}
}

// issued are the columns that the calendar changes, not the operator.
var issued = []string{
	"chain", "private_key", "issued_from", "issued_names", "issuer", "serial", "not_before", "not_after", "last_renewed_at",
}

// kept is for what is true for a while only.
var kept = &db.Rights{Insert: true, Update: db.EveryColumn, Delete: true}

// Tables are those of the component.
func Tables() []db.Table {
	return []db.Table{
		{Name: "dns_providers", Scope: db.Replicated, Omit: []string{"secrets"}, RowsChecked: true},
		{Name: "certificates", Scope: db.Replicated, Omit: issued, RowsChecked: true},
		{Name: "certificate_status", Scope: db.History, API: kept},
		{Name: "acme_accounts", Scope: db.Replicated, Omit: []string{"private_key"}, RowsChecked: true},
		{Name: "acme_challenges", Scope: db.History, NoBackup: true, API: kept}, // of orders under way
		{Name: "acme_orders", Scope: db.History, API: &db.Rights{Insert: true, Delete: true}},
	}
}

// KeyPlace is where a private key is stored.
func KeyPlace(id string) secret.Place {
	return secret.Place{Table: "certificates", Column: "private_key", Row: id}
}
