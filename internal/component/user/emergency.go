package user

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"gateway/internal/api"
	"gateway/internal/audit"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
)

// emergencyLife is short: it is for finding out what is wrong with the database.
const emergencyLife = 15 * time.Minute

// emergency holds sign-ins made while the database is away. They live in this process
// only, may do what works without it, and end when the database is back.
type emergency struct {
	mu   sync.Mutex
	held map[string]known
}

func newEmergency() *emergency { return &emergency{held: map[string]known{}} }

func (e *emergency) identity(sid string, now time.Time) (identity.Identity, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	k, ok := e.held[sid]
	return k.id, ok && now.Sub(k.at) <= emergencyLife
}

func (e *emergency) add(id identity.Identity, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.held) >= 100 {
		clear(e.held)
	}
	e.held[id.SessionID] = known{id, now}
}

func (e *emergency) clear() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.held)
}

// emergencyLogin lets the setup store's admin in while the database is away.
func (u *Users) emergencyLogin(ctx context.Context, who candidate) (*api.SignedIn[Login], error) {
	switch {
	case who.TOTPEnabled && who.TOTPSecret == nil:
		return nil, fault.New(fault.Unavailable, "the second factor cannot be checked while the database is unavailable").
			WithCode("database_unavailable")
	case who.TOTPEnabled:
		return u.askForCode(who.account)
	}
	return u.emergencySession(ctx, who.Email, "password")
}

func (u *Users) emergencySession(ctx context.Context, email, by string) (*api.SignedIn[Login], error) {
	detail, err := json.Marshal(map[string]any{"role": identity.Admin, "remote_ip": api.ClientOf(ctx).Addr.String(), "by": by, "database": "away"})
	if err != nil {
		return nil, err
	}
	entry := audit.Entry{Actor: email, Action: "auth.login.success", Subject: email, Detail: detail}
	if err := u.Audit.RecordLater(ctx, u.Pool, entry); err != nil {
		return nil, err
	}
	id := identity.Identity{Email: email, Role: identity.Admin, SessionID: db.NewID(), Emergency: true}
	u.emergency.add(id, u.Now())
	token, err := u.Signer.Sign(auth.Session, auth.Claims{Subject: "setup", SID: id.SessionID})
	if err != nil {
		return nil, err
	}
	u.Log.Warn("signed in from the setup store while the database is unavailable", "email", email)
	cookies := []http.Cookie{cookie(api.SessionCookie, token, emergencyLife)}
	return signedIn(Login{Identity: &Identity{Email: email, Role: identity.Admin, Limited: true}}, cookies), nil
}

// emergencyCode is the second step while the database is away. The step is taken in the
// setup store, so that a code works once whoever answers.
func (u *Users) emergencyCode(ctx context.Context, claims auth.Claims, code string) (*api.SignedIn[Login], error) {
	state, err := u.Setup.Load()
	if err != nil {
		return nil, err
	}
	a := state.Admin
	if a == nil || a.Disabled || !a.SecondFactor || a.UserID == "" || a.UserID != claims.Subject || a.Epoch != claims.Epoch {
		return nil, ended()
	}
	if code == "" {
		return nil, fault.New(fault.Unavailable, "recovery codes cannot be checked while the database is unavailable").WithCode("database_unavailable")
	}
	if ok, wait := u.codes.Allow(a.UserID, u.Now()); !ok {
		return nil, fault.New(fault.TooMany, "too many wrong codes; wait a moment").WithRetry(wait)
	}
	plain, err := u.Box.Open(a.TOTPSecret, totpPlace("totp_secret", a.UserID))
	if err != nil {
		return nil, err
	}
	step, ok := auth.Match(string(plain), code, u.Now())
	if !ok {
		return nil, u.refuse(ctx, a.Email, "invalid_credentials", wrongCode())
	}
	if err := u.takeStep(claims, step); err != nil {
		return nil, err
	}
	u.codes.Right(a.UserID)
	return u.emergencySession(ctx, a.Email, "totp")
}

