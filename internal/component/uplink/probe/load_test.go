package probe_test

import (
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// attempt is one new connection of the client.
type attempt struct {
	at  time.Time
	who string // empty for none
}

// load makes new connections all the time, and keeps old ones busy.
type load struct {
	mu       sync.Mutex
	attempts []attempt
	cut      atomic.Int64 // old ones that did not live on
	kept     int
	stop     func()
}

// newLoad opens a connection at every interval.
func newLoad(r *rig, every time.Duration, old []net.Conn) *load {
	l := &load{kept: len(old)}
	ended := make(chan struct{})
	var work sync.WaitGroup
	for _, c := range old {
		work.Go(func() {
			defer c.Close()
			for {
				if !echoes(c) {
					l.cut.Add(1)
					return
				}
				select {
				case <-ended:
					return
				case <-time.After(200 * time.Millisecond):
				}
			}
		})
	}
	work.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			work.Go(func() { l.attempt(r) })
		}
	})
	l.stop = sync.OnceFunc(func() {
		close(ended)
		work.Wait()
	})
	r.Cleanup(l.stop)
	return l
}

func (l *load) attempt(r *rig) {
	a := attempt{at: time.Now()}
	a.who = r.who(time.Second)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attempts = append(l.attempts, a)
}

// all are the attempts from one moment to another, in their order.
func (l *load) all(from, to time.Time) []attempt {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := slices.DeleteFunc(slices.Clone(l.attempts), func(a attempt) bool { return a.at.Before(from) || a.at.After(to) })
	slices.SortFunc(out, func(a, b attempt) int { return a.at.Compare(b.at) })
	return out
}

// moved is how long after from every new connection was seen as who, until to: all of that
// time where the last one was not.
func (l *load) moved(t testing.TB, from, to time.Time, who string) time.Duration {
	t.Helper()
	all := l.all(from, to)
	if l.among(from, to, who) == 0 {
		t.Errorf("of %d new connections none is seen as %s", len(all), who)
	}
	first := len(all)
	for first > 0 && all[first-1].who == who {
		first--
	}
	if first == len(all) {
		return to.Sub(from)
	}
	return all[first].at.Sub(from)
}

// among counts the new connections that were seen as who.
func (l *load) among(from, to time.Time, who string) (n int) {
	for _, a := range l.all(from, to) {
		if a.who == who {
			n++
		}
	}
	return n
}
