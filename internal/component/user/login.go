package user

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

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

func (u *Users) loginRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "login", Method: http.MethodPost, Path: "/auth/login", Access: api.Public, WithoutDatabase: true,
		Summary:     "Sign in",
		Description: "Returns a session cookie, or second_factor with a token for POST /auth/login/totp.",
	}, u.login)
	api.Handle(r, api.Op{
		ID: "login-totp", Method: http.MethodPost, Path: "/auth/login/totp", Access: api.Public, WithoutDatabase: true,
		Summary:     "Complete the sign-in with an authenticator code or a recovery code",
		Description: "Send the token of POST /auth/login with either code or recovery_code; a recovery code works once. Returns the session cookie.",
	}, u.loginTOTP)
	api.Handle(r, api.Op{
		ID: "logout", Method: http.MethodPost, Path: "/auth/logout", Access: api.Self,
		Summary:     "End this session",
		Description: "Clears the session cookie; other sessions and API tokens of the account stay.",
	}, u.logout)
	api.Handle(r, api.Op{
		ID: "me", Method: http.MethodGet, Path: "/auth/me", Access: api.Self, WithoutDatabase: true,
		Summary:     "Get the identity of this session or token",
		Description: "Use it to see whether a session or token is still valid, and which role it has.",
	}, u.me)
}

// Login is the answer to a right password.
type Login struct {
	SecondFactor bool      `json:"second_factor" doc:"The password was correct; a second factor is required"`
	Token        string    `json:"token,omitempty" doc:"With second_factor: proves the password step, for 5 minutes"`
	Identity     *Identity `json:"identity,omitempty" doc:"Without second_factor: who is signed in"`
}

// Identity is an account as its owner sees it.
type Identity struct {
	ID          string        `json:"id" doc:"Id of the account"`
	Email       string        `json:"email" doc:"Sign-in name"`
	Role        identity.Role `json:"role" enum:"admin,viewer" doc:"Role of this session or token"`
	TOTPEnabled bool          `json:"totp_enabled" doc:"Whether a second factor is required at sign-in"`
	Limited     bool          `json:"limited" doc:"Signed in while the database is unavailable: can only view and control the system"`
}

type credentials struct {
	Body struct {
		Email    string      `json:"email" minLength:"1" maxLength:"254" doc:"Sign-in name"`
		Password secret.Text `json:"password" minLength:"1" maxLength:"1024" doc:"Password of the account"`
	}
}

// login checks, in this order: may this caller try at all (before a hash is
// computed), is there such an account, is the password right, is the account active.
func (u *Users) login(ctx context.Context, in *credentials) (*api.SignedIn[Login], error) {
	email := in.Body.Email
	attempt, lane := u.attempt(ctx, email)
	if ok, wait := u.limiter.Allow(u.Now(), attempt); !ok {
		return nil, fault.New(fault.TooMany, "too many attempts; wait a moment").WithRetry(wait)
	}
	who, err := u.find(ctx, email)
	if err != nil {
		u.limiter.Refund(u.Now(), attempt)
		return nil, err
	}
	right, err := u.Hasher.Compare(ctx, lane, []byte(who.PasswordHash), in.Body.Password.Reveal())
	if err != nil {
		u.limiter.Refund(u.Now(), attempt)
		return nil, err
	}
	if !right {
		return nil, u.refuse(ctx, email, "invalid_credentials", fault.New(fault.Unauthenticated, "e-mail or password is wrong"))
	}
	u.limiter.Refund(u.Now(), attempt)
	if !who.Active {
		return nil, u.refuse(ctx, email, "account_disabled", fault.New(fault.Forbidden, "this account is disabled"))
	}
	if who.away {
		return u.emergencyLogin(ctx, who)
	}
	return u.firstFactorDone(ctx, who)
}

// attempt words the try for the limiter. A browser that signed in to this account before is told from strangers.
func (u *Users) attempt(ctx context.Context, email string) (auth.Attempt, auth.Lane) {
	client := api.ClientOf(ctx)
	a := auth.Attempt{IP: client.Addr, Account: email}
	if claims, err := u.Signer.Parse(auth.Device, client.Device); err == nil && claims.Subject == deviceSubject(email) {
		a.Device = true
		return a, auth.Trusted
	}
	return a, auth.Untrusted
}

// deviceSubject keeps the e-mail itself out of a cookie that outlives the session.
func deviceSubject(email string) string {
	sum := sha256.Sum256([]byte(email))
	return hex.EncodeToString(sum[:])
}

// candidate is who a sign-in is for. Without an account it has an empty hash, which no password matches.
type candidate struct {
	account
	fromStore bool // known to the setup store only
	away      bool // found while the database is away
}

