package netstate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/process"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/reconcile"
)

// rounds bounds how often the kernel is looked at for one configuration. A stack of bond,
// VLAN and bridge with addresses and routes takes five.
const rounds = 16

// apply brings the kernel to now. What is refused that was not refused before is an error, so
// that the change is taken back; what was in trouble already is no reason to refuse others.
func (n *network) apply(ctx context.Context, old, now daemon.Rendering) error {
	if len(now.Files) == 0 {
		return nil // at the first boot nothing was configured yet
	}
	n.changeSysctls(ctx, old, now)
	n.mu.Lock()
	defer n.mu.Unlock()
	read, err := n.read.next(now.File(Path))
	if err != nil {
		return fmt.Errorf("read %s: %w", Path, err)
	}
	done := n.changeRoutes(old.File(Path), read)
	before := n.wrong
	n.forget(read.Links)
	n.read, n.want, n.known = read, read.Config, true
	if done {
		return nil
	}
	if err := n.settle(ctx); err != nil {
		n.looked = false
		return err
	}
	if len(old.Files) == 0 {
		return nil
	}
	return reconcile.RefusalError(before, n.wrong)
}

// changeSysctls sets the sysctls before anything else: an interface that goes down keeps its
// addresses only when it was told before. Where there may be no bus yet, background does it.
func (n *network) changeSysctls(ctx context.Context, old, now daemon.Rendering) {
	n.mu.Lock()
	n.sysctls = now.File(SysctlPath)
	n.mu.Unlock()
	if bytes.Equal(old.File(SysctlPath), now.File(SysctlPath)) {
		return
	}
	if len(old.Files) == 0 {
		n.askSysctl()
		return
	}
	if err := n.tune(ctx, old.File(SysctlPath)); err != nil {
		n.Log.WarnContext(ctx, "apply the network", "err", err)
		n.askSysctl()
	}
}

// settle brings the kernel to what is wanted, step by step, until nothing is left that helps.
func (n *network) settle(ctx context.Context) error {
	conn, err := n.Open()
	if err != nil {
		return err
	}
	defer conn.Close()
	var last []Step
	var refused []Trouble
	not, off := n.backedOff()
	for range rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		have, err := look(conn)
		if err != nil {
			return err
		}
		want := n.mtus.wanted(n.want, have)
		steps, wrong := Next(want, have, not)
		if slices.ContainsFunc(steps, func(s Step) bool { return s.AllowsDuplicate }) {
			if have.Foreign, err = foreignKeys(conn); err != nil {
				return err
			}
			steps, wrong = Next(want, have, not)
		}
		n.wrong, n.looked = slices.Concat(wrong, off, refused), true
		if len(steps) == 0 || reconcile.SameSteps(steps, last) {
			n.retune(have)
			n.noteMTUs(ctx, n.mtus.forget(n.want, have))
			return nil
		}
		last = steps
		n.noteMTUs(ctx, n.mtus.remember(n.want, have))
		errs, err := conn.Do(reconcile.Messages(steps))
		if err != nil {
			return err
		}
		if errs == nil && !slices.ContainsFunc(steps, func(s Step) bool { return !s.NoRecheck }) {
			n.wrong = slices.Concat(wrong, off) // nothing was refused in the end
			n.retune(have)
			return nil // nothing else can be different now, and events wake background
		}
		var put []Trouble
		refused, put = n.outcome(steps, errs, not)
		off = append(off, put...)
	}
	return nil
}

// noteMTUs says what could not be remembered: a later change leaves an MTU as it is then, which
// is no reason to have no network.
func (n *network) noteMTUs(ctx context.Context, err error) {
	if err != nil {
		n.Log.WarnContext(ctx, "remember the MTUs of before", "err", err)
	}
}

// outcome notes what became of the steps: what was refused, and the attempts that are put off.
func (n *network) outcome(steps []Step, errs []error, not map[string]bool) (refused, off []Trouble) {
	for i, s := range steps {
		var t Trouble
		if errs != nil && s.Failed(errs[i]) {
			t = reconcile.NewRefusal(s.What, errs[i])
		}
		switch {
		case t.Kind == "":
		case s.Attempt == "":
			refused = append(refused, t)
		case !not[s.Attempt]:
			not[s.Attempt], off = true, append(off, t)
			n.backOff(s.Attempt, t)
		}
	}
	for _, s := range steps {
		if !not[s.Attempt] {
			delete(n.backoffs, s.Attempt)
		}
	}
	return refused, off
}

// look reads what there is.
func look(c conn) (k Kernel, err error) {
	if k.Links, err = c.Links(); err != nil {
		return k, fmt.Errorf("list links: %w", err)
	}
	if k.Addrs, err = c.Addrs(); err != nil {
		return k, fmt.Errorf("list addresses: %w", err)
	}
	if k.Routes, err = c.Routes(ownProtocol); err != nil {
		return k, fmt.Errorf("list routes: %w", err)
	}
	return k, nil
}

// foreignKeys are the keys of the routes of others.
func foreignKeys(c conn) (map[rtnl.Key]bool, error) {
	all, err := c.Routes(0)
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	out := map[rtnl.Key]bool{}
	for _, r := range all {
		if r.Protocol != rtnl.Protocol {
			out[r.Key()] = true
		}
	}
	return out, nil
}

// background keeps the kernel as it is wanted: whatever changes there is looked at. Whoever
// takes something of ours away, such as another manager's restart, gets it put back.
func (n *network) background(ctx context.Context, _ func()) error {
	woken := make(chan struct{}, 1)
	watched := make(chan error, 1)
	go func() { watched <- reconcile.Watch(ctx, n.Watch, woken, n.Log) }()
	var tuner sync.WaitGroup
	defer tuner.Wait()
	tuning, cancel := context.WithCancel(ctx)
	defer cancel()
	tuner.Go(func() { n.tuneAsked(tuning) })
	n.recall()
	var events debounce
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return <-watched
		case err := <-watched:
			return err
		case <-woken:
			if !process.Pause(ctx, events.next(n.now())) {
				return <-watched
			}
		case <-timer.C:
		}
		if err := n.repair(ctx); err != nil {
			n.Log.WarnContext(ctx, "look at the network", "err", err)
		}
		events.last = n.now()
		timer.Reset(n.due())
	}
}

// recall reads what was installed last: with the database away nobody else says it.
func (n *network) recall() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known {
		return
	}
	data, err := os.ReadFile(Path)
	if err != nil {
		return // nothing was installed yet
	}
	if c, err := Parse(data); err == nil {
		n.want, n.known = c, true
		n.sysctls, _ = os.ReadFile(SysctlPath) // without it nothing is set
	}
}

// repair puts back what was taken away.
func (n *network) repair(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.known {
		return nil
	}
	before := n.wrong
	if err := n.settle(ctx); err != nil {
		return err
	}
	reconcile.LogNew(ctx, n.Log, before, n.wrong)
	return nil
}
