// Package setupstate keeps what the appliance must know without its database: whether
// it is set up, who may sign in when there is no user table yet, its name, and a few
// flags. gateway-api, gateway-scheduler and gateway-ctl share the one file. What setup
// means, and when it is complete, is left to component/setup.
package setupstate

import (
	"encoding/json"
	"net/mail"
	"net/url"
	"slices"
	"time"

	"gateway/internal/fault"
	"gateway/internal/secret"
)

// State is the content of the setup store. Marshalled by itself it does not tell the
// password hash; only Store writes that.
type State struct {
	Complete    bool      `json:"complete"`
	CompletedAt time.Time `json:"completed_at,omitzero"`

	Admin         *Admin    `json:"admin"` // nil when none: a cluster node, or before setup
	FQDN          string    `json:"fqdn"`
	ACME          ACME      `json:"acme"`
	IsClusterNode bool      `json:"is_cluster_node"`
	PrimaryFQDN   string    `json:"primary_fqdn"` // of a cluster node
	IPv6Enabled   bool      `json:"ipv6_enabled"`
	Maintenance   bool      `json:"maintenance"`
	AutoUpdate    bool      `json:"auto_update"`
	Retention     Retention `json:"retention"`

	// Pending is a setting on its way: its audit entry may be stored already. nil as a rule.
	Pending *Pending `json:"pending,omitempty"`
}

// Pending is what a process that is killed between the two leaves for the next one to bring to its end.
type Pending struct {
	Action string          `json:"action"` // of the audit entry
	To     json.RawMessage `json:"to"`     // the value, as in the entry
	At     time.Time       `json:"at"`     // before the entry was written
}

// Admin is the account that signs in while there is no database. At its first sign-in it
// becomes a row of the user table; from then on it is a copy of that row.
type Admin struct {
	// UserID is the row it became; empty as long as it never signed in.
	UserID       string      `json:"user_id,omitempty"`
	Email        string      `json:"email"`
	PasswordHash secret.Text `json:"password_hash"`
	SecondFactor bool        `json:"second_factor"`
	Disabled     bool        `json:"disabled"`

	TOTPSecret []byte    `json:"-"`                   // sealed, as in the row
	LastStep   int64     `json:"last_step,omitempty"` // of the codes: one works once
	Epoch      int64     `json:"epoch,omitempty"`     // of the sessions
	ResetAt    time.Time `json:"reset_at,omitzero"`   // the password was reset without a database, which must still learn of it
}

// ACME is how certificates for FQDN are ordered.
type ACME struct {
	Email        string `json:"email"`
	DirectoryURL string `json:"directory_url"`
	TermsAgreed  bool   `json:"terms_agreed"`
}

// Check adds to p what is wrong with it, each field named after prefix.
func (a ACME) Check(p *fault.Problems, prefix string) {
	if m, err := mail.ParseAddress(a.Email); a.Email != "" && (err != nil || m.Address != a.Email) {
		p.Add(prefix+"email", "must be an e-mail address")
	}
	if u, err := url.Parse(a.DirectoryURL); a.DirectoryURL != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil) {
		p.Add(prefix+"directory_url", "must be an https:// URL")
	}
}

// Retention is how much history is kept.
type Retention struct {
	Backups   int `json:"backups"`    // latest successful ones
	AuditDays int `json:"audit_days"` // age of audit entries
}

// Default is the state of an appliance that was never set up.
func Default() State {
	return State{IPv6Enabled: true, Retention: Retention{Backups: 14, AuditDays: 365}}
}

// validate refuses only what would do harm: a retention of zero deletes everything.
func (s State) validate() error {
	var p fault.Problems
	if s.Retention.Backups < 1 {
		p.Add("retention.backups", "must be at least 1")
	}
	if s.Retention.AuditDays < 1 {
		p.Add("retention.audit_days", "must be at least 1")
	}
	return p.Err()
}

// clone lets neither the cache nor a caller see what the other changes.
func (s State) clone() State {
	if s.Admin != nil {
		admin := *s.Admin
		admin.TOTPSecret = slices.Clone(admin.TOTPSecret)
		s.Admin = &admin
	}
	if s.Pending != nil {
		pending := *s.Pending
		pending.To = slices.Clone(pending.To)
		s.Pending = &pending
	}
	return s
}
