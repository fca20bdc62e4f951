package radiustest

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"gateway/lab"
)

// workers ask at the same time, each by a socket of its own.
const workers = 16

// Load is many right sign-ins at a steady rate, by PAP and CHAP in turns.
type Load struct {
	At       *lab.Client
	Question Question // but for the user and the password
	Rate     int      // requests a second
	User     func(n int) (name, password string)
}

// Run asks n times, or as long as the context lasts; 0 is no limit. Lost is who was not let in
// within a second: no device waits that long before it asks again.
func (l Load) Run(ctx context.Context, n int) (asked, lost int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next, bad atomic.Int64
	var all sync.WaitGroup
	for range workers {
		d, err := Open(ctx, l.At, l.Question.From)
		if err != nil {
			return 0, 0, err
		}
		all.Go(func() {
			defer d.Close()
			tick := time.NewTicker(time.Second * workers / time.Duration(l.Rate))
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				i := int(next.Add(1))
				if n > 0 && i > n {
					next.Add(-1)
					return
				}
				q := l.Question
				q.CHAP = i%2 == 0
				q.User, q.Password = l.User(i)
				if p, err := d.Ask(q, time.Second); err != nil || Verdict(p) != "accept" {
					bad.Add(1)
				}
			}
		})
	}
	all.Wait()
	return int(next.Load()), int(bad.Load()), nil
}
