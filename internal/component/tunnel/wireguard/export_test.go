package wireguard

import "context"

// GuardForTest judges a change of configurations.
func GuardForTest(o Options) func(ctx context.Context, was, now Config) error {
	d := newTunnels(o)
	return func(ctx context.Context, was, now Config) error {
		return d.guard(ctx, func() (state, error) { return state{Config: was}, nil }, state{Config: now})
	}
}

// GuardKeysForTest judges a change of keys.
func GuardKeysForTest(o Options) func(ctx context.Context, c Config, was, now Keys) error {
	d := newTunnels(o)
	return func(ctx context.Context, c Config, was, now Keys) error {
		return d.guard(ctx, func() (state, error) { return state{c, was}, nil }, state{c, now})
	}
}