// takeStep uses a code up, in the file that every process of this node shares.
func (u *Users) takeStep(claims auth.Claims, step int64) error {
	_, err := u.Setup.Update(func(s *setupstate.State) error {
		if s.Admin == nil || s.Admin.UserID != claims.Subject || s.Admin.Epoch != claims.Epoch {
			return ended()
		}
		if s.Admin.LastStep >= step {
			return wrongCode()
		}
		s.Admin.LastStep = step
		return nil
	})
	return err
}

func wrongCode() error {
	return fault.New(fault.Unauthenticated, "the code is wrong or was already used")
}

// resetAway sets the password in the setup store; the user table learns of it from
// settleReset. Whoever signed in by the old one is out.
func (u *Users) resetAway(ctx context.Context, admin setupstate.Admin, password string) error {
	hash, err := u.newHash(ctx, "new_password", password, admin.Email)
	if err != nil {
		return err
	}
	entry := audit.Entry{Actor: "local", Action: "auth.password.reset", Subject: admin.Email}
	if err := u.Audit.RecordLater(ctx, u.Pool, entry); err != nil {
		return err
	}
	_, err = u.Setup.Update(func(s *setupstate.State) error {
		if s.Admin == nil || s.Admin.UserID != admin.UserID {
			return fault.New(fault.Conflict, "the account has changed; reload and try again")
		}
		s.Admin.PasswordHash = secret.Text(hash)
		s.Admin.Epoch++
		s.Admin.ResetAt = u.Now().UTC()
		return nil
	})
	if err != nil {
		return err
	}
	u.codes.Right(admin.UserID)
	u.emergency.clear()
	u.sessions.changed(ctx, "")
	return nil
}

// settleReset brings a password that was reset without the database into its row. The
// reset itself was recorded when it was made.
func (u *Users) settleReset(ctx context.Context) error {
	state, err := u.Setup.Load()
	if err != nil || state.Admin == nil || state.Admin.ResetAt.IsZero() {
		return err
	}
	admin := *state.Admin
	c := change.Change{
		Component: "user", Action: "user.password.set", Subject: admin.Email, Actor: "local",
		Detail: map[string]any{"reset_at": admin.ResetAt},
	}
	err = u.Run.Run(ctx, c, func(tx change.Tx) error {
		now, err := u.Setup.Load()
		if err != nil {
			return err
		}
		if now.Admin == nil || !now.Admin.ResetAt.Equal(admin.ResetAt) {
			return change.Nothing() // somebody else did it while we waited for our turn
		}
		a, err := rowOf(ctx, tx, admin)
		if err != nil {
			return err
		}
		if a == nil {
			tx.AfterCommit(func(context.Context) error { return u.resetSettled(admin.ResetAt) })
			return nil
		}
		if err := u.storePassword(ctx, tx, a.ID, a.Email, admin.PasswordHash.Reveal()); err != nil {
			return err
		}
		return u.endSessions(ctx, tx, a.ID)
	})
	if err != nil {
		return fmt.Errorf("store the password that was reset: %w", err)
	}
	return nil
}

// supersede has a reset that is not settled yet be forgotten when tx is stored: the password that tx writes is newer. It comes
// before follow, which lets the setup store keep what was reset.
func (u *Users) supersede(tx change.Tx, userID, email string) error {
	state, err := u.Setup.Load()
	if err != nil || state.Admin == nil || state.Admin.ResetAt.IsZero() {
		return err
	}
	if admin := *state.Admin; admin.UserID == userID || admin.UserID == "" && admin.Email == email {
		tx.AfterCommit(func(context.Context) error { return u.resetSettled(admin.ResetAt) })
	}
	return nil
}

// resetSettled forgets the reset, unless there was another one since.
func (u *Users) resetSettled(at time.Time) error {
	_, err := u.Setup.Update(func(s *setupstate.State) error {
		if s.Admin != nil && s.Admin.ResetAt.Equal(at) {
			s.Admin.ResetAt = time.Time{}
		}
		return nil
	})
	return err
}
