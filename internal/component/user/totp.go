package user

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/secret"
)

func (u *Users) totpRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "setup-totp", Method: http.MethodPost, Path: "/auth/totp/setup", Access: api.Self,
		Summary: "Begin setting up a second factor",
		Description: "Requires your password, so that nobody at an unlocked screen can lock you out. Returns the secret as text and as a QR code. " +
			"Nothing changes until POST /auth/totp/enable proves that the authenticator has it.",
	}, u.setupTOTP)
	api.Handle(r, api.Op{
		ID: "enable-totp", Method: http.MethodPost, Path: "/auth/totp/enable", Access: api.Self,
		Summary:     "Turn the second factor on",
		Description: "Returns recovery codes, which are shown only once. Other sessions and all API tokens of the account end.",
	}, u.enableTOTP)
	api.Handle(r, api.Op{
		ID: "disable-totp", Method: http.MethodPost, Path: "/auth/totp/disable", Access: api.Self,
		Summary:     "Turn your own second factor off",
		Description: "Requires your password. Signing in then needs the password alone; the recovery codes no longer work. Other sessions and all API tokens of the account end.",
	}, u.disableOwnTOTP)
	api.Handle(r, api.Op{
		ID: "disable-user-totp", Method: http.MethodPost, Path: "/users/{id}/totp/disable", Lasting: true,
		Summary:     "Turn a user's second factor off",
		Description: "For a user who lost the authenticator and the recovery codes. The sessions and API tokens of the user end.",
	}, u.disableTOTP)
}

// Enrolment is what an authenticator needs.
type Enrolment struct {
	Secret string `json:"secret" doc:"For manual entry without a camera"`
	URL    string `json:"url" doc:"The same as otpauth URL"`
	QR     string `json:"qr" doc:"The same as QR code: a PNG as data URL"`
}

// ownPassword is asked before the second factor changes.
type ownPassword struct {
	Body struct {
		Password secret.Text `json:"password" minLength:"1" maxLength:"1024" doc:"Your password, once more"`
	}
}

