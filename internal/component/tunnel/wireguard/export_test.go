package wireguard

import (
	"context"
	"time"

	"gateway/internal/rtnl/forecast"
)

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
		return d.guard(ctx, func() (state, error) { return state{Config: c, keys: was}, nil }, state{Config: c, keys: now})
	}
}

// ForecastForTest is what applying a configuration makes of a network.
func ForecastForTest(c Config, kind string) forecast.Change { return c.change(kind, time.Now()) }
