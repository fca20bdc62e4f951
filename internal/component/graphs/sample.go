package graphs

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"gateway/internal/series"
	"gateway/internal/sys"
)

// The names of the series; those of an interface are "interface.<name>" and one of the ends.
const (
	cpuBusy      = "cpu.busy"
	load         = "cpu.load"
	memoryUsed   = "memory.used"
	diskUsed     = "disk.used"
	connections  = "connections.tracked"
	interfaceFor = "interface."
	received     = ".received"
	sent         = ".sent"
	dropped      = ".dropped"
)

// reopenAfter is how long it waits when the files cannot be written: a disk may be full.
const reopenAfter = time.Minute

// sample takes samples until ctx ends. That it cannot write them is a problem, and no reason
// to end.
func (h *handlers) sample(ctx context.Context) error {
	for ctx.Err() == nil {
		err := h.sampleTo(ctx)
		if ctx.Err() != nil {
			return nil
		}
		h.Log.Error("the samples for the graphs cannot be kept", "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(reopenAfter):
		}
	}
	return nil
}

func (h *handlers) sampleTo(ctx context.Context) (err error) {
	store, err := series.Open(h.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	var m meter
	for {
		if !next(ctx) {
			return nil
		}
		values, err := m.read(h.Host)
		if err != nil {
			h.Log.Warn("take samples for the graphs", "err", err)
		}
		if len(values) == 0 {
			continue
		}
		left, err := store.Add(h.Now(), values)
		if err != nil {
			return err
		}
		if left > 0 && m.full.CompareAndSwap(false, true) {
			h.Log.Warn("there are more values than the graphs keep", "left_out", left)
		}
	}
}

// next waits for the next tenth second of the clock, so that a slot has one sample.
func next(ctx context.Context) bool {
	now := time.Now()
	timer := time.NewTimer(now.Truncate(series.Step).Add(series.Step).Sub(now))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// meter turns what only ever counts up into rates.
type meter struct {
	at    time.Time
	cpu   sys.CPU
	links map[int]sys.Interface
	full  atomic.Bool // it was told that there is no place for more
}

// read is what is so now. The first time it has no rates: there is nothing to compare with.
func (m *meter) read(host *sys.Host) (map[string]float64, error) {
	out := map[string]float64{}
	now := time.Now()
	r, err := host.Resources()
	if err == nil {
		m.resources(out, r)
	}
	links, linksErr := host.Interfaces()
	if linksErr == nil {
		m.traffic(out, links, now.Sub(m.at).Seconds())
	}
	m.at = now
	return out, errors.Join(err, linksErr)
}

func (m *meter) resources(out map[string]float64, r sys.Resources) {
	out[load], out[memoryUsed], out[diskUsed] = r.Load1, float64(r.Memory.Used), float64(r.Disk.Used)
	if r.Conntrack != nil {
		out[connections] = float64(r.Conntrack.Count)
	}
	if total := r.CPU.TotalSeconds - m.cpu.TotalSeconds; m.cpu.TotalSeconds > 0 && total > 0 {
		out[cpuBusy] = max(0, min(100, 100*(r.CPU.BusySeconds-m.cpu.BusySeconds)/total))
	}
	m.cpu = r.CPU
}

// traffic compares the counters of each interface with the last ones. One that was made anew
// counts from zero and has another number.
func (m *meter) traffic(out map[string]float64, links []sys.Interface, seconds float64) {
	before := m.links
	m.links = map[int]sys.Interface{}
	for _, l := range links {
		if l.LinkType == "loopback" {
			continue
		}
		m.links[l.Index] = l
		old, known := before[l.Index]
		if !known || old.Name != l.Name || l.RxBytes < old.RxBytes || l.TxBytes < old.TxBytes || seconds <= 0 {
			continue
		}
		name := interfaceFor + l.Name
		out[name+received] = float64(l.RxBytes-old.RxBytes) / seconds
		out[name+sent] = float64(l.TxBytes-old.TxBytes) / seconds
		out[name+dropped] = max(0, float64(l.RxDrop+l.TxDrop)-float64(old.RxDrop+old.TxDrop)) / seconds
	}
}
