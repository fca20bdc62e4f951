package netstate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/fault"
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
	c, err := Parse(now.File(Path))
	if err != nil {
		return fmt.Errorf("read %s: %w", Path, err)
	}
	if !bytes.Equal(old.File(SysctlPath), now.File(SysctlPath)) {
		n.askSysctl()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	before := n.wrong
	n.want, n.known = c, true
	if err := n.settle(ctx); err != nil {
		return err
	}
	if len(old.Files) == 0 {
		return nil
	}
	return fresh(before, n.wrong)
}

// fresh words the refusals that are new.
func fresh(before, now []Trouble) error {
	var words []string
	for _, t := range now {
		if t.Kind == Refused && !slices.ContainsFunc(before, func(b Trouble) bool { return b.Subject == t.Subject }) {
			words = append(words, t.Subject+": "+t.Why)
		}
	}
	if len(words) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "the kernel refused this: %s", strings.Join(words, "; ")).WithCode("kernel_refused")
}

// settle leads the kernel to what is wanted, step by step, until nothing is left that helps.
func (n *network) settle(ctx context.Context) error {
	conn, err := n.Open()
	if err != nil {
		return err
	}
	defer conn.Close()
	var last string
	var refused, unmade []Trouble
	not := map[string]bool{}
	for range rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		have, err := look(conn)
		if err != nil {
			return err
		}
		steps, wrong := Next(n.want, have, not)
		n.wrong = slices.Concat(wrong, unmade, refused)
		sign := signature(steps)
		if len(steps) == 0 || sign == last {
			return nil
		}
		last, refused = sign, nil
		errs, err := conn.Do(messages(steps))
		if err != nil {
			return err
		}
		for i, e := range errs {
			if e != nil && !slices.ContainsFunc(steps[i].Fine, func(f error) bool { return errors.Is(e, f) }) {
				t := newRefusal(steps[i].What, e)
				if name := steps[i].Makes; name != "" {
					not[name], unmade = true, append(unmade, t)
					continue
				}
				refused = append(refused, t)
			}
		}
	}
	return nil
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

func signature(steps []Step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(s.What + " " + s.Msg.Key() + "\n")
	}
	return b.String()
}

// background keeps the kernel as it is wanted: whatever changes there is looked at. Whoever
// takes something of ours away, such as another manager's restart, gets it put back.
func (n *network) background(ctx context.Context, _ func()) error {
	woken := make(chan struct{}, 1)
	watched := make(chan error, 1)
	go func() { watched <- n.watch(ctx, woken) }()
	n.recall()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return <-watched
		case err := <-watched:
			return err
		case <-n.pending:
			if err := n.Sysctl(ctx); err != nil {
				n.Log.WarnContext(ctx, "set the router's sysctls", "err", err)
			}
			continue
		case <-woken:
			if !pause(ctx, calm) {
				return <-watched
			}
		case <-timer.C:
		}
		if err := n.repair(ctx); err != nil {
			n.Log.WarnContext(ctx, "look at the network", "err", err)
		}
		timer.Reset(again)
	}
}

// recall reads what was installed last: with the database away nobody else says it.
func (n *network) recall() {
	data, err := os.ReadFile(Path)
	if err != nil {
		return // nothing was installed yet
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if c, err := Parse(data); err == nil && !n.known {
		n.want, n.known = c, true
	}
}

// watch subscribes anew when the kernel ended a subscription.
func (n *network) watch(ctx context.Context, woken chan<- struct{}) error {
	for ctx.Err() == nil {
		err := n.Watch(ctx, func() {
			select {
			case woken <- struct{}{}:
			default:
			}
		})
		if err != nil {
			n.Log.WarnContext(ctx, "watch the network", "err", err)
			pause(ctx, time.Second)
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
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
	for _, t := range n.wrong {
		if !slices.Contains(before, t) {
			n.Log.WarnContext(ctx, "not in the kernel", "what", t.Subject, "why", t.Why)
		}
	}
	return nil
}

func (n *network) askSysctl() {
	if n.Sysctl == nil {
		return
	}
	select {
	case n.pending <- struct{}{}:
	default:
	}
}
