// Package identity is who a request comes from: the account, and the place in the network.
// How somebody proves who they are is package auth's.
package identity

import (
	"context"
	"net/netip"
)

// Role is what an account may do.
type Role string

// The two roles: an admin may do everything, a viewer may look.
const (
	Admin  Role = "admin"
	Viewer Role = "viewer"
)

// Identity is who a request comes from. The zero value is nobody.
type Identity struct {
	UserID    string
	Email     string
	Role      Role
	SessionID string // empty for an API token
	TokenID   string // empty for a session
	TokenName string
	// Emergency marks who acts while the database is away: only what works without it is open.
	Emergency bool
	// Local marks whoever has the node in their hands, who is no account.
	Local bool
	// Stale marks an identity from before the database went away: nobody can tell whether it
	// still stands, so it may only look.
	Stale bool
}

// Actor names the identity in the audit log. A token is told from its owner's own hands.
func (i Identity) Actor() string {
	if i.TokenID != "" {
		return i.Email + " (token " + i.TokenName + ")"
	}
	return i.Email
}

type identityKey struct{}

// With returns a context that carries the identity.
func With(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, id)
}

// From returns the identity a request was made with; nobody when there is none.
func From(ctx context.Context) Identity {
	id, _ := ctx.Value(identityKey{}).(Identity)
	return id
}

// Origin is where in the network a request comes from, and what it came to.
type Origin struct {
	Addr  netip.Addr
	Local netip.Addr // our address that it came to; invalid when nobody knows
	Port  uint16
}

type originKey struct{}

// WithOrigin returns a context that carries the origin. It is worked out when it is asked
// for, which is seldom.
func WithOrigin(ctx context.Context, origin func() Origin) context.Context {
	return context.WithValue(ctx, originKey{}, origin)
}

// OriginOf returns the origin of a request; none outside of one.
func OriginOf(ctx context.Context) Origin {
	if origin, ok := ctx.Value(originKey{}).(func() Origin); ok {
		return origin()
	}
	return Origin{}
}
