package firewall

import (
	"context"
	"sync/atomic"
	"time"
)

// forwarding is whether the kernel may forward: not before this process has loaded rules,
// and once is enough.
type forwarding struct {
	due  atomic.Bool
	done bool // watchTime's alone
}

const forwardTime = 10 * time.Second

// letForward has the kernel forward. At boot gateway-firewall.service sees to that; it is left
// to this process when the rules could not be loaded there. A failure is tried again.
func (p *part) letForward(ctx context.Context) {
	if p.Forward == nil || p.forward.done || !p.forward.due.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, forwardTime)
	defer cancel()
	if err := p.Forward(ctx); err != nil {
		p.Log.Error("forwarding stays off", "err", err)
		return
	}
	p.forward.done = true
}
