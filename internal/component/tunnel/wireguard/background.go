package wireguard

import (
	"context"
	"os"
	"slices"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/process"
	"gateway/internal/rtnl/reconcile"
)

const (
	// debounce is how long events are collected before the kernel is looked at.
	debounce = 100 * time.Millisecond
	// recheckEvery is how soon the kernel is looked at without an event.
	recheckEvery = 30 * time.Second
	// countersEvery is how often the counters of peers that are dialled are read.
	countersEvery = time.Second
)

// background keeps the kernel as it is wanted: what somebody took away is put back, peers go
// when they expire, and peers that do not answer are noted.
func (d *tunnels) background(ctx context.Context, _ func()) error {
	watched := make(chan error, 1)
	go func() { watched <- reconcile.Watch(ctx, d.Watch, d.woken, d.Log) }()
	d.recall()
	look, counters := time.NewTimer(0), time.NewTicker(countersEvery)
	defer look.Stop()
	defer counters.Stop()
	for {
		select {
		case <-ctx.Done():
			return <-watched
		case err := <-watched:
			return err
		case <-counters.C:
			if err := d.checkPeers(); err != nil {
				d.Log.WarnContext(ctx, "read the counters of tunnels", "err", err)
			}
			continue
		case <-d.changed: // there may be another peer that expires first
		case <-d.woken:
			if !process.Pause(ctx, debounce) {
				return <-watched
			}
			d.repairLogged(ctx)
		case <-look.C:
			d.repairLogged(ctx)
		}
		look.Reset(d.next())
	}
}

func (d *tunnels) repairLogged(ctx context.Context) {
	if err := d.repair(ctx); err != nil {
		d.Log.WarnContext(ctx, "look at the tunnels", "err", err)
	}
}

// next is when the kernel is looked at again: when a peer expires, or after a while.
func (d *tunnels) next() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, soon := d.Now(), recheckEvery
	for _, t := range d.want.Tunnels {
		for _, p := range t.Peers {
			if left := p.ExpiresAt.Sub(now); !p.ExpiresAt.IsZero() && left > 0 {
				soon = min(soon, left)
			}
		}
	}
	return soon
}

// wake has the background look when the next peer expires.
func (d *tunnels) wake() { process.Notify(d.changed) }

// recall reads what was installed last: with the database away nobody else says it.
func (d *tunnels) recall() {
	conf, err := os.ReadFile(Path)
	if err != nil {
		return // nothing was installed yet
	}
	keys, err := os.ReadFile(KeyPath)
	if err != nil {
		return
	}
	w, err := read(daemon.Rendering{Files: []daemon.File{{Path: Path, Data: conf}, {Path: KeyPath, Data: keys}}})
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && !d.known {
		d.assume(w)
	}
}

// repair puts back what was taken away, and takes away what is over.
func (d *tunnels) repair(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.known {
		return nil
	}
	before := d.wrong
	if err := d.settle(ctx); err != nil {
		return err
	}
	reconcile.LogNew(ctx, d.Log, before, d.wrong)
	return nil
}

// checkPeers notes which of the peers that are dialled do not answer. One with an address is
// dialled there again; the name of one is looked up.
func (d *tunnels) checkPeers() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	dials := func(t Tunnel) bool {
		return slices.ContainsFunc(t.Peers, func(p Peer) bool { return p.Endpoint != "" })
	}
	if !slices.ContainsFunc(d.want.Tunnels, dials) {
		return nil // a thousand counters are not read for nothing
	}
	wg, err := d.WG()
	if err != nil {
		return err
	}
	defer wg.Close()
	now := d.Now()
	for _, t := range d.want.Tunnels {
		if dev, err := wg.Device(t.Name); err == nil && dials(t) {
			endpoints := t.endpoints()
			for i := range dev.Peers {
				id := PeerKey{t.Name, dev.Peers[i].PublicKey.String()}
				if endpoints[id.PublicKey] != "" && d.checkTraffic(id, &dev.Peers[i], now) {
					d.noteUnanswered(id, endpoints[id.PublicKey])
				}
			}
		}
	}
	return nil
}

// noteUnanswered is for a peer that does not answer.
func (d *tunnels) noteUnanswered(id PeerKey, endpoint string) {
	d.unanswered[id] = true
	if e, err := ParseEndpoint(endpoint); err == nil {
		if _, is := e.Addr(); is {
			process.Notify(d.woken) // nobody needs to be asked
			return
		}
		d.ask[e.Host] = true
	}
}
