package logs

import (
	"context"
	"sync"
	"time"

	"gateway/internal/fault"
	"gateway/internal/identity"
)

// perAccount bounds how many of something run, in all and for one account.
type perAccount struct {
	most, each int

	mu      sync.Mutex
	all     int
	running map[string]int
}

// enter takes a place for whoever asks; leave gives it back.
func (p *perAccount) enter(ctx context.Context) (leave func(), err error) {
	who := identity.From(ctx).Actor()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= p.most || p.running[who] >= p.each {
		return nil, fault.New(fault.TooMany, "too many concurrent requests; try again in a moment").WithRetry(5 * time.Second)
	}
	if p.running == nil {
		p.running = map[string]int{}
	}
	p.all++
	p.running[who]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all--
		if p.running[who]--; p.running[who] == 0 {
			delete(p.running, who)
		}
	}, nil
}
