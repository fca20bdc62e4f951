package dhcp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"
	"time"

	"gateway/internal/component/dhcp/dhcptest"
)

const (
	// toHave is how long a client may be without an address.
	toHave = 8 * time.Second
	// toReboot is how long it asks for the one that it had. Kea is silent where that is in no pool any more.
	toReboot = 2 * time.Second
)

// counts are what a tracker has seen.
type counts struct {
	exchanges, wrong, duplicates, lost, without int
	slowest                                     time.Duration
}

// tracker are clients of several subnets, with what each of them holds.
type tracker struct {
	t testing.TB

	mu sync.Mutex
	counts
	holder  map[netip.Addr]*host
	pending sync.WaitGroup
}

// host is a client. Its lock is held while it talks to the server.
type host struct {
	sync.Mutex
	*dhcptest.Client
	tracker *tracker
	model   *dhcptest.Model
	held    netip.Addr // guarded by the tracker
}

func newTracker(t testing.TB) *tracker { return &tracker{t: t, holder: map[netip.Addr]*host{}} }

func (f *tracker) join(c *dhcptest.Client, m *dhcptest.Model) *host {
	return &host{Client: c, tracker: f, model: m}
}

func (f *tracker) said() counts {
	f.pending.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts
}

// has is what the host holds, as far as it knows.
func (m *host) has() netip.Addr {
	m.tracker.mu.Lock()
	defer m.tracker.mu.Unlock()
	return m.held
}

// hold notes what the host holds now; an invalid address is none.
func (m *host) hold(a netip.Addr) {
	f := m.tracker
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.holder[m.held] == m {
		delete(f.holder, m.held)
	}
	m.held = a
	if !a.IsValid() {
		return
	}
	if other := f.holder[a]; other != nil && other != m {
		f.pending.Go(func() { f.compare(m, other, a) })
	}
	f.holder[a] = m
}

// compare counts two who hold the same address, unless one of them is about to hear that it does
// not any more.
func (f *tracker) compare(one, other *host, a netip.Addr) {
	other.Lock()
	defer other.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.held == a && other.held == a {
		f.duplicates++
		f.t.Logf("%s and %s both hold %s", one.MAC, other.MAC, a)
	}
}

// acquire gets an address as DHCP has it: once more for what it had, or a new one, and again
// where that is refused.
func (m *host) acquire(ctx context.Context, again bool, patience time.Duration) {
	m.Lock()
	defer m.Unlock()
	asked := time.Now()
	ack, err := m.exchange(ctx, again, asked.Add(patience))
	m.note(ack, err, asked)
}

// note counts how an exchange came out.
func (m *host) note(ack dhcptest.Message, err error, asked time.Time) {
	answered, why := time.Now(), ""
	if err == nil {
		why = m.model.Wrong(m.MAC.String(), ack, asked, answered)
	}
	m.hold(ack.Address) // none, where there was no answer
	f := m.tracker
	f.mu.Lock()
	defer f.mu.Unlock()
	f.exchanges++
	f.slowest = max(f.slowest, answered.Sub(asked))
	if err != nil {
		f.without++
		f.t.Logf("%s is without an address after %v: %v", m.MAC, answered.Sub(asked), err)
	}
	if why != "" {
		f.wrong++
		f.t.Logf("%s: %s", m.MAC, why)
	}
}

func (m *host) exchange(ctx context.Context, again bool, until time.Time) (dhcptest.Message, error) {
	if had := m.has(); again && had.IsValid() {
		ack, err := m.Again(ctx, had, min(toReboot, time.Until(until)))
		switch {
		case err == nil && ack.Type == dhcptest.ACK, err != nil && !errors.Is(err, dhcptest.ErrSilence):
			return ack, err
		case err == nil:
			m.hold(netip.Addr{})
		}
	}
	for {
		ack, err := m.Obtain(ctx, time.Until(until))
		if !errors.Is(err, dhcptest.ErrRefused) || time.Now().After(until) {
			return ack, err
		}
	}
}

// live has the host ask now and then until it is told to end, and once more then.
func (m *host) live(ctx context.Context, pause time.Duration, random *rand.Rand, end <-chan struct{}) {
	wait := time.After(time.Duration(random.Int64N(int64(pause))))
	for {
		select {
		case <-end:
			m.acquire(ctx, true, toHave)
			return
		case <-wait:
		}
		m.acquire(ctx, random.IntN(3) > 0, toHave)
		wait = time.After(pause/2 + time.Duration(random.Int64N(int64(pause))))
	}
}

// missing counts what hosts hold and the server has no lease of, by MAC address.
func (f *tracker) missing(all []*host, leases map[string]string) {
	for _, m := range all {
		held := m.has()
		if !held.IsValid() || leases[held.String()] == m.MAC.String() {
			continue
		}
		f.mu.Lock()
		f.lost++
		f.mu.Unlock()
		f.t.Logf("%s holds %s, of which there is a lease for %q", m.MAC, held, leases[held.String()])
	}
}

func (c counts) String() string {
	return fmt.Sprintf("%d wrong, %d duplicates, %d leases lost, %d without an address after %v", c.wrong, c.duplicates, c.lost, c.without, toHave)
}
