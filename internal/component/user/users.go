package user

import (
	"context"
	"net/mail"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/resource"
	"gateway/internal/secret"
)

// User is an account as admins and viewers see it.
type User struct {
	resource.Meta
	Email       string        `json:"email" db:"email"`
	Role        identity.Role `json:"role" db:"role" enum:"admin,viewer"`
	Active      bool          `json:"active" db:"active" doc:"Inactive accounts cannot sign in"`
	OIDCSubject string        `json:"oidc_subject" db:"oidc_subject" doc:"Set by the first single sign-on"`
	TOTPEnabled bool          `json:"totp_enabled" db:"totp_enabled" doc:"Whether a second factor is required at sign-in"`
}

// Input is what create and update take.
type Input struct {
	Email    string        `json:"email" db:"email" minLength:"3" maxLength:"254" doc:"Sign-in name, case-sensitive"`
	Role     identity.Role `json:"role" db:"role" enum:"admin,viewer" doc:"viewer: may only read; admin: may change everything"`
	Active   *bool         `json:"active,omitempty" db:"active" default:"true" doc:"Inactive accounts cannot sign in"`
	Password secret.Text   `json:"password,omitempty" db:"-" maxLength:"72" doc:"12 to 72 bytes; needed on create, on update it stays when left out"`
	hash     string
}

func (u *Users) userRoutes(r api.Router) {
	resource.Resource[User, Input]{
		Component: "user", Noun: "user", Path: "/users", Table: "users", Access: api.Viewer, Lasting: true,
		Search: []string{"email", "role"}, Sort: []string{"email", "role", "active", "created_at", "updated_at"},
		Unique:   map[string]string{"users_email_key": "email"},
		Name:     func(r User) string { return r.Email },
		Prepare:  u.prepare,
		Validate: u.validate,
		Derive:   u.derive,
		After:    u.after,
	}.Register(r, u.Pool, u.Run)
}

// prepare hashes the password before anything is locked.
func (u *Users) prepare(ctx context.Context, creating bool, in *Input) (err error) {
	if in.Password == "" {
		if creating {
			return fault.At("password", "is required")
		}
		return nil
	}
	in.hash, err = u.newHash(ctx, "password", in.Password.Reveal(), in.Email)
	return err
}

func (u *Users) validate(ctx context.Context, tx db.DB, old *User, in *Input) error {
	var p fault.Problems
	if a, err := mail.ParseAddress(in.Email); err != nil || a.Address != in.Email {
		p.Add("email", "must be an e-mail address")
	}
	if err := p.Err(); err != nil {
		return err
	}
	if old != nil && old.Role == identity.Admin && old.Active && (in.Role != identity.Admin || in.Active != nil && !*in.Active) {
		return lastAdmin(ctx, tx, old.ID)
	}
	return nil
}

// lastAdmin refuses what would leave nobody to administer the node.
func lastAdmin(ctx context.Context, tx db.DB, except string) error {
	others, err := otherAdmins(ctx, tx, except)
	if err != nil {
		return err
	}
	if others == 0 {
		return fault.New(fault.Conflict, "this is the last active administrator; create or enable another administrator first")
	}
	return nil
}

func (u *Users) derive(_ context.Context, _ string, _ *User, in *Input) (map[string]any, error) {
	if in.hash == "" {
		return nil, nil
	}
	return map[string]any{"password_hash": in.hash}, nil
}

// after keeps sessions and the setup store true to the row. in is nil when a row is put
// back as it was.
func (u *Users) after(ctx context.Context, tx change.Tx, old, now *User, in *Input) error {
	if old == nil {
		return nil // nobody can be signed in as it yet
	}
	if err := notOwner(ctx, old.ID); err != nil {
		return err
	}
	password := in != nil && in.hash != ""
	if password {
		if err := u.isNewest(ctx, tx, old.ID, old.Email); err != nil {
			return err
		}
	}
	u.follow(tx, bond{old.ID, old.Email})
	if now == nil {
		return u.removed(ctx, tx, old)
	}
	if old.Role == now.Role && old.Active == now.Active && old.Email == now.Email && !password {
		return nil
	}
	return u.endSessions(ctx, tx, now.ID)
}

// notOwner keeps an API token from its owner's account also by the operations for other
// accounts: what it set there would outlive it.
func notOwner(ctx context.Context, userID string) error {
	if me := identity.From(ctx); me.TokenID != "" && me.UserID == userID {
		return fault.New(fault.Forbidden, "an API token cannot change its owner's account")
	}
	return nil
}

// notOwn keeps whoever borrowed a session from taking the account: what proves its owner is
// changed below /auth, which asks for the password.
func notOwn(ctx context.Context, userID, instead string) error {
	if err := notOwner(ctx, userID); err != nil {
		return err
	}
	if identity.From(ctx).UserID == userID {
		return fault.New(fault.Conflict, "this is your own account; use %s, which asks for your password", instead).WithCode("own_account")
	}
	return nil
}

// removed runs before the row goes.
func (u *Users) removed(ctx context.Context, tx change.Tx, old *User) error {
	u.forget(tx)
	if old.ID == identity.From(ctx).UserID {
		return fault.New(fault.Invalid, "you cannot delete your own account")
	}
	if old.Role == identity.Admin && old.Active {
		if err := lastAdmin(ctx, tx, old.ID); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `select pg_notify($1, '')`, sessionChannel)
	return err
}
