package user

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
)

const (
	sessionChannel = "gateway_session"
	// Revocations are announced; the age only bounds what a lost announcement costs.
	cacheAge = time.Second
	// staleAge is how long a known identity may still look at the system while the database is away.
	staleAge = time.Minute
	// touchEvery spares a write per request: idleness is measured in minutes.
	touchEvery = time.Minute
	cacheSize  = 10_000
)

// sessions remembers, briefly, who was behind a credential.
type sessions struct {
	mu         sync.Mutex
	generation uint64 // grows with every revocation: an answer asked for before one must not be kept after it
	known      map[string]known
	waiting    map[chan struct{}]struct{}
}

type known struct {
	id identity.Identity
	at time.Time
}

func newSessions() *sessions {
	return &sessions{known: map[string]known{}, waiting: map[chan struct{}]struct{}{}}
}

func (s *sessions) get(key string, now time.Time, age time.Duration) (id identity.Identity, generation uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.known[key]
	return k.id, s.generation, ok && now.Sub(k.at) <= age
}

func (s *sessions) put(key string, id identity.Identity, now time.Time, generation uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if generation != s.generation {
		return
	}
	if len(s.known) >= cacheSize {
		clear(s.known)
	}
	s.known[key] = known{id, now}
}

// changed forgets everything and wakes the open streams: some session ended.
func (s *sessions) changed(context.Context, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.generation++
	clear(s.known)
	for ch := range s.waiting {
		select {
		case ch <- struct{}{}:
		default: // it has not looked since the last time and will
		}
	}
}

// Revocations is signalled after some session ended.
func (u *Users) Revocations() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	s := u.sessions
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[ch] = struct{}{}
	return ch, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.waiting, ch)
	}
}

// Authenticate returns who holds the credential, by what the database said within the last second.
// The credential as a whole is the key, so a known one costs neither a signature nor a query.
func (u *Users) Authenticate(ctx context.Context, c api.Credential) (identity.Identity, error) {
	now := u.Now()
	key := "cookie " + c.Cookie
	if c.Bearer != "" {
		key = "bearer " + c.Bearer
	}
	id, generation, ok := u.sessions.get(key, now, cacheAge)
	if ok {
		return id, nil
	}
	id, err := u.identify(ctx, c)
	switch {
	case err == nil && !id.Emergency:
		u.sessions.put(key, id, now, generation)
	case fault.Is(err, fault.Unavailable):
		if id, _, ok := u.sessions.get(key, now, staleAge); ok {
			id.Emergency, id.Stale = true, true
			return id, nil
		}
	}
	return id, err
}

// identify asks the database who holds the credential.
func (u *Users) identify(ctx context.Context, c api.Credential) (identity.Identity, error) {
	hash, token := auth.HashToken(c.Bearer)
	var claims auth.Claims
	if !token {
		var err error
		if claims, err = u.Signer.Parse(auth.Session, c.Cookie+c.Bearer); err != nil { // exactly one of them is set
			return identity.Identity{}, err
		}
		if id, ok := u.emergency.identity(claims.SID, u.Now()); ok {
			if u.Database.Up() {
				u.emergency.clear() // also for the next time that the database is away
				return identity.Identity{}, ended()
			}
			return id, nil
		}
	}
	if !u.Database.Up() {
		return identity.Identity{}, db.Down()
	}
	ctx, stop := db.WhileUp(ctx, u.Database.Up)
	defer stop()
	ask := func() (identity.Identity, error) { return u.sessionIdentity(ctx, claims, c.Cookie != "") }
	if token {
		ask = func() (identity.Identity, error) { return u.tokenIdentity(ctx, hash) }
	}
	id, err := ask()
	if err != nil && fault.Is(context.Cause(ctx), fault.Unavailable) {
		return identity.Identity{}, db.Down()
	}
	return id, err
}

func ended() error { return fault.New(fault.Unauthenticated, "the session ended; sign in again") }

func (u *Users) sessionIdentity(ctx context.Context, c auth.Claims, cookie bool) (identity.Identity, error) {
	var id identity.Identity
	var active bool
	var epoch int64
	var lastSeen time.Time
	err := u.Pool.QueryRow(ctx, `select u.id, u.email, u.role, u.active, u.session_epoch, s.id, s.last_seen
		from user_sessions s join users u on u.id = s.user_id
		where s.id = $1 and s.revoked_at is null and s.expires_at > $2`, c.SID, u.Now()).
		Scan(&id.UserID, &id.Email, &id.Role, &active, &epoch, &id.SessionID, &lastSeen)
	if errors.Is(err, pgx.ErrNoRows) {
		return identity.Identity{}, ended()
	}
	if err != nil {
		return identity.Identity{}, fmt.Errorf("look up session: %w", err)
	}
	idle := u.Now().Sub(lastSeen)
	if !active || epoch != c.Epoch || id.UserID != c.Subject || cookie && idle > auth.IdleLimit {
		return identity.Identity{}, ended()
	}
	if idle > touchEvery {
		if _, err := u.Pool.Exec(ctx, `update user_sessions set last_seen = $2 where id = $1`, c.SID, u.Now()); err != nil {
			return identity.Identity{}, fmt.Errorf("touch session: %w", err)
		}
	}
	return id, nil
}

