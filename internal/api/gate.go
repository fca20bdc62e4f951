package api

import (
	"net/http"
	"strings"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
)

const (
	// SessionCookie carries the session. The prefix binds it to this host over TLS.
	SessionCookie = "__Host-gateway_session"
	// DeviceCookie tells a browser that signed in before from one that never did.
	DeviceCookie = "__Host-gateway_device"
)

// beforeSetup holds for setup, health, and everything about signing in.
func (op Op) beforeSetup() bool { return op.BeforeSetup || strings.HasPrefix(op.Path, "/auth/") }

// admit decides, for every request and stream alike, who is calling and whether
// they may: cross-origin, setup, session, role, database, in this order.
func (s *Server) admit(op Op, r *http.Request) (identity.Identity, error) {
	if err := s.checkOrigin(op, r); err != nil {
		return identity.Identity{}, err
	}
	if !op.beforeSetup() && !s.SetupDone() {
		return identity.Identity{}, fault.New(fault.Forbidden, "this node is not set up yet; open /setup").WithCode("setup_required")
	}
	id, err := s.identify(op, r)
	if err != nil {
		return identity.Identity{}, err
	}
	if !op.WithoutDatabase && !s.Database.Up() {
		return identity.Identity{}, db.Down()
	}
	return id, nil
}

func (s *Server) identify(op Op, r *http.Request) (identity.Identity, error) {
	c, err := credential(r)
	if err != nil {
		return identity.Identity{}, err
	}
	if op.Access == Public {
		return identity.Identity{}, nil
	}
	if c == (Credential{}) {
		return identity.Identity{}, fault.New(fault.Unauthenticated, "authentication required")
	}
	id, err := s.Auth.Authenticate(r.Context(), c)
	if err != nil {
		return identity.Identity{}, err
	}
	return id, permit(op, id)
}

// permit holds the caller's role against the one that the operation declares.
func permit(op Op, id identity.Identity) error {
	switch {
	case id.Emergency && !op.WithoutDatabase, id.Stale && op.changes():
		return db.Down()
	case op.Access == Self && id.Local:
		return fault.New(fault.Forbidden, "this is about the caller's own account, and gateway-ctl has none; use /users")
	case op.Access == Self && id.TokenID != "" && op.Mutates():
		return fault.New(fault.Forbidden, "an API token cannot change its owner's account")
	case op.Access == Self, op.Access == Viewer, id.Role == identity.Admin:
		return nil
	case op.TokenRead && id.TokenID != "" && !op.Mutates():
		return nil
	}
	return fault.New(fault.Forbidden, "this requires the role admin")
}

// credential finds what the request proves itself with. Two at once is somebody
// confusing us, or themselves, about who acts.
func credential(r *http.Request) (Credential, error) {
	var c Credential
	if cookie, err := r.Cookie(SessionCookie); err == nil {
		c.Cookie = cookie.Value
	}
	if header := r.Header.Get("Authorization"); header != "" {
		token, ok := strings.CutPrefix(header, "Bearer ")
		if !ok || token == "" {
			return Credential{}, fault.New(fault.Unauthenticated, "only Bearer authorization is supported")
		}
		c.Bearer = token
	}
	if c.Cookie != "" && c.Bearer != "" {
		return Credential{}, fault.New(fault.Invalid, "send a session cookie or a Bearer token, not both")
	}
	return c, nil
}

// checkOrigin refuses what another site makes a browser send. Streams are GETs,
// which the standard protection lets pass, so they are judged as if they were not.
func (s *Server) checkOrigin(op Op, r *http.Request) error {
	judged := r
	if op.Method == streamMethod {
		judged = &http.Request{Method: http.MethodPost, Header: r.Header, Host: r.Host, URL: r.URL}
	}
	// The standard protection compares hosts only; over TLS a page without it is another site.
	plain := r.Header.Get("X-Forwarded-Proto") == "https" && strings.HasPrefix(r.Header.Get("Origin"), "http:")
	if err := s.csrf.Check(judged); err != nil || plain {
		return fault.New(fault.Forbidden, "cross-site requests are refused").WithCode("cross_origin")
	}
	return nil
}
