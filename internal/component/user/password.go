package user

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
)

func (u *Users) passwordRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "change-password", Method: http.MethodPost, Path: "/auth/change-password", Access: api.Self,
		Summary: "Change your own password", Description: "Every other session and every API token of the account ends.",
	}, u.changePassword)
	api.Handle(r, api.Op{
		ID: "reset-password", Method: http.MethodPost, Path: "/auth/reset-password", Access: api.Public, WithoutDatabase: true,
		Summary:     "Set the administrator's password with a reset token",
		Description: "gateway-ctl reset-password prints the token; it works once, for 30 minutes.",
	}, u.resetPassword)
	api.Handle(r, api.Op{
		ID: "set-user-password", Method: http.MethodPost, Path: "/users/{id}/password", Lasting: true,
		Summary: "Set a user's password", Description: "Every session and every API token of that user ends.",
	}, u.setPassword)
}

func (u *Users) changePassword(ctx context.Context, in *struct {
	Body struct {
		CurrentPassword secret.Text `json:"current_password" minLength:"1" maxLength:"1024" doc:"Your password until now"`
		NewPassword     secret.Text `json:"new_password" minLength:"12" maxLength:"72" doc:"New password, 12 to 72 bytes"`
	}
},
) (*api.SignedIn[*api.None], error) {
	me := identity.From(ctx)
	if err := u.verifyOwn(ctx, me, in.Body.CurrentPassword.Reveal()); err != nil {
		return nil, err
	}
	hash, err := u.newHash(ctx, "new_password", in.Body.NewPassword.Reveal(), me.Email)
	if err != nil {
		return nil, err
	}
	out := &api.SignedIn[*api.None]{}
	c := change.Change{Component: "user", Action: "auth.password.change", Subject: me.Email}
	err = u.Run.Run(ctx, c, func(tx change.Tx) (err error) {
		if err := u.storePassword(ctx, tx, me.UserID, me.Email, hash); err != nil {
			return err
		}
		out.SetCookie, err = u.renew(ctx, tx, me)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// verifyOwn asks a signed-in caller for their password once more. Somebody at an
// unlocked screen must not get to guess it faster than at the sign-in page.
func (u *Users) verifyOwn(ctx context.Context, me identity.Identity, password string) error {
	// Else whoever knows the password of before a reset, and has a session of then, could still prove it.
	if err := u.settleReset(ctx); err != nil {
		return err
	}
	attempt := auth.Attempt{IP: api.ClientOf(ctx).Addr, Account: me.Email, Device: true}
	if ok, wait := u.limiter.Allow(u.Now(), attempt); !ok {
		return fault.New(fault.TooMany, "too many attempts; wait a moment").WithRetry(wait)
	}
	a, err := byID(ctx, u.Pool, me.UserID)
	if err != nil {
		return err
	}
	if a == nil {
		return ended()
	}
	right, err := u.Hasher.Compare(ctx, auth.Trusted, []byte(a.PasswordHash), password)
	if err != nil {
		return err
	}
	if !right {
		return fault.New(fault.Unauthenticated, "the current password is wrong").WithCode("wrong_password")
	}
	u.limiter.Refund(u.Now(), attempt)
	return nil
}

// newHash checks a new password and hashes it, outside of any transaction: it takes a third of a second.
func (u *Users) newHash(ctx context.Context, field, password, email string) (string, error) {
	var p fault.Problems
	if err := p.Check(field, auth.CheckLength(password)); err != nil {
		return "", err
	}
	if err := p.Check(field, auth.CheckStrength(password, email)); err != nil {
		return "", err
	}
	if err := p.Err(); err != nil {
		return "", err
	}
	hash, err := u.Hasher.Hash(ctx, auth.Trusted, password)
	return string(hash), err
}

// storePassword writes the hash of a password that is newer than any other; the setup store follows when the account is its admin.
func (u *Users) storePassword(ctx context.Context, tx change.Tx, userID, email, hash string) error {
	if err := u.isNewest(ctx, tx, userID, email); err != nil {
		return err
	}
	return u.writePassword(ctx, tx, userID, email, hash)
}

func (u *Users) writePassword(ctx context.Context, tx change.Tx, userID, email, hash string) error {
	_, err := tx.Exec(ctx, `update users set password_hash = $2, revision = revision + 1, updated_at = $3 where id = $1`, userID, hash, u.Now())
	if err != nil {
		return fmt.Errorf("store password: %w", err)
	}
	u.follow(tx, bond{userID, email})
	return nil
}

// renew ends every session of the account and starts a new one for this caller. Whatever they have proved was proved before the
// transaction began to wait: it counts for nothing if their session has ended since, or their password was reset.
func (u *Users) renew(ctx context.Context, tx change.Tx, me identity.Identity) ([]http.Cookie, error) {
	var in bool
	err := tx.QueryRow(ctx, `select exists (select from user_sessions where id = $1 and user_id = $2 and revoked_at is null)`, me.SessionID, me.UserID).Scan(&in)
	if err != nil {
		return nil, fmt.Errorf("look for the session: %w", err)
	}
	reset, err := u.unsettled(me.UserID, me.Email)
	if err != nil {
		return nil, err
	}
	if !in || reset != nil {
		return nil, ended()
	}
	if err := u.endSessions(ctx, tx, me.UserID); err != nil {
		return nil, err
	}
	a, err := byID(ctx, tx, me.UserID)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, ended()
	}
	return u.startSession(ctx, tx, a)
}

func (u *Users) resetPassword(ctx context.Context, in *struct {
	Body struct {
		Token       secret.Text `json:"token" minLength:"1" maxLength:"64" doc:"As gateway-ctl reset-password printed it"`
		NewPassword secret.Text `json:"new_password" minLength:"12" maxLength:"72" doc:"The administrator's new password, 12 to 72 bytes"`
	}
},
) (*api.Body[*api.None], error) {
	attempt := auth.Attempt{IP: api.ClientOf(ctx).Addr}
	if ok, wait := u.limiter.Allow(u.Now(), attempt); !ok {
		return nil, fault.New(fault.TooMany, "too many attempts; wait a moment").WithRetry(wait)
	}
	state, err := u.Setup.Load()
	if err != nil {
		return nil, err
	}
	err = auth.ConsumeResetToken(u.ResetToken, in.Body.Token.Reveal(), u.Now(), func() error {
		if state.Admin == nil {
			return fault.New(fault.Conflict, "this node has no local administrator whose password could be reset")
		}
		if !u.Database.Up() {
			return u.resetAway(ctx, *state.Admin, in.Body.NewPassword.Reveal())
		}
		return u.reset(ctx, *state.Admin, in.Body.NewPassword.Reveal())
	})
	if err != nil {
		return nil, err
	}
	u.limiter.Refund(u.Now(), attempt)
	return api.Done(), nil
}

// reset settles user table and setup store together: afterwards only the new password signs in.
func (u *Users) reset(ctx context.Context, admin setupstate.Admin, password string) error {
	hash, err := u.newHash(ctx, "new_password", password, admin.Email)
	if err != nil {
		return err
	}
	c := change.Change{Component: "user", Action: "auth.password.reset", Subject: admin.Email, Actor: "local"}
	return u.Run.Run(ctx, c, func(tx change.Tx) error {
		a, err := rowOf(ctx, tx, admin)
		if err != nil {
			return err
		}
		if a == nil {
			tx.AfterCommit(func(context.Context) error { return u.resetStore(admin, hash) })
			return nil
		}
		// It lifts a lockout by wrong codes; the second factor itself stays.
		tx.AfterCommit(func(context.Context) error { u.codes.Right(a.ID); return nil })
		if err := u.storePassword(ctx, tx, a.ID, a.Email, hash); err != nil {
			return err
		}
		return u.endSessions(ctx, tx, a.ID)
	})
}

// resetStore is for an admin that has no row.
func (u *Users) resetStore(admin setupstate.Admin, hash string) error {
	_, err := u.Setup.Update(func(s *setupstate.State) error {
		if s.Admin != nil && s.Admin.UserID == admin.UserID {
			s.Admin.PasswordHash, s.Admin.ResetAt = secret.Text(hash), time.Time{}
		}
		return nil
	})
	return err
}

func (u *Users) setPassword(ctx context.Context, in *struct {
	ID   string `path:"id" doc:"Id of the user"`
	Body struct {
		Password secret.Text `json:"password" minLength:"12" maxLength:"72" doc:"New password of the user, 12 to 72 bytes"`
	}
},
) (*api.Body[*api.None], error) {
	a, err := u.existing(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := notOwn(ctx, a.ID, "POST /auth/change-password"); err != nil {
		return nil, err
	}
	hash, err := u.newHash(ctx, "password", in.Body.Password.Reveal(), a.Email)
	if err != nil {
		return nil, err
	}
	c := change.Change{Component: "user", Action: "user.password.set", Subject: a.Email}
	err = u.Run.Run(ctx, c, func(tx change.Tx) error {
		if err := u.storePassword(ctx, tx, a.ID, a.Email, hash); err != nil {
			return err
		}
		return u.endSessions(ctx, tx, a.ID)
	})
	if err != nil {
		return nil, err
	}
	return api.Done(), nil
}

// existing is the account with that id, or a NotFound fault.
func (u *Users) existing(ctx context.Context, id string) (*account, error) {
	a, err := byID(ctx, u.Pool, id)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, db.Fault(pgx.ErrNoRows, "user", nil)
	}
	return a, nil
}
