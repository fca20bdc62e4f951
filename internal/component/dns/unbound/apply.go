package unbound

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gateway/internal/component/dns/control"
	"gateway/internal/daemon"
)

// apply makes unbound run on what is installed, by the gentlest way there is: records it
// is told, which takes a millisecond; zones it reads anew beside its work, a tenth of a second
// at ten thousand records; for settings it starts over, and for sockets it is restarted.
func (r *resolver) apply(ctx context.Context, old, now daemon.Rendering) error {
	was, is := split(old), split(now)
	switch {
	case !is.good:
		return errors.New("the rendered files are malformed")
	case !was.good:
		return r.reload(ctx, r.reloadAll)
	case sockets(was.settings) != sockets(is.settings):
		return r.restart(ctx)
	case was.settings != is.settings:
		// Not by fast_reload: it says ok to a change of modules, and does not make it.
		return r.reload(ctx, r.control.Reload)
	}
	if was.zones == is.zones {
		all, ok := steps(was.records, is.records)
		done, err := r.tell(ctx, all, ok)
		if done || err != nil {
			return err
		}
	}
	if err := r.reload(ctx, r.control.FastReload); err != nil {
		return err
	}
	return r.forget(ctx, forwards(was.zones), forwards(is.zones))
}

// tell reports whether unbound now has the difference. It cannot be half done: a reload
// follows where something went wrong.
func (r *resolver) tell(ctx context.Context, all []step, ok bool) (bool, error) {
	if ok && len(all) == 0 {
		return true, nil
	}
	plan, hot := newPlan(all)
	if !ok || !hot || r.pushed.Load()+int64(plan.lines) > maxPushed {
		return false, nil
	}
	err := r.carryOut(ctx, plan)
	if err == nil {
		r.pushed.Add(int64(plan.lines))
		return true, nil
	}
	if ctx.Err() != nil {
		return false, err
	}
	return false, nil
}

var errThreads = errors.New("unbound removes single records without regard to its other threads")

func (r *resolver) carryOut(ctx context.Context, plan plan) error {
	if len(plan.remove) > 0 {
		n, err := r.control.Threads(ctx)
		if err == nil && n != 1 {
			err = errThreads
		}
		if err != nil {
			return err
		}
	}
	if err := r.control.AddData(ctx, plan.add); err != nil {
		return err
	}
	if err := r.control.RemoveData(ctx, append(plan.remove, plan.names...)); err != nil {
		return err
	}
	return r.control.AddData(ctx, plan.replace)
}

// reload falls back on a restart where unbound is down, or cannot do it.
func (r *resolver) reload(ctx context.Context, how func(context.Context) error) error {
	err := how(ctx)
	if errors.Is(err, control.ErrDown) || errors.Is(err, control.ErrIncompatible) {
		return r.restart(ctx)
	}
	if err != nil {
		return fmt.Errorf("reload the resolver: %w", err)
	}
	r.pushed.Store(0)
	r.told.forget()
	return nil
}

// reloadAll is for when nobody knows what unbound runs on. A reload keeps the sockets
// without a word, whatever the file says; fast_reload does say when they would have to change.
func (r *resolver) reloadAll(ctx context.Context) error {
	if err := r.control.FastReload(ctx); err != nil {
		return err
	}
	return r.control.Reload(ctx)
}

func (r *resolver) restart(ctx context.Context) error {
	if err := r.units.Restart(ctx, Unit); err != nil {
		return fmt.Errorf("restart the resolver: %w", err)
	}
	r.pushed.Store(0)
	r.told.forget()
	return nil
}

// forget drops what is cached of zones that others are asked for now. Records need none of
// it: unbound looks at them first.
func (r *resolver) forget(ctx context.Context, was, is map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if is[name] != was[name] {
			if err := r.flushZone(ctx, name); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, known := was[name]; !known {
			if err := r.flushZone(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *resolver) flushZone(ctx context.Context, name string) error {
	err := r.control.FlushZone(ctx, name)
	if err != nil && !errors.Is(err, control.ErrDown) { // what is down has no cache
		return fmt.Errorf("forget the zone %s: %w", name, err)
	}
	return nil
}

// sockets are the lines that say where to listen. unbound opens its sockets as root, and
// is no longer root once it runs.
func sockets(settings string) string {
	var b strings.Builder
	for line := range strings.Lines(settings) {
		if strings.HasPrefix(line, "\tinterface") || strings.HasPrefix(line, "\tip-freebind") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// forwards are the servers of each forwarded zone in our file.
func forwards(head string) map[string]string {
	out := map[string]string{}
	_, zones, _ := strings.Cut(head, "forward-zone:\n")
	for zone := range strings.SplitSeq(zones, "forward-zone:\n") {
		name, servers, _ := strings.Cut(zone, "\n")
		name = strings.TrimSuffix(strings.TrimPrefix(name, "\tname: \""), "\"")
		if name != "" {
			out[name] = servers
		}
	}
	return out
}
