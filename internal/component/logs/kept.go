package logs

import (
	"context"

	"gateway/internal/component"
	"gateway/internal/journal"
)

// kept is the journal, whose old files journald itself removes.
func kept() component.Kept {
	return component.Kept{
		Name: "logs",
		Bound: func(context.Context) (component.Bound, error) {
			s, err := journal.SpaceOf("/")
			return component.Bound{Bytes: s.Most}, err
		},
		Amount: func(context.Context) (component.Amount, error) {
			s, err := journal.SpaceOf("/")
			return component.Amount{Bytes: s.Used}, err
		},
	}
}