// startSession makes a session in tx and returns its cookies.
func (u *Users) startSession(ctx context.Context, tx pgx.Tx, a *account) ([]http.Cookie, error) {
	client, now, id := api.ClientOf(ctx), u.Now(), db.NewID()
	_, err := tx.Exec(ctx, `insert into user_sessions (id, user_id, created_at, last_seen, expires_at, remote_ip, user_agent)
		values ($1, $2, $3, $3, $4, $5, $6)`, id, a.ID, now, now.Add(auth.SessionLife), client.Addr.String(), clip(client.UserAgent, 300))
	if fault.Is(db.Fault(err, "account", nil), fault.Invalid) {
		return nil, ended() // the account was deleted meanwhile
	}
	if err != nil {
		return nil, fmt.Errorf("store session: %w", err)
	}
	token, err := u.Signer.Sign(auth.Session, auth.Claims{Subject: a.ID, SID: id, Epoch: a.Epoch})
	if err != nil {
		return nil, err
	}
	device, err := u.Signer.Sign(auth.Device, auth.Claims{Subject: deviceSubject(a.Email), SID: db.NewID()})
	if err != nil {
		return nil, err
	}
	return []http.Cookie{
		cookie(api.SessionCookie, token, auth.SessionLife),
		cookie(api.DeviceCookie, device, auth.DeviceLife),
	}, nil
}

func cookie(name, value string, life time.Duration) http.Cookie {
	return http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(life.Seconds()),
		Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
}

// expire makes a browser forget its session. The device stays known.
func expire() []http.Cookie {
	c := cookie(api.SessionCookie, "", 0)
	c.MaxAge = -1
	return []http.Cookie{c}
}

// clip makes text that a stranger chose fit for the database.
func clip(s string, n int) string {
	return strings.ToValidUTF8(s[:min(len(s), n)], "?")
}

// SessionView is a session as its owner sees it.
type SessionView struct {
	ID        string    `json:"id" db:"id" doc:"Id of the session"`
	CreatedAt time.Time `json:"created_at" db:"created_at" doc:"When it was opened by signing in"`
	LastSeen  time.Time `json:"last_seen" db:"last_seen" doc:"Last request, to the minute"`
	ExpiresAt time.Time `json:"expires_at" db:"expires_at" doc:"When it ends, used or not"`
	RemoteIP  string    `json:"remote_ip" db:"remote_ip" doc:"Client address at sign-in"`
	UserAgent string    `json:"user_agent" db:"user_agent" doc:"Browser or program, as it named itself at sign-in"`
	Current   bool      `json:"current" db:"current" doc:"The session of this request"`
}

func (u *Users) sessionRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-sessions", Method: http.MethodGet, Path: "/auth/sessions", Access: api.Self,
		Summary:     "List your own sessions",
		Description: "Browsers that are signed in to your account, the latest request first.",
	}, u.listSessions)
	api.Handle(r, api.Op{
		ID: "revoke-session", Method: http.MethodDelete, Path: "/auth/sessions/{id}", Access: api.Self,
		Summary:     "End one of your own sessions",
		Description: "The browser has to sign in again; its open streams are closed.",
	}, u.revokeSession)
}

func (u *Users) listSessions(ctx context.Context, _ *struct{}) (*api.Body[[]SessionView], error) {
	me := identity.From(ctx)
	list, err := db.List[SessionView](ctx, u.Pool, `select id, created_at, last_seen, expires_at, remote_ip, user_agent, id::text = $2 as current
		from user_sessions where user_id = $1 and revoked_at is null and expires_at > $3 order by last_seen desc limit 1000`,
		me.UserID, me.SessionID, u.Now())
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return api.OK(list), nil
}

func (u *Users) revokeSession(ctx context.Context, in *struct {
	ID string `path:"id" doc:"Id of the session"`
},
) (*api.Body[*api.None], error) {
	me := identity.From(ctx)
	if !db.ValidID(in.ID) {
		return nil, db.Fault(pgx.ErrNoRows, "session", nil)
	}
	c := change.Change{Component: "user", Action: "auth.session.revoke", Subject: me.Email, Detail: map[string]any{"session": in.ID}}
	err := u.Run.Run(ctx, c, func(tx change.Tx) error { return u.revoke(ctx, tx, me.UserID, in.ID) })
	if err != nil {
		return nil, err
	}
	return api.Done(), nil
}

func (u *Users) revoke(ctx context.Context, tx change.Tx, userID, id string) error {
	u.forget(tx)
	tag, err := tx.Exec(ctx, `update user_sessions set revoked_at = now() where id = $1 and user_id = $2 and revoked_at is null`, id, userID)
	if err != nil {
		return fmt.Errorf("revoke session: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return db.Fault(pgx.ErrNoRows, "session", nil)
	}
	_, err = tx.Exec(ctx, `select pg_notify($1, '')`, sessionChannel)
	return err
}

// pruneSessions removes what can no longer be used.
func (u *Users) pruneSessions(ctx context.Context) error {
	_, err := u.Pool.Exec(ctx, `delete from user_sessions where expires_at < $1 or revoked_at < $1`, u.Now().Add(-24*time.Hour))
	if err != nil {
		return fmt.Errorf("prune sessions: %w", err)
	}
	return nil
}