// find looks in the user table first. Only when no row has that e-mail, in
// whatever state, is the setup store asked.
func (u *Users) find(ctx context.Context, email string) (candidate, error) {
	away := !u.Database.Up()
	if !away {
		a, err := u.row(ctx, email)
		switch {
		case err == nil && a != nil:
			return candidate{account: *a}, nil
		case err != nil && !db.Unavailable(err):
			return candidate{}, err
		case err != nil:
			away = true
		}
	}
	state, err := u.Setup.Load()
	if err != nil {
		return candidate{}, err
	}
	if state.Admin == nil || state.Admin.Email != email {
		return candidate{away: away}, nil
	}
	if !away {
		if ok, err := adoptable(ctx, u.Pool, *state.Admin); err != nil || !ok {
			return candidate{}, err
		}
	}
	return candidate{fromStore: true, away: away, account: stored(*state.Admin)}, nil
}

// row is the account with that e-mail, with the password that was reset meanwhile.
func (u *Users) row(ctx context.Context, email string) (*account, error) {
	if err := u.settleReset(ctx); err != nil {
		return nil, err
	}
	return byEmail(ctx, u.Pool, email)
}

// stored is the setup store's admin as an account.
func stored(a setupstate.Admin) account {
	return account{
		ID: a.UserID, Email: a.Email, Role: identity.Admin, Active: !a.Disabled, PasswordHash: a.PasswordHash.Reveal(),
		TOTPEnabled: a.SecondFactor, TOTPSecret: a.TOTPSecret, Epoch: a.Epoch,
	}
}

// adoptable reports whether the setup store's admin, which has no row, may become one. It
// becomes one once: when that row is gone the account was deleted, unless there is no
// admin at all. That no change can bring about; the table was lost.
func adoptable(ctx context.Context, q db.DB, admin setupstate.Admin) (bool, error) {
	if admin.UserID == "" {
		return true, nil
	}
	others, err := otherAdmins(ctx, q, admin.UserID)
	return others == 0, err
}

// refuse records a failed sign-in and returns its fault. The log says the reason; the caller learns no more than the fault says.
func (u *Users) refuse(ctx context.Context, email, reason string, f error) error {
	if !u.Database.Up() {
		u.tell(ctx, email, reason) // waiting for the audit log would keep the caller
		return f
	}
	detail := map[string]any{"reason": reason, "remote_ip": api.ClientOf(ctx).Addr.String()}
	err := u.record(ctx, email, "auth.login.failed", detail)
	if err == nil {
		return f
	}
	if !db.Unavailable(err) {
		return err
	}
	u.tell(ctx, email, reason)
	return f
}

// tell writes a failed sign-in to the journal, in place of the audit log. It does not wait in the file of the queue: strangers
// could fill that, and keep administrators from acting. What a stranger typed may be a password in the wrong field, so only
// the one account that can sign in then is named.
func (u *Users) tell(ctx context.Context, email, reason string) {
	account := "unknown"
	if state, err := u.Setup.Load(); err == nil && state.Admin != nil && state.Admin.Email == email {
		account = email
	}
	u.Log.Warn("sign-in failed while the database is away", "account", account, "reason", reason, "remote_ip", api.ClientOf(ctx).Addr.String())
}

// record audits something that stores nothing else.
func (u *Users) record(ctx context.Context, actor, action string, detail map[string]any) error {
	d, err := json.Marshal(detail)
	if err != nil {
		return fmt.Errorf("detail of %s: %w", action, err)
	}
	return u.Audit.Record(ctx, u.Pool, audit.Entry{Actor: actor, Action: action, Subject: actor, Detail: d})
}

// firstFactorDone signs in, or asks for the second factor.
func (u *Users) firstFactorDone(ctx context.Context, who candidate) (*api.SignedIn[Login], error) {
	if who.fromStore {
		made, err := u.adopt(ctx, who.account)
		if err != nil {
			return nil, err
		}
		who.account = *made
	}
	if who.TOTPEnabled {
		return u.askForCode(who.account)
	}
	return u.signIn(ctx, &who.account, "password")
}

// askForCode answers the token that proves the password step.
func (u *Users) askForCode(a account) (*api.SignedIn[Login], error) {
	token, err := u.Signer.Sign(auth.MFA, auth.Claims{Subject: a.ID, SID: db.NewID(), Epoch: a.Epoch})
	if err != nil {
		return nil, err
	}
	return signedIn(Login{SecondFactor: true, Token: token}, nil), nil
}

