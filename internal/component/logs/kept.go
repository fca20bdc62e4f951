package logs

import (
	"context"

	"gateway/internal/component"
	"gateway/internal/daemon"
	"gateway/internal/journal"
)

// kept are the journals, whose old files journald itself removes.
func kept(services []daemon.Service) []component.Kept {
	out := []component.Kept{keptIn("logs", "")}
	for _, s := range services {
		if s.AccessLog != "" {
			out = append(out, keptIn(s.AccessName(), s.AccessLog))
		}
	}
	return out
}

func keptIn(name, namespace string) component.Kept {
	return component.Kept{
		Name: name,
		Bound: func(context.Context) (component.Bound, error) {
			s, err := journal.SpaceOf("/", namespace)
			return component.Bound{Bytes: s.Most, Days: s.Days}, err
		},
		Amount: func(context.Context) (component.Amount, error) {
			s, err := journal.SpaceOf("/", namespace)
			return component.Amount{Bytes: s.Used}, err
		},
	}
}
