package user

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/audit"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
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

// settleReset brings a password that was reset without the database into its row, unless a later one is there already. The
// reset itself was recorded when it was made.
func (u *Users) settleReset(ctx context.Context) error {
	state, err := u.Setup.Load()
	if err != nil || state.Admin == nil || state.Admin.ResetAt.IsZero() {
		return err
	}
	admin, stored, superseded := *state.Admin, false, false
	var of bond
	c := change.Change{
		Component: "user", Action: "user.password.set", Subject: admin.Email, Actor: "local",
		Detail: map[string]any{"reset_at": admin.ResetAt},
	}
	ctx = intent.With(ctx, intent.Ask{}) // whoever happens to meet it asked that of another change
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
		tx.AfterCommit(func(context.Context) error { stored = true; return nil })
		if a == nil {
			tx.AfterCommit(func(context.Context) error { return u.resetSettled(admin.ResetAt) })
			return nil
		}
		of = bond{a.ID, a.Email}
		if superseded, err = settled(ctx, tx, a.ID, admin.ResetAt); err != nil {
			return err
		}
		if superseded {
			return change.Nothing()
		}
		if err := supersede(ctx, tx, a.ID, admin); err != nil {
			return err
		}
		if err := u.writePassword(ctx, tx, a.ID, a.Email, admin.PasswordHash.Reveal()); err != nil {
			return err
		}
		return u.endSessions(ctx, tx, a.ID)
	})
	if err == nil && superseded {
		stored, err = true, u.mirror(ctx, of)
	}
	switch {
	case err == nil:
		return nil
	case stored:
		// The row is right, and nobody must be kept out for a file that cannot be written: heed tries that again.
		u.Log.Error("store that a password which was reset is settled", "err", err)
		return nil
	default:
		return fmt.Errorf("store the password that was reset: %w", err)
	}
}

// unsettled is the setup store's admin when it is this account, and its password was reset without the database.
func (u *Users) unsettled(userID, email string) (*setupstate.Admin, error) {
	state, err := u.Setup.Load()
	if err != nil || state.Admin == nil || state.Admin.ResetAt.IsZero() {
		return nil, err
	}
	if state.Admin.UserID == userID || state.Admin.UserID == "" && state.Admin.Email == email {
		return state.Admin, nil
	}
	return nil, nil
}

// isNewest says in tx that the password which it stores is newer than a reset that is not settled yet, if there is one.
func (u *Users) isNewest(ctx context.Context, tx change.Tx, userID, email string) error {
	reset, err := u.unsettled(userID, email)
	if err != nil || reset == nil {
		return err
	}
	return supersede(ctx, tx, userID, *reset)
}

// supersede says in tx that the password which it stores is that of a reset, or newer. The setup store learns of it as
// it follows. It comes before endSessions, so that no proof of the reset password outlives it.
func supersede(ctx context.Context, tx change.Tx, userID string, reset setupstate.Admin) error {
	var b pgx.Batch
	b.Queue(`insert into user_password_resets (user_id, settled_at) values ($1, $2)
		on conflict (user_id) do update set settled_at = excluded.settled_at`, userID, reset.ResetAt)
	b.Queue(`update users set session_epoch = greatest(session_epoch, $2) where id = $1`, userID, reset.Epoch)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("note which password is newer: %w", err)
	}
	return nil
}

// settled reports whether the row has the password of that reset, or a newer one. Which reset it was is asked, not whether it was
// earlier: the setup store has one at most, and a clock may go back.
func settled(ctx context.Context, q db.DB, userID string, reset time.Time) (is bool, err error) {
	err = q.QueryRow(ctx, `select exists (select from user_password_resets where user_id = $1 and settled_at = $2)`, userID, reset).Scan(&is)
	if err != nil {
		return false, fmt.Errorf("read which password is newer: %w", err)
	}
	return is, nil
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
