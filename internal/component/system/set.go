package system

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/setupstate"
)

// set stores one value, with an entry even when it was the same before, and does what goes
// with it in the database.
func set[T comparable](ctx context.Context, p *handlers, action, subject string, field func(*setupstate.State) *T, value T, also func(context.Context, pgx.Tx) error) error {
	p.setting.Lock() // the store follows the commits in their order
	defer p.setting.Unlock()
	return setHeld(ctx, p, action, subject, field, value, also)
}

// setHeld is set for who has locked p.setting, since the value depends on what is stored.
func setHeld[T comparable](ctx context.Context, p *handlers, action, subject string, field func(*setupstate.State) *T, value T, also func(context.Context, pgx.Tx) error) error {
	held, cancel := change.Hold(ctx)
	defer cancel()
	state, err := p.Setup.Load()
	if err != nil {
		return err
	}
	c := change.Change{Component: "system", Action: action, Subject: subject, Detail: map[string]any{"from": *field(&state), "to": value}}
	stored := false
	store := func(context.Context) error {
		stored = true
		_, err := p.Setup.Update(func(s *setupstate.State) error {
			*field(s), s.Pending = value, nil
			return nil
		})
		return err
	}
	if !p.Database.Up() {
		return p.Run.Act(held, c, store)
	}
	if err := p.begin(action, value); err != nil {
		return err
	}
	err = p.Run.Run(held, c, func(tx change.Tx) error {
		tx.AfterCommit(store)
		return also(held, tx)
	})
	if err != nil && !stored && !db.Unavailable(err) { // else it may be stored after all, and settle finds out
		_, undone := p.Setup.Update(func(s *setupstate.State) error { s.Pending = nil; return nil })
		p.told(undone)
	}
	return err
}

// begin notes a setting before its entry is written. Killed between the two, the entry would say what is not so, and nobody
// could tell: the setting itself is nowhere but in the setup store.
func (h *handlers) begin(action string, value any) error {
	to, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("note %s: %w", action, err)
	}
	_, err = h.Setup.Update(func(s *setupstate.State) error {
		s.Pending = &setupstate.Pending{Action: action, To: to, At: h.Now().UTC()}
		return nil
	})
	return err
}

// heed settles what a process that was killed left, at the start and whenever the database is back.
func (h *handlers) heed(ctx context.Context, component string) {
	if component != "" {
		return
	}
	h.setting.Lock()
	defer h.setting.Unlock()
	if err := h.settle(ctx); err != nil && ctx.Err() == nil && !db.Unavailable(err) {
		h.told(err)
	}
}

func (h *handlers) told(err error) {
	if err != nil {
		h.Log.Error("bring a setting of the setup store to its end", "err", err)
	}
}

// settle stores a setting whose entry there is, and forgets one whose entry there is not.
func (h *handlers) settle(ctx context.Context) error {
	state, err := h.Setup.Load()
	if err != nil || state.Pending == nil {
		return err
	}
	p := *state.Pending
	var said bool
	err = h.DB.QueryRow(ctx, `select exists (select from audit_entries where action = $1 and created_at >= $2 and (detail -> 'to')::jsonb = $3::jsonb)`,
		p.Action, p.At, string(p.To)).Scan(&said)
	if err != nil {
		return fmt.Errorf("look for the entry of %s: %w", p.Action, err)
	}
	_, err = h.Setup.Update(func(s *setupstate.State) error {
		if s.Pending == nil || !s.Pending.At.Equal(p.At) {
			return nil // another process did, or began another one
		}
		s.Pending = nil
		into, known := targets()[p.Action]
		if !said || !known {
			return nil
		}
		return json.Unmarshal(p.To, into(s))
	})
	return err
}

// targets are where the settings are, by the actions of their entries.
func targets() map[string]func(*setupstate.State) any {
	all := map[string]func(*setupstate.State) any{
		"system.retention": func(s *setupstate.State) any { return &s.Retention },
		"system.acme":      func(s *setupstate.State) any { return &s.ACME },
	}
	for _, f := range flags() {
		all[f.action] = func(s *setupstate.State) any { return f.field(s) }
	}
	return all
}
