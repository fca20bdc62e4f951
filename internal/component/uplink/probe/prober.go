package probe

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"gateway/internal/component/uplink/multiwan"
)

// prober asks one target. All of it is done by one goroutine, in this order: take what was
// answered, give up what was not, ask again. However late it is given the processor, an answer
// that came in time counts as such: when it came the kernel says.
type prober struct {
	*run
	target multiwan.Target
	closer atomic.Int64 // nanoseconds after a bad probe in which it asks more often
	stop   func()

	seq    uint64
	open   map[uint64]time.Time // when it was sent
	lost   map[uint64]bool      // of those, told to be lost
	bad    time.Time
	socket Socket
}

func start(ctx context.Context, r *run, t multiwan.Target) *prober {
	p := &prober{run: r, target: t, open: map[uint64]time.Time{}, lost: map[uint64]bool{}, seq: uint64(time.Since(startOfProcess).Microseconds())}
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { p.ask(ctx) })
	p.stop = func() {
		cancel()
		work.Wait()
	}
	return p
}

// ask sends a probe at every interval, and notes those that were not answered in time.
func (p *prober) ask(ctx context.Context) {
	defer p.closeSocket()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		now := time.Now() // before the answers are taken: what came later is not late
		err := p.receive()
		p.expire(now)
		if err == nil {
			err = p.send(time.Now())
		}
		if err != nil {
			p.Log.DebugContext(ctx, "probe an uplink", "interface", p.target.Interface, "target", p.target.Address, "err", err)
			p.closeSocket()
		}
		timer.Reset(p.interval(now))
	}
}

func (p *prober) interval(now time.Time) time.Duration {
	if now.Sub(p.bad) < time.Duration(p.closer.Load()) {
		return max(p.target.Interval/closer, min(fastest, p.target.Interval))
	}
	return p.target.Interval
}

// send sends one probe. One that cannot be sent is lost like any other: an uplink without an
// address or a neighbour does not work. The next one gets a new socket, since an address or an
// interface may be another by then.
func (p *prober) send(now time.Time) (err error) {
	p.seq++
	p.open[p.seq] = now
	if p.socket == nil {
		if p.socket, err = p.Open(p.target); err != nil {
			p.socket = nil
			return err
		}
	}
	return p.socket.Send(p.seq)
}

func (p *prober) closeSocket() {
	if p.socket != nil {
		p.socket.Close()
		p.socket = nil
	}
}

// expire tells the probes that are not answered in time, and forgets those that never will be.
func (p *prober) expire(now time.Time) {
	for seq, sent := range p.open {
		age := now.Sub(sent)
		if age >= p.target.Timeout && !p.lost[seq] {
			p.lost[seq], p.bad = true, now
			p.result(p.target.Uplink, sent, multiwan.Probe{Seq: seq, Lost: true}, true)
		}
		if age >= p.target.Timeout+late {
			delete(p.open, seq)
			delete(p.lost, seq)
		}
	}
}

// receive takes the answers. An error of the line, such as a host that cannot be reached, is
// told once for each probe that it is about; those are lost.
func (p *prober) receive() error {
	if p.socket == nil {
		return nil
	}
	return p.socket.Receive(p.answered)
}

func (p *prober) answered(seq uint64, at time.Time) {
	sent, open := p.open[seq]
	if !open {
		return
	}
	delete(p.open, seq)
	delete(p.lost, seq)
	// The kernel's time is that of the clock on the wall, which may be set between the two.
	rtt := at.Round(0).Sub(sent.Round(0))
	if most := time.Since(sent); rtt < 0 || rtt > most {
		rtt = most
	}
	slow := rtt >= p.target.Timeout
	if slow {
		p.bad = time.Now()
	}
	p.result(p.target.Uplink, sent, multiwan.Probe{Seq: seq, RTT: rtt}, slow)
}