func (u *Users) setupTOTP(ctx context.Context, in *ownPassword) (*api.Body[Enrolment], error) {
	me := identity.From(ctx)
	if err := u.verifyOwn(ctx, me, in.Body.Password.Reveal()); err != nil {
		return nil, err
	}
	e, err := auth.NewTOTP("gateway", me.Email)
	if err != nil {
		return nil, err
	}
	sealed := u.Box.Seal([]byte(e.Secret.Reveal()), totpPlace("pending", me.UserID))
	c := change.Change{Component: "user", Action: "auth.totp.setup", Subject: me.Email}
	err = u.Run.Run(ctx, c, func(tx change.Tx) error {
		a, err := byID(ctx, tx, me.UserID)
		if err != nil {
			return err
		}
		if a == nil || a.TOTPEnabled {
			return fault.New(fault.Conflict, "the second factor is already on; turn it off first")
		}
		_, err = tx.Exec(ctx, `insert into user_totp_state (user_id, pending) values ($1, $2)
			on conflict (user_id) do update set pending = excluded.pending`, me.UserID, sealed)
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.OK(Enrolment{
		Secret: e.Secret.Reveal(), URL: e.URL.Reveal(),
		QR: "data:image/png;base64," + base64.StdEncoding.EncodeToString(e.PNG),
	}), nil
}

type codeInput struct {
	Body struct {
		Code string `json:"code" minLength:"6" maxLength:"6" pattern:"^[0-9]{6}$" doc:"Current six-digit code of the authenticator"`
	}
}

// Enabled is the answer that shows the recovery codes.
type Enabled struct {
	RecoveryCodes []string `json:"recovery_codes" doc:"Single-use codes to sign in without the authenticator; shown only once"`
}

func (u *Users) enableTOTP(ctx context.Context, in *codeInput) (*api.SignedIn[Enabled], error) {
	me := identity.From(ctx)
	if ok, wait := u.codes.Allow(me.UserID, u.Now()); !ok {
		return nil, fault.New(fault.TooMany, "too many wrong codes; wait a moment").WithRetry(wait)
	}
	codes := auth.NewRecoveryCodes()
	var cookies []http.Cookie
	c := change.Change{Component: "user", Action: "auth.totp.enable", Subject: me.Email}
	err := u.Run.Run(ctx, c, func(tx change.Tx) (err error) {
		if err := u.confirmPending(ctx, tx, me.UserID, in.Body.Code); err != nil {
			return err
		}
		if err := storeRecovery(ctx, tx, me.UserID, codes); err != nil {
			return err
		}
		cookies, err = u.renew(ctx, tx, me)
		return err
	})
	if err != nil {
		return nil, err
	}
	u.codes.Right(me.UserID)
	out := &api.SignedIn[Enabled]{SetCookie: cookies}
	for _, code := range codes {
		out.Body.Data.RecoveryCodes = append(out.Body.Data.RecoveryCodes, code.Reveal())
	}
	return out, nil
}

// confirmPending makes the pending secret the real one when code proves it.
func (u *Users) confirmPending(ctx context.Context, tx change.Tx, userID, code string) error {
	var sealed []byte
	err := tx.QueryRow(ctx, `select pending from user_totp_state where user_id = $1 for update`, userID).Scan(&sealed)
	if err != nil || sealed == nil {
		if err == nil || fault.Is(db.Fault(err, "", nil), fault.NotFound) {
			return fault.New(fault.Conflict, "begin with POST /auth/totp/setup")
		}
		return fmt.Errorf("read pending second factor: %w", err)
	}
	plain, err := u.Box.Open(sealed, totpPlace("pending", userID))
	if err != nil {
		return err
	}
	step, ok := auth.Match(string(plain), code, u.Now())
	if !ok {
		return fault.At("code", "is wrong; check the authenticator's clock and try the next code")
	}
	var b pgx.Batch
	b.Queue(`update user_totp_state set pending = null, last_step = $2 where user_id = $1`, userID, step)
	b.Queue(`update users set totp_enabled = true, totp_secret = $2, revision = revision + 1, updated_at = $3 where id = $1`,
		userID, u.Box.Seal(plain, totpPlace("totp_secret", userID)), u.Now())
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("store second factor: %w", err)
	}
	u.follow(tx, bond{})
	return nil
}

func storeRecovery(ctx context.Context, tx pgx.Tx, userID string, codes []secret.Text) error {
	var b pgx.Batch
	b.Queue(`delete from user_recovery_codes where user_id = $1`, userID)
	for _, code := range codes {
		b.Queue(`insert into user_recovery_codes (user_id, hash) values ($1, $2)`, userID, auth.HashRecovery(code.Reveal()))
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("store recovery codes: %w", err)
	}
	return nil
}

type secondFactor struct {
	Body struct {
		Token        string      `json:"token" minLength:"1" maxLength:"4096" doc:"From POST /auth/login"`
		Code         string      `json:"code,omitempty" maxLength:"6" doc:"Authenticator code"`
		RecoveryCode secret.Text `json:"recovery_code,omitempty" maxLength:"64" doc:"Recovery code, instead of code"`
	}
}

// loginTOTP is the second step. Of any number of parallel uses of one code, one signs in.
func (u *Users) loginTOTP(ctx context.Context, in *secondFactor) (*api.SignedIn[Login], error) {
	claims, err := u.Signer.Parse(auth.MFA, in.Body.Token)
	if err != nil {
		return nil, err
	}
	if !u.Database.Up() {
		return u.emergencyCode(ctx, claims, in.Body.Code)
	}
	a, err := byID(ctx, u.Pool, claims.Subject)
	if err != nil {
		return nil, err
	}
	if a == nil || !a.Active || !a.TOTPEnabled || a.Epoch != claims.Epoch {
		return nil, ended()
	}
	if ok, wait := u.codes.Allow(a.ID, u.Now()); !ok {
		return nil, fault.New(fault.TooMany, "too many wrong codes; wait a moment").WithRetry(wait)
	}
	by := "totp"
	won, err := false, error(nil)
	if in.Body.RecoveryCode != "" {
		by = "recovery_code"
		won, err = u.useRecovery(ctx, a, in.Body.RecoveryCode.Reveal())
	} else {
		won, err = u.useCode(ctx, a, in.Body.Code)
	}
	if err != nil {
		return nil, err
	}
	if !won {
		return nil, u.refuse(ctx, a.Email, "invalid_credentials", wrongCode())
	}
	u.codes.Right(a.ID)
	return u.signIn(ctx, a, by)
}

// useCode takes the code's time step, which nobody can take twice.
func (u *Users) useCode(ctx context.Context, a *account, code string) (bool, error) {
	plain, err := u.Box.Open(a.TOTPSecret, totpPlace("totp_secret", a.ID))
	if err != nil {
		return false, err
	}
	step, ok := auth.Match(string(plain), code, u.Now())
	if !ok {
		return false, nil
	}
	tag, err := u.Pool.Exec(ctx, `insert into user_totp_state as s (user_id, last_step) values ($1, $2)
		on conflict (user_id) do update set last_step = excluded.last_step where s.last_step < excluded.last_step`, a.ID, step)
	if err != nil {
		return false, fmt.Errorf("use code: %w", err)
	}
	// The setup store hears of the step too, or the code would work again with the database gone.
	if err := u.mirror(ctx, bond{}); err != nil {
		u.Log.Warn("make the setup store follow the user table", "err", err)
	}
	return tag.RowsAffected() == 1, nil
}

// useRecovery takes a recovery code out of use.
func (u *Users) useRecovery(ctx context.Context, a *account, code string) (bool, error) {
	won := false
	c := change.Change{Component: "user", Action: "auth.recovery_code.use", Subject: a.Email, Actor: a.Email}
	err := u.Run.Run(ctx, c, func(tx change.Tx) error {
		tag, err := tx.Exec(ctx, `update user_recovery_codes set used_at = $3 where user_id = $1 and hash = $2 and used_at is null`,
			a.ID, auth.HashRecovery(code), u.Now())
		if err != nil {
			return fmt.Errorf("use recovery code: %w", err)
		}
		if won = tag.RowsAffected() == 1; !won {
			return change.Nothing()
		}
		return nil
	})
	return won, err
}

func (u *Users) disableOwnTOTP(ctx context.Context, in *ownPassword) (*api.SignedIn[*api.None], error) {
	me := identity.From(ctx)
	if err := u.verifyOwn(ctx, me, in.Body.Password.Reveal()); err != nil {
		return nil, err
	}
	out := &api.SignedIn[*api.None]{}
	c := change.Change{Component: "user", Action: "auth.totp.disable", Subject: me.Email}
	err := u.Run.Run(ctx, c, func(tx change.Tx) (err error) {
		if err := u.clearTOTP(ctx, tx, me.UserID); err != nil {
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

func (u *Users) disableTOTP(ctx context.Context, in *struct {
	ID string `path:"id" doc:"Id of the user"`
},
) (*api.Body[*api.None], error) {
	a, err := u.existing(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := notOwn(ctx, a.ID, "POST /auth/totp/disable"); err != nil {
		return nil, err
	}
	c := change.Change{Component: "user", Action: "user.totp.disable", Subject: a.Email}
	err = u.Run.Run(ctx, c, func(tx change.Tx) error {
		if err := u.clearTOTP(ctx, tx, a.ID); err != nil {
			return err
		}
		return u.endSessions(ctx, tx, a.ID)
	})
	if err != nil {
		return nil, err
	}
	return api.Done(), nil
}

func (u *Users) clearTOTP(ctx context.Context, tx change.Tx, userID string) error {
	var b pgx.Batch
	b.Queue(`update users set totp_enabled = false, totp_secret = null, revision = revision + 1, updated_at = $2 where id = $1`, userID, u.Now())
	b.Queue(`delete from user_recovery_codes where user_id = $1`, userID)
	b.Queue(`update user_totp_state set pending = null where user_id = $1`, userID)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("clear second factor: %w", err)
	}
	u.follow(tx, bond{})
	return nil
}
