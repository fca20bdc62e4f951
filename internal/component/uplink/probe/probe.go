// Package probe asks the targets of uplinks whether they answer: by echo requests through the
// interface of each, without a privilege. What the answers mean is package health's to say;
// who is asked, and who is told, gateway-apply's.
package probe

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/process"
)

const (
	// tellEvery is how often results are told while all is well; what is bad is told at once.
	tellEvery = 250 * time.Millisecond
	// idleEvery is how often it asks for targets while there are none.
	idleEvery = 2 * time.Second
	// soon is how long bad results are collected.
	soon = 20 * time.Millisecond
	// closer is how many times as often a target is asked after a bad probe.
	closer = 4
	// fastest bounds that.
	fastest = 20 * time.Millisecond
	// late is how long after a probe was told to be lost its answer still counts.
	late = 2 * time.Second
)

// Monitor probes.
type Monitor struct {
	// Tell takes what became of probes, and answers whom to probe.
	Tell func(ctx context.Context, probed multiwan.Probed) (multiwan.Targets, error)
	// Open opens what probes a target; nil means a socket of this process's network.
	Open func(multiwan.Target) (Socket, error)
	Log  *slog.Logger
}

// Socket sends echo requests to one target, and receives the answers.
type Socket interface {
	Send(seq uint64) error
	// Receive calls each for every answer that has come, with the time at which the kernel got
	// it. It does not wait.
	Receive(each func(seq uint64, at time.Time)) error
	Close() error
}

// run is a Monitor at work.
type run struct {
	Monitor
	mu      sync.Mutex
	results multiwan.Probed
	urgent  chan struct{}
	probers map[multiwan.Target]*prober
}

// Run probes until ctx ends. It needs nobody but gateway-apply, and waits for that.
func (m Monitor) Run(ctx context.Context) error {
	if m.Open == nil {
		m.Open = Open
	}
	r := &run{Monitor: m, results: multiwan.Probed{}, urgent: make(chan struct{}, 1), probers: map[multiwan.Target]*prober{}}
	defer r.retarget(ctx, nil)
	down := false
	for {
		targets, err := r.Tell(ctx, r.take())
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			r.retarget(ctx, targets.Targets)
		case !down:
			r.Log.WarnContext(ctx, "tell the state of uplinks", "err", err)
		}
		down = err != nil
		wait := tellEvery
		if len(r.probers) == 0 {
			wait = idleEvery
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		case <-r.urgent:
			if !process.Pause(ctx, soon) {
				return nil
			}
		}
	}
}

// take are the results since the last time.
func (r *run) take() multiwan.Probed {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.results
	r.results = multiwan.Probed{}
	for id, probes := range out {
		for i := range probes {
			probes[i].Age = time.Since(startOfProcess) - probes[i].Age
		}
		out[id] = probes
	}
	return out
}

// startOfProcess is what ages are counted from until they are told, by the clock that nobody sets.
var startOfProcess = time.Now()

func (r *run) result(uplink string, sent time.Time, p multiwan.Probe, bad bool) {
	p.Age = sent.Sub(startOfProcess)
	r.mu.Lock()
	r.results[uplink] = append(r.results[uplink], p)
	r.mu.Unlock()
	if bad {
		process.Notify(r.urgent)
	}
}

// retarget starts and ends probers. One whose target stays as it is goes on.
func (r *run) retarget(ctx context.Context, want []multiwan.Target) {
	keep := map[multiwan.Target]bool{}
	for _, t := range want {
		key := t
		key.Closer = 0 // which changes with the state
		keep[key] = true
		if _, there := r.probers[key]; !there {
			r.probers[key] = start(ctx, r, key)
		}
		r.probers[key].closer.Store(int64(t.Closer))
	}
	for t, p := range r.probers {
		if !keep[t] {
			p.stop()
			delete(r.probers, t)
		}
	}
}
