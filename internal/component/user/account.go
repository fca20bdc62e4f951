package user

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/identity"
	"gateway/internal/secret"
)

// account is a user row as signing in needs it.
type account struct {
	ID           string        `db:"id"`
	Email        string        `db:"email"`
	Role         identity.Role `db:"role"`
	Active       bool          `db:"active"`
	TOTPEnabled  bool          `db:"totp_enabled"`
	TOTPSecret   []byte        `db:"totp_secret"`
	PasswordHash string        `db:"password_hash"`
	Epoch        int64         `db:"session_epoch"`
}

const accountColumns = `id, email, role, active, totp_enabled, totp_secret, password_hash, session_epoch`

// byEmail finds an account by its e-mail as stored; nil when there is none.
func byEmail(ctx context.Context, q db.DB, email string) (*account, error) {
	return findAccount(ctx, q, "email = $1", email)
}

// byID finds an account; nil when there is none.
func byID(ctx context.Context, q db.DB, id string) (*account, error) {
	if !db.ValidID(id) {
		return nil, nil
	}
	return findAccount(ctx, q, "id = $1", id)
}

func findAccount(ctx context.Context, q db.DB, where string, arg any) (*account, error) {
	rows, err := q.Query(ctx, `select `+accountColumns+` from users where `+where, arg)
	if err != nil {
		return nil, fmt.Errorf("find account: %w", err)
	}
	a, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[account])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find account: %w", err)
	}
	return a, nil
}

// endSessions raises the epoch, so that no session and no API token of the account made
// before is good any more, on any node, and tells the running ones.
func (u *Users) endSessions(ctx context.Context, tx change.Tx, userID string) error {
	u.forget(tx)
	var b pgx.Batch
	b.Queue(`update users set session_epoch = session_epoch + 1 where id = $1`, userID)
	b.Queue(`update user_sessions set revoked_at = now() where user_id = $1 and revoked_at is null`, userID)
	b.Queue(`select pg_notify($1, '')`, sessionChannel)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("end sessions of %s: %w", userID, err)
	}
	return nil
}

// forget has this process ask the database anew who is signed in, as soon as the change
// is stored; others hear of it by the notification.
func (u *Users) forget(tx change.Tx) {
	tx.AfterCommit(func(ctx context.Context) error { u.sessions.changed(ctx, ""); return nil })
}

func totpPlace(column, userID string) secret.Place {
	return secret.Place{Table: "users", Column: column, Row: userID}
}
