package e2e

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// poller asks for a path over and over and counts what a user would have noticed.
type poller struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	asked  int
	lost   int // no answer, or not 200
	last   string
	worst  time.Duration
}

// poll begins asking; stop ends it.
func (a *appliance) poll(path string) *poller {
	ctx, cancel := context.WithCancel(a.t.Context())
	p := &poller{cancel: cancel}
	c := a.stranger()
	p.done.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			r, err := c.try("GET", path, nil)
			p.asked++
			p.worst = max(p.worst, time.Since(began))
			switch {
			case err != nil:
				p.lost, p.last = p.lost+1, err.Error()
			case r.status != 200:
				p.lost, p.last = p.lost+1, fmt.Sprintf("%d %s", r.status, r.body)
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	return p
}

func (p *poller) stop() string {
	p.cancel()
	p.done.Wait()
	return p.String()
}

func (p *poller) String() string {
	return fmt.Sprintf("%d requests, %d not answered with 200 (last: %s), the slowest took %v",
		p.asked, p.lost, p.last, p.worst.Round(time.Millisecond))
}
