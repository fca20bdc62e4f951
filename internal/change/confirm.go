package change

import (
	"context"
	"fmt"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// The states of a change that asked to be confirmed.
const (
	Waiting   = "waiting"
	Confirmed = "confirmed"
	Reverted  = "reverted"
)

// Settle ends a change's wait with the given state. It answers false when the wait was
// over already, so that of two who end it at once only one does. What was kept of its
// secrets goes with it.
func Settle(ctx context.Context, q db.DB, id, state string) (bool, error) {
	var settled bool
	err := q.QueryRow(ctx, `with settled as (update changes set confirm_state = $2 where id = $1 and confirm_state = 'waiting' returning id),
		forgotten as (delete from change_secrets where change_id in (select id from settled))
		select exists (select from settled)`, id, state).Scan(&settled)
	if err != nil {
		return false, fmt.Errorf("settle change %s: %w", id, err)
	}
	return settled, nil
}

// Confirm keeps a change for good.
func Confirm(ctx context.Context, q db.DB, id string) error {
	if !db.ValidID(id) {
		return noSuchChange()
	}
	done, err := Settle(ctx, q, id, Confirmed)
	if err != nil || done {
		return err
	}
	was, err := Get(ctx, q, id)
	switch {
	case err != nil:
		return err
	case was.ConfirmState == nil:
		return fault.New(fault.Conflict, "this change does not need confirmation; it is already permanent").WithCode("not_waiting")
	case *was.ConfirmState == Confirmed:
		return nil
	default:
		return fault.New(fault.Conflict, "too late: this change was already reverted").WithCode("not_waiting")
	}
}

// AffectedBy are the components that a change is applied to, by its id.
func AffectedBy(ctx context.Context, q db.DB, id string) (names []string, err error) {
	err = q.QueryRow(ctx, `select coalesce(array_agg(component order by component), '{}') from change_applies where change_id = $1`, id).Scan(&names)
	if err != nil {
		return nil, fmt.Errorf("ask which components change %s affects: %w", id, err)
	}
	return names, nil
}

// WaitingLive is the change, if there is one, that waits to be confirmed and that the node has
// brought live in some component already.
func WaitingLive(ctx context.Context, q db.DB, node string) (id string, err error) {
	err = q.QueryRow(ctx, `select coalesce(min(c.id::text), '') from changes c where c.confirm_state = 'waiting' and exists (
		select from change_applies a join applies p on p.id = a.apply_id where a.change_id = c.id and a.state = 'live' and p.node_id = $1)`, node).Scan(&id)
	if err != nil {
		return "", fmt.Errorf("look for a live change that waits: %w", err)
	}
	return id, nil
}

// Held reports whether a change that concerns the component waits to be confirmed: until
// then nothing else of it can be stored.
func Held(ctx context.Context, q db.DB, component string) (held bool, err error) {
	err = q.QueryRow(ctx, `select exists (select from changes c join change_applies a on a.change_id = c.id
		where c.confirm_state = 'waiting' and a.component = $1)`, component).Scan(&held)
	if err != nil {
		return false, fmt.Errorf("look for a change of %s that waits: %w", component, err)
	}
	return held, nil
}
