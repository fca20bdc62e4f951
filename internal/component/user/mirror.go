package user

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/identity"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
)

// mirrorTime is for a few queries and one file.
const mirrorTime = 10 * time.Second

// bond says which row the setup store's admin is. A store that an older version wrote
// does not know it yet, and cannot find out any more once the row is renamed or gone.
type bond struct{ id, email string }

// follow has the setup store made equal to the user table once the change is stored.
func (u *Users) follow(tx change.Tx, of bond) {
	tx.AfterCommit(func(ctx context.Context) error { return u.mirror(ctx, of) })
}

// heed mirrors when the user table may have changed by other hands, and at the start:
// whatever a crash left undone between commit and file is done then.
func (u *Users) heed(ctx context.Context, component string) {
	switch component {
	case "", "user", "batch":
	default:
		return
	}
	held, cancel := context.WithTimeout(ctx, mirrorTime)
	defer cancel()
	err := u.settleReset(held)
	if err == nil {
		err = u.mirror(held, bond{})
	}
	if err != nil && !db.Unavailable(err) && ctx.Err() == nil {
		u.Log.Error("make the setup store follow the user table", "err", err)
	}
}

// mirror makes the setup store's admin a copy of its committed row. It looks at the
// state and not at what happened, so it may run at any time and any number of times.
func (u *Users) mirror(ctx context.Context, of bond) error {
	u.mirroring.Lock()
	defer u.mirroring.Unlock()
	state, err := u.Setup.Load()
	if err != nil || state.Admin == nil {
		return err
	}
	want, err := u.copied(ctx, *state.Admin, of)
	if err != nil || reflect.DeepEqual(want, state.Admin) {
		return err
	}
	_, err = u.Setup.Update(func(s *setupstate.State) error {
		if s.Admin == nil {
			return nil
		}
		// Read again under the file's lock: what another process wrote since is not older than our row.
		s.Admin, err = u.copied(ctx, *s.Admin, of)
		return err
	})
	return err
}

// copied is the admin as the user table has it: nil when its row is gone. Without any
// active admin it was the table that got lost, and the store is the last way in.
func (u *Users) copied(ctx context.Context, admin setupstate.Admin, of bond) (*setupstate.Admin, error) {
	if admin.UserID == "" && admin.Email == of.email {
		admin.UserID = of.id
	}
	known := admin.ResetAt.IsZero()
	if !known && admin.UserID != "" {
		var err error
		// Before the row, so that a row is read which has what this says.
		if known, err = settled(ctx, u.Pool, admin.UserID, admin.ResetAt); err != nil {
			return nil, err
		}
	}
	row, err := rowOf(ctx, u.Pool, admin)
	switch {
	case err != nil:
		return nil, err
	case row != nil && known:
		return u.copyOf(ctx, row, admin)
	case row != nil:
		return &admin, nil // its password is newer than the row's
	}
	if admin.UserID == "" {
		return &admin, nil
	}
	others, err := otherAdmins(ctx, u.Pool, admin.UserID)
	if err != nil {
		return nil, err
	}
	if others > 0 {
		return nil, nil
	}
	return &admin, nil
}

// rowOf is the row that the setup store's admin became; nil when there is none.
func rowOf(ctx context.Context, q db.DB, admin setupstate.Admin) (*account, error) {
	if admin.UserID != "" {
		return byID(ctx, q, admin.UserID)
	}
	return byEmail(ctx, q, admin.Email)
}

func (u *Users) copyOf(ctx context.Context, row *account, admin setupstate.Admin) (*setupstate.Admin, error) {
	var step int64
	err := u.Pool.QueryRow(ctx, `select coalesce(max(last_step), 0) from user_totp_state where user_id = $1`, row.ID).Scan(&step)
	if err == nil && step < admin.LastStep {
		// A code was used without the database, which must not take it again.
		_, err = u.Pool.Exec(ctx, `insert into user_totp_state as s (user_id, last_step) values ($1, $2)
			on conflict (user_id) do update set last_step = excluded.last_step where s.last_step < excluded.last_step`, row.ID, admin.LastStep)
	}
	if err != nil {
		return nil, fmt.Errorf("settle the last code: %w", err)
	}
	return &setupstate.Admin{
		UserID: row.ID, Email: row.Email, PasswordHash: secret.Text(row.PasswordHash),
		Disabled: !row.Active || row.Role != identity.Admin, SecondFactor: row.TOTPEnabled, TOTPSecret: row.TOTPSecret,
		LastStep: max(step, admin.LastStep), Epoch: row.Epoch,
	}, nil
}

// otherAdmins counts who could administer the node without this account.
func otherAdmins(ctx context.Context, q db.DB, except string) (n int, err error) {
	err = q.QueryRow(ctx, `select count(id) from users where role = 'admin' and active and id <> $1`, except).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count admins: %w", err)
	}
	return n, nil
}
