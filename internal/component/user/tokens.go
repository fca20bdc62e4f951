package user

import (
	"context"
	"errors"
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
)

func (u *Users) tokenRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-tokens", Method: http.MethodGet, Path: "/auth/tokens", Access: api.Self,
		Summary:     "List your own API tokens",
		Description: "Without the tokens themselves: they are shown only when created.",
	}, u.listTokens)
	api.Handle(r, api.Op{
		ID: "create-token", Method: http.MethodPost, Path: "/auth/tokens", Access: api.Self, Lasting: true, Status: http.StatusCreated,
		Summary: "Create an API token",
		Description: "The token is shown only once. It has its own role, limited to the current role of its owner. " +
			"It ends with its owner's sessions: when the password, the role, the e-mail or the second factor changes, and when the account is disabled.",
	}, u.createToken)
	api.Handle(r, api.Op{
		ID: "revoke-token", Method: http.MethodDelete, Path: "/auth/tokens/{id}", Access: api.Self,
		Summary:     "Revoke one of your own API tokens",
		Description: "Programs that use it get 401 from then on.",
	}, u.revokeToken)
	api.Handle(r, api.Op{
		ID: "list-user-tokens", Method: http.MethodGet, Path: "/users/{id}/tokens",
		Summary:     "List a user's API tokens",
		Description: "Without the tokens themselves: they are shown only when created.",
	}, u.listUserTokens)
	api.Handle(r, api.Op{
		ID: "revoke-user-token", Method: http.MethodDelete, Path: "/users/{id}/tokens/{item}",
		Summary:     "Revoke one of a user's API tokens",
		Description: "Programs that use it get 401 from then on.",
	}, u.revokeUserToken)
}

// TokenView is a token as its owner sees it: everything but the token.
type TokenView struct {
	ID         string        `json:"id" db:"id" doc:"Id of the token, for revoking it"`
	Name       string        `json:"name" db:"name" doc:"What it is for"`
	Role       identity.Role `json:"role" db:"role" enum:"admin,viewer" doc:"What it may do, at most what its owner may"`
	CreatedAt  time.Time     `json:"created_at" db:"created_at" doc:"When it was created"`
	ExpiresAt  time.Time     `json:"expires_at" db:"expires_at" doc:"When it stops working"`
	LastUsedAt *time.Time    `json:"last_used_at" db:"last_used_at" doc:"To the minute"`
}

// NewTokenView is the one answer that has the token.
type NewTokenView struct {
	TokenView
	Token string `json:"token" example:"gwt_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU" doc:"Send it as Authorization: Bearer; shown only once"`
}

func (u *Users) listTokens(ctx context.Context, _ *struct{}) (*api.Body[[]TokenView], error) {
	return u.tokensOf(ctx, identity.From(ctx).UserID)
}

