// Package user owns the accounts: who exists, how they sign in and out, their
// sessions, second factors and API tokens. How a password is hashed or a token
// signed is left to package auth; who may call what to package api.
package user

import (
	"context"
	"embed"
	"log/slog"
	"sync"
	"time"

	"gateway/internal/api"
	"gateway/internal/audit"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what accounts need.
type Options struct {
	Pool     db.Pool
	Database interface{ Up() bool }
	Run      *change.Runner
	Audit    *audit.Log
	Setup    *setupstate.Store
	Box      *secret.Box
	Signer   *auth.Signer
	Hasher   *auth.Hasher
	Limits   auth.Limits
	// ResetToken is the path of the file gateway-ctl reset-password writes.
	ResetToken string
	Now        func() time.Time
	Log        *slog.Logger
}

// Users is the component and, for package api, the Authenticator.
type Users struct {
	Options
	limiter   *auth.Limiter
	codes     *auth.CodeLimiter
	tickets   *auth.Tickets
	sessions  *sessions
	emergency *emergency
	mirroring sync.Mutex
}

// New returns the accounts of this node.
func New(o Options) *Users {
	return &Users{
		Options: o, limiter: auth.NewLimiter(o.Limits), codes: auth.NewCodeLimiter(),
		tickets: auth.NewTickets(), sessions: newSessions(), emergency: newEmergency(),
	}
}

// noUndo: whoever signs in meanwhile would be held up, and who may sign in is never to depend on a confirmation.
var noUndo = fault.Said("account changes take effect immediately and cannot be reverted automatically")

// Component is the part of the product that u is.
func (u *Users) Component() component.Component {
	return component.Component{
		Name: "user",
		Tables: []component.Table{
			{Name: "users", Scope: component.Replicated, Omit: []string{"password_hash", "totp_secret"}, OneWay: []string{"session_epoch"}, NoUndo: noUndo},
			{Name: "user_recovery_codes", Scope: component.Replicated, Omit: []string{"hash"}, NoUndo: noUndo},
			{Name: "user_tokens", Scope: component.Replicated, Omit: []string{"hash"}, NoUndo: noUndo},
			// After a restore everybody signs in again: who was signed out since must not be back in.
			{Name: "user_sessions", Scope: component.History, NoBackup: true, API: &db.Rights{Insert: true, Update: []string{"last_seen", "revoked_at"}, Delete: true}},
			{Name: "user_totp_state", Scope: component.History, API: &db.Rights{Insert: true, Update: []string{"pending", "last_step"}}},
			{Name: "user_password_resets", Scope: component.History, API: &db.Rights{Insert: true, Update: []string{"settled_at"}}},
			{Name: "user_token_uses", Scope: component.History, API: &db.Rights{Insert: true, Update: []string{"last_used_at"}}},
		},
		Migrations: db.Files(migrations),
		Routes:     u.routes,
		Listen:     map[string]func(context.Context, string){sessionChannel: u.sessions.changed, change.Channel: u.heed},
		Jobs: []component.Job{
			{Name: "user.sessions.prune", Where: component.OnPrimary, Every: time.Hour, Run: u.pruneSessions},
			{Name: "user.tokens.prune", Where: component.OnPrimary, Every: time.Hour, Run: u.pruneTokens},
		},
	}
}

func (u *Users) routes(r api.Router) {
	u.Run.UndoBy("user_tokens", u.undoToken)
	u.loginRoutes(r)
	u.sessionRoutes(r)
	u.passwordRoutes(r)
	u.totpRoutes(r)
	u.ticketRoutes(r)
	u.tokenRoutes(r)
	u.userRoutes(r)
}
