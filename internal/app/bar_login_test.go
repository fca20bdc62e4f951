package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/api"
	"gateway/internal/app/apptest"
	"gateway/tools/bar"
)

// Two thousand wrong passwords (fewer at the gate), half of them from one address and half from 250,
// at real hashing cost, while somebody who signed in before signs in again and
// somebody else works.
func TestBarFoundation06SignInUnderAttack(t *testing.T) {
	bar.NotShort(t)
	a, admin := apptest.Ready(t, apptest.RealHashes)
	owner := a.Anonymous().From("198.51.100.1")
	owner.Login(apptest.Email, apptest.Password).Want(http.StatusOK)
	worker := a.Bearer(admin.Cookies[api.SessionCookie])

	attempts := bar.GateSize(800, 2000, 50_000)
	underWay, hashed := attack(a, attempts)
	signIns, reads := measureDuring(underWay, owner, worker)
	alone := timed(func() { worker.Get("/users").Want(http.StatusOK) })
	apart := enumeration(t)

	p99SignIn, p99Read := percentile(signIns, 99), percentile(reads, 99)
	t.Logf("%d sign-ins, %d reads (one alone takes %v); %d of the attack's attempts got as far as a hash",
		len(signIns), len(reads), alone, hashed.Load())
	figure := fmt.Sprintf("sign-in p99 %.2f s, others p99 %.0f ms, unknown and wrong %.1f ms apart", p99SignIn.Seconds(), p99Read.Seconds()*1000, apart.Seconds()*1000)
	inTime := p99SignIn <= 1500*time.Millisecond && p99Read <= 100*time.Millisecond && apart <= 5*time.Millisecond
	bar.ReportTimed(t, "foundation", 6, figure, "<=1.5 s, <=100 ms, <=5 ms", !t.Failed() && len(signIns) > 0 && len(reads) > 0, inTime)
}

// attack sends the wrong passwords from eight connections and closes the channel when done.
func attack(a *apptest.App, attempts int) (underWay <-chan struct{}, hashed *atomic.Int64) {
	done := make(chan struct{})
	hashed = &atomic.Int64{}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for n := next.Add(1); n <= int64(attempts); n = next.Add(1) {
				from, account := "203.0.113.9", apptest.Email
				if n%2 == 0 { // the other half: many addresses, many accounts, the owner's among them
					from, account = fmt.Sprintf("192.0.2.%d", n/2%250+1), fmt.Sprintf("user%d@example.com", n%50)
				}
				if a.Anonymous().From(from).Login(account, "wrong password here").Status == http.StatusUnauthorized {
					hashed.Add(1)
				}
				<-time.After(40 * time.Millisecond) // 200 a second: the attack lasts as long as the measuring
			}
		})
	}
	go func() { wg.Wait(); close(done) }()
	return done, hashed
}

// measureDuring signs in and reads as long as the attack goes on.
func measureDuring(underWay <-chan struct{}, owner, worker *apptest.Client) (signIns, reads []time.Duration) {
	var wg sync.WaitGroup
	repeat := func(into *[]time.Duration, pause time.Duration, fn func()) {
		for {
			select {
			case <-underWay:
				return
			case <-time.After(pause):
				*into = append(*into, timed(fn))
			}
		}
	}
	wg.Go(func() {
		repeat(&signIns, 300*time.Millisecond, func() {
			owner.Copy().Login(apptest.Email, apptest.Password).Want(http.StatusOK)
		})
	})
	wg.Go(func() { repeat(&reads, 10*time.Millisecond, func() { worker.Get("/users").Want(http.StatusOK) }) })
	wg.Wait()
	return signIns, reads
}

// enumeration times an unknown account against a wrong password in pairs, taking
// turns at going first, and answers the median difference: what the machine does
// to one of a pair it mostly does to the other.
func enumeration(t *testing.T) time.Duration {
	t.Helper()
	a, _ := apptest.Ready(t, apptest.RealHashes, apptest.NoLimits)
	try := func(email string) func() {
		return func() { a.Anonymous().Login(email, "wrong password here").Want(http.StatusUnauthorized) }
	}
	var apart []time.Duration
	for i := range bar.Size(30, 500) {
		unknown, wrong := try(fmt.Sprintf("nobody%d@example.com", i)), try(apptest.Email)
		if i%2 == 0 {
			apart = append(apart, timed(unknown)-timed(wrong))
		} else {
			apart = append(apart, -(timed(wrong) - timed(unknown)))
		}
	}
	return percentile(apart, 50).Abs()
}

func timed(fn func()) time.Duration {
	start := time.Now()
	fn()
	return time.Since(start)
}

func percentile(took []time.Duration, p int) time.Duration {
	if len(took) == 0 {
		return time.Hour // nothing measured is nothing shown
	}
	slices.Sort(took)
	return took[min(len(took)-1, len(took)*p/100)]
}
