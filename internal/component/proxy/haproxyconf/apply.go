package haproxyconf

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/haproxy"
)

// drainTime is how long the requests of a server that goes may take. Those that take
// longer finish in the old process, after a reload.
const drainTime = time.Second

// apply makes HAProxy run on what is installed: told while it runs where that is possible,
// which takes a millisecond and closes no connection; else by a reload. Where anything is
// not as expected, the files are right, and a reload reads them.
func (a *adapter) apply(ctx context.Context, old, now daemon.Rendering) error {
	plan, hot := newPlan(old, now)
	if hot && plan.empty() {
		return nil
	}
	if hot {
		err := a.HAProxy.Tell(ctx, func() error { return a.tell(ctx, plan) })
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return a.reload(ctx)
}

// tell has new servers, networks, logins and so on there before sites lead to them, and
// takes old ones away after: nobody is sent away by half of a change.
func (a *adapter) tell(ctx context.Context, plan plan) error {
	var steps []func() error
	for _, s := range plan.add {
		steps = append(steps, func() error {
			return a.HAProxy.Runtime.ServerAdd(ctx, s.backend, s.is.name, s.is.line(), strings.Contains(s.is.settings, " check "))
		})
	}
	for _, s := range plan.change {
		steps = append(steps, func() error { return a.change(ctx, s) })
	}
	for _, m := range slices.Backward(plan.maps) { // the map of sites is their first
		steps = append(steps, func() error { return a.fill(ctx, m) })
	}
	for _, m := range plan.maps {
		steps = append(steps, func() error { return a.HAProxy.Runtime.MapSet(ctx, m.file, m.remove) })
	}
	for _, s := range plan.remove {
		steps = append(steps, func() error { return a.HAProxy.Runtime.ServerRemove(ctx, s.backend, s.was.name, drainTime) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
		a.HAProxy.Told()
	}
	return a.readBack(ctx, plan)
}

// change has a server rest before it is moved, and work only after.
func (a *adapter) change(ctx context.Context, s serverStep) error {
	if s.is.disabled && !s.was.disabled {
		if err := a.HAProxy.Runtime.ServerState(ctx, s.backend, s.is.name, haproxy.Maintenance); err != nil {
			return err
		}
	}
	if s.was.at != s.is.at {
		at, err := netip.ParseAddrPort(s.is.at)
		if err != nil {
			return fmt.Errorf("move server %s: %w", s.is.name, err)
		}
		if err := a.HAProxy.Runtime.ServerAddr(ctx, s.backend, s.is.name, at); err != nil {
			return err
		}
	}
	if s.was.weight != s.is.weight {
		if err := a.HAProxy.Runtime.ServerWeight(ctx, s.backend, s.is.name, s.is.weight); err != nil {
			return err
		}
	}
	if s.was.disabled && !s.is.disabled {
		return a.HAProxy.Runtime.ServerState(ctx, s.backend, s.is.name, haproxy.Ready)
	}
	return nil
}

func (a *adapter) fill(ctx context.Context, m mapStep) error {
	if m.replace {
		return a.HAProxy.Runtime.MapReplace(ctx, m.file, m.all)
	}
	return a.HAProxy.Runtime.MapSet(ctx, m.file, m.changes)
}

var errNotSo = errors.New("HAProxy's runtime state differs from what was set")

// readBack believes nothing that was not seen.
func (a *adapter) readBack(ctx context.Context, plan plan) error {
	for _, m := range plan.maps {
		if err := a.sameMap(ctx, m); err != nil {
			return err
		}
	}
	return a.soon(ctx, func() error { return a.sameServers(ctx, slices.Concat(plan.add, plan.change, plan.remove)) })
}

// soon gives HAProxy a moment: it moves a server after it said that it did.
func (a *adapter) soon(ctx context.Context, look func() error) error {
	err := look()
	for range 40 {
		if !errors.Is(err, errNotSo) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
			err = look()
		}
	}
	return err
}

func (a *adapter) sameMap(ctx context.Context, m mapStep) error {
	if m.all != nil {
		return a.sameEntries(ctx, m)
	}
	changes := slices.Concat(m.changes, m.remove)
	keys := make([]string, len(changes))
	for i, c := range changes {
		keys[i] = c.Key
	}
	values, err := a.HAProxy.Runtime.MapGet(ctx, m.file, keys...)
	if err != nil {
		return err
	}
	for i, c := range changes {
		if values[i] != c.Value { // one that was removed has none
			return errNotSo
		}
	}
	return nil
}

func (a *adapter) sameEntries(ctx context.Context, m mapStep) error {
	all, err := a.HAProxy.Runtime.MapAll(ctx, m.file)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b haproxy.MapEntry) int { return strings.Compare(a.Key, b.Key) })
	if !slices.Equal(all, m.all) {
		return errNotSo
	}
	return nil
}

func (a *adapter) sameServers(ctx context.Context, steps []serverStep) error {
	for _, s := range steps {
		all, err := a.HAProxy.Runtime.ServersOf(ctx, s.backend)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(have haproxy.Server) bool { return have.Name == s.is.name })
		if s.is.name == "" {
			if slices.ContainsFunc(all, func(have haproxy.Server) bool { return have.Name == s.was.name }) {
				return errNotSo
			}
			continue
		}
		if i < 0 || all[i].Addr.String() != s.is.at || all[i].Weight != s.is.weight || all[i].Maintenance != s.is.disabled {
			return errNotSo
		}
	}
	return nil
}

// reload words a refusal for the operator; what HAProxy said is for the log.
func (a *adapter) reload(ctx context.Context) error {
	err := a.HAProxy.Reload(ctx)
	var refusal *haproxy.Refusal
	if errors.As(err, &refusal) {
		return errors.Join(fault.New(fault.Unavailable, "HAProxy rejected its configuration and keeps the previous one; see its log").WithCode("refused_by_haproxy"), err)
	}
	return err
}
