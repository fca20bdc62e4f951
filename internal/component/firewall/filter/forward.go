package filter

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
func (f *filter) letForward(ctx context.Context) {
	if f.Forward == nil || f.forward.done || !f.forward.due.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, forwardTime)
	defer cancel()
	if err := f.Forward(ctx); err != nil {
		f.Log.Error("forwarding stays off", "err", err)
		return
	}
	f.forward.done = true
}