// adopt makes the setup store's admin a row of the user table, with its second factor. A
// row that was lost gets its old id: the sealed secret belongs to that.
func (u *Users) adopt(ctx context.Context, a account) (*account, error) {
	if a.TOTPEnabled && (a.ID == "" || a.TOTPSecret == nil) {
		return nil, fault.New(fault.Forbidden, "the second factor of this account was lost with its record in the database; restore the database from a backup").
			WithCode("second_factor_lost")
	}
	was := a.ID
	if a.ID == "" {
		a.ID = db.NewID()
	}
	c := change.Change{Component: "user", Action: "user.create", Subject: a.Email, Actor: "setup"}
	err := u.Run.Run(ctx, c, func(tx change.Tx) error {
		ok, err := u.stillAdoptable(ctx, tx, was, a.Email)
		if err != nil {
			return err
		}
		if !ok {
			return change.Nothing()
		}
		_, err = tx.Exec(ctx, `insert into users (id, revision, created_at, updated_at, email, role, active, password_hash, totp_enabled, totp_secret, session_epoch)
			values ($1, 1, $2, $2, $3, $4, $5, $6, $7, $8, $9)`,
			a.ID, u.Now(), a.Email, a.Role, a.Active, a.PasswordHash, a.TOTPEnabled, a.TOTPSecret, a.Epoch)
		u.follow(tx, bond{a.ID, a.Email})
		return err
	})
	if fault.Is(db.Fault(err, "user", nil), fault.Conflict) {
		// A parallel sign-in adopted it first, or another spelling of the e-mail has an account.
		return u.adopted(ctx, a.Email)
	}
	if err != nil {
		return nil, fmt.Errorf("adopt setup admin: %w", err)
	}
	return u.adopted(ctx, a.Email)
}

// stillAdoptable asks again under the lock: a parallel sign-in may have been faster.
func (u *Users) stillAdoptable(ctx context.Context, tx db.DB, userID, email string) (bool, error) {
	state, err := u.Setup.Load()
	if err != nil || state.Admin == nil || state.Admin.UserID != userID || state.Admin.Email != email {
		return false, err
	}
	return adoptable(ctx, tx, *state.Admin)
}

func (u *Users) adopted(ctx context.Context, email string) (*account, error) {
	made, err := byEmail(ctx, u.Pool, email)
	if err != nil {
		return nil, err
	}
	if made == nil {
		return nil, fault.New(fault.Unauthenticated, "e-mail or password is wrong")
	}
	return made, nil
}

// signIn starts the session of an account that proved itself.
func (u *Users) signIn(ctx context.Context, a *account, by string) (*api.SignedIn[Login], error) {
	var cookies []http.Cookie
	err := pgx.BeginFunc(ctx, u.Pool, func(tx pgx.Tx) (err error) {
		if cookies, err = u.startSession(ctx, tx, a); err != nil {
			return err
		}
		detail, err := json.Marshal(map[string]any{"role": a.Role, "remote_ip": api.ClientOf(ctx).Addr.String(), "by": by})
		if err != nil {
			return err
		}
		return u.Audit.Append(ctx, tx, audit.Entry{Actor: a.Email, Action: "auth.login.success", Subject: a.Email, Detail: detail})
	})
	if err != nil {
		return nil, fmt.Errorf("sign in: %w", err)
	}
	return signedIn(Login{Identity: &Identity{ID: a.ID, Email: a.Email, Role: a.Role, TOTPEnabled: a.TOTPEnabled}}, cookies), nil
}

func signedIn(l Login, cookies []http.Cookie) *api.SignedIn[Login] {
	return &api.SignedIn[Login]{SetCookie: cookies, Body: api.Envelope[Login]{Data: l}}
}

func (u *Users) logout(ctx context.Context, _ *struct{}) (*api.SignedIn[*api.None], error) {
	me := identity.From(ctx)
	c := change.Change{Component: "user", Action: "auth.logout", Subject: me.Email}
	if err := u.Run.Run(ctx, c, func(tx change.Tx) error { return u.revoke(ctx, tx, me.UserID, me.SessionID) }); err != nil {
		return nil, err
	}
	return &api.SignedIn[*api.None]{SetCookie: expire()}, nil
}

func (u *Users) me(ctx context.Context, _ *struct{}) (*api.Body[Identity], error) {
	me := identity.From(ctx)
	out := Identity{ID: me.UserID, Email: me.Email, Role: me.Role, Limited: me.Emergency}
	if me.Emergency {
		return api.OK(out), nil
	}
	a, err := byID(ctx, u.Pool, me.UserID)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, ended()
	}
	out.TOTPEnabled = a.TOTPEnabled
	return api.OK(out), nil
}
