package problems

import (
	"context"

	"gateway/internal/component"
	"gateway/internal/problem"
)

// Look is what is wrong now, and the components that could not be asked.
type Look func(ctx context.Context) (found []problem.Problem, unknown []string, err error)

// NewLook looks at what these components find, for whoever tells people of it.
func NewLook(o Options, others []component.Component) Look {
	c := newHandlers(o, others).collector
	return func(ctx context.Context) ([]problem.Problem, []string, error) {
		s, err := c.get(ctx)
		if err != nil {
			return nil, nil, err
		}
		unknown := make([]string, len(s.unknown))
		for i, u := range s.unknown {
			unknown[i] = u.Component
		}
		return s.problems, unknown, nil
	}
}
