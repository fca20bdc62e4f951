package user

import (
	"net/http"
	"sync"
	"time"

	"gateway/internal/api"
	"gateway/internal/auth"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// emergencyLife is short: it is for finding out what is wrong with the database.
const emergencyLife = 15 * time.Minute

// emergency holds sign-ins made while the database is away. They live in this
// process only, may only look at the system, and end when the database is back.
type emergency struct {
	mu   sync.Mutex
	held map[string]known
}

func newEmergency() *emergency { return &emergency{held: map[string]known{}} }

func (e *emergency) identity(sid string, now time.Time) (auth.Identity, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	k, ok := e.held[sid]
	return k.id, ok && now.Sub(k.at) <= emergencyLife
}

func (e *emergency) add(id auth.Identity, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.held) >= 100 {
		clear(e.held)
	}
	e.held[id.SessionID] = known{id, now}
}

// emergencyLogin lets the setup store's admin look at the system while the
// database is away. Whoever has a second factor stays out: it cannot be checked.
func (u *Users) emergencyLogin(who candidate) (*api.SignedIn[Login], error) {
	if who.TOTPEnabled {
		return nil, fault.New(fault.Unavailable, "the second factor cannot be checked while the database is away").
			WithCode("database_unavailable")
	}
	id := auth.Identity{Email: who.Email, Role: auth.Admin, SessionID: db.NewID(), Emergency: true}
	u.emergency.add(id, u.Now())
	token, err := u.Signer.Sign(auth.Session, auth.Claims{Subject: "setup", SID: id.SessionID})
	if err != nil {
		return nil, err
	}
	u.Log.Warn("signed in by the setup store while the database is away", "email", who.Email)
	cookies := []http.Cookie{cookie(api.SessionCookie, token, emergencyLife)}
	return signedIn(Login{Identity: &Identity{Email: who.Email, Role: auth.Admin, Limited: true}}, cookies), nil
}