func (u *Users) listUserTokens(ctx context.Context, in *struct {
	ID string `path:"id" doc:"Id of the user"`
},
) (*api.Body[[]TokenView], error) {
	a, err := u.existing(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return u.tokensOf(ctx, a.ID)
}

// tokensOf are the tokens that did not end with the account's sessions.
func (u *Users) tokensOf(ctx context.Context, userID string) (*api.Body[[]TokenView], error) {
	list, err := db.List[TokenView](ctx, u.Pool, `select t.id, t.name, t.role, t.created_at, t.expires_at, p.last_used_at
		from user_tokens t join users u on u.id = t.user_id left join user_token_uses p on p.token_id = t.id
		where t.user_id = $1 and t.epoch = u.session_epoch order by t.created_at desc, t.id limit 1000`, userID)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return api.OK(list), nil
}

func (u *Users) createToken(ctx context.Context, in *struct {
	Body struct {
		Name string        `json:"name" minLength:"1" maxLength:"64" pattern:"^[^\\pC]+$" patternDescription:"printable text" doc:"What it is for"`
		Role identity.Role `json:"role" enum:"admin,viewer" doc:"viewer: may only read; admin: may change everything its owner may"`
		Days int           `json:"days,omitempty" minimum:"1" maximum:"365" default:"90" doc:"Lifetime in days"`
	}
},
) (*api.Made[NewTokenView], error) {
	me := identity.From(ctx)
	if in.Body.Role == identity.Admin && me.Role != identity.Admin {
		return nil, fault.At("role", "cannot exceed your own role")
	}
	token, hash := auth.NewToken()
	now := u.Now()
	t := TokenView{ID: db.NewID(), Name: in.Body.Name, Role: in.Body.Role, CreatedAt: now, ExpiresAt: now.AddDate(0, 0, in.Body.Days)}
	c := change.Change{Component: "user", Action: "auth.token.create", Subject: t.Name, Detail: map[string]any{"role": t.Role, "expires_at": t.ExpiresAt}}
	err := u.Run.Run(ctx, c, func(tx change.Tx) error {
		// The session that asks may end meanwhile; its token must not outlive it then.
		tag, err := tx.Exec(ctx, `insert into user_tokens (id, user_id, name, role, hash, created_at, expires_at, epoch)
			select $1, u.id, $3, $4, $5, $6, $7, u.session_epoch from users u join user_sessions s on s.user_id = u.id
			where u.id = $2 and u.active and s.id = $8 and s.revoked_at is null`,
			t.ID, me.UserID, t.Name, t.Role, hash, t.CreatedAt, t.ExpiresAt, me.SessionID)
		if err == nil && tag.RowsAffected() == 0 {
			return ended()
		}
		return err
	})
	if err != nil {
		return nil, db.Fault(err, "token", map[string]string{"user_tokens_name_key": "name"})
	}
	return &api.Made[NewTokenView]{
		Location: api.Prefix + "/auth/tokens/" + t.ID,
		Body:     api.Envelope[NewTokenView]{Data: NewTokenView{TokenView: t, Token: token.Reveal()}},
	}, nil
}

func (u *Users) revokeToken(ctx context.Context, in *struct {
	ID string `path:"id" doc:"Id of the token"`
},
) (*api.Body[*api.None], error) {
	return u.endToken(ctx, change.Change{Component: "user", Action: "auth.token.revoke"}, identity.From(ctx).UserID, in.ID)
}

func (u *Users) revokeUserToken(ctx context.Context, in *struct {
	ID    string `path:"id" doc:"Id of the user"`
	Token string `path:"item" doc:"Id of the token"`
},
) (*api.Body[*api.None], error) {
	a, err := u.existing(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	c := change.Change{Component: "user", Action: "user.token.revoke", Detail: map[string]any{"user": a.Email}}
	return u.endToken(ctx, c, a.ID, in.Token)
}

// endToken deletes a token of that user.
func (u *Users) endToken(ctx context.Context, c change.Change, userID, id string) (*api.Body[*api.None], error) {
	err := pgx.ErrNoRows
	if db.ValidID(id) {
		err = u.Pool.QueryRow(ctx, `select name from user_tokens where id = $1 and user_id = $2`, id, userID).Scan(&c.Subject)
	}
	if err != nil {
		return nil, db.Fault(err, "token", nil)
	}
	err = u.Run.Run(ctx, c, func(tx change.Tx) error {
		tag, err := tx.Exec(ctx, `delete from user_tokens where id = $1 and user_id = $2`, id, userID)
		if err == nil && tag.RowsAffected() == 0 {
			err = pgx.ErrNoRows
		}
		if err != nil {
			return err
		}
		return u.tokenGone(ctx, tx)
	})
	if err != nil {
		return nil, db.Fault(err, "token", nil)
	}
	return api.Done(), nil
}

// tokenGone ends what a token has open, streams too.
func (u *Users) tokenGone(ctx context.Context, tx change.Tx) error {
	u.forget(tx)
	_, err := tx.Exec(ctx, `select pg_notify($1, '')`, sessionChannel)
	return err
}

// undoToken is the step back of a token: one that is created no more ends as if it were revoked.
func (u *Users) undoToken(ctx context.Context, tx change.Tx, s change.Step) error {
	if err := s.Write(); err != nil {
		return err
	}
	return u.tokenGone(ctx, tx)
}

// tokenIdentity is who an API token acts as: its owner, with the lesser of both roles.
func (u *Users) tokenIdentity(ctx context.Context, hash []byte) (identity.Identity, error) {
	var id identity.Identity
	var own identity.Role
	var used *time.Time
	err := u.Pool.QueryRow(ctx, `select t.id, t.name, t.role, u.id, u.email, u.role, p.last_used_at
		from user_tokens t join users u on u.id = t.user_id left join user_token_uses p on p.token_id = t.id
		where t.hash = $1 and t.expires_at > $2 and u.active and t.epoch = u.session_epoch`, hash, u.Now()).
		Scan(&id.TokenID, &id.TokenName, &id.Role, &id.UserID, &id.Email, &own, &used)
	if errors.Is(err, pgx.ErrNoRows) {
		return identity.Identity{}, fault.New(fault.Unauthenticated, "the token is unknown, expired or revoked")
	}
	if err != nil {
		return identity.Identity{}, fmt.Errorf("look up token: %w", err)
	}
	if own != identity.Admin {
		id.Role = own
	}
	if used == nil || u.Now().Sub(*used) > touchEvery {
		_, err = u.Pool.Exec(ctx, `insert into user_token_uses (token_id, last_used_at) values ($1, $2)
			on conflict (token_id) do update set last_used_at = excluded.last_used_at`, id.TokenID, u.Now())
		if fault.Is(db.Fault(err, "token", nil), fault.Invalid) {
			return identity.Identity{}, fault.New(fault.Unauthenticated, "the token is unknown, expired or revoked")
		}
		if err != nil {
			return identity.Identity{}, fmt.Errorf("note use of token: %w", err)
		}
	}
	return id, nil
}

// tokenKept is how long a token that is over can still be seen in its owner's list.
const tokenKept = 30 * 24 * time.Hour

// pruneTokens removes tokens that are long over, and those that ended with an older password.
func (u *Users) pruneTokens(ctx context.Context) error {
	const over = ` from user_tokens where expires_at < $1 or epoch <> (select session_epoch from users u where u.id = user_id)`
	before := u.Now().Add(-tokenKept)
	var some bool
	if err := u.Pool.QueryRow(ctx, `select exists (select 1`+over+`)`, before).Scan(&some); err != nil || !some {
		return err
	}
	c := change.Change{Component: "user", Action: "user.token.prune", Actor: "scheduler"}
	err := u.Run.Run(ctx, c, func(tx change.Tx) error {
		_, err := tx.Exec(ctx, `delete`+over, before)
		return err
	})
	if err != nil {
		return fmt.Errorf("prune tokens: %w", err)
	}
	return nil
}
