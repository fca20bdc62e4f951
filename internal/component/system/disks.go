package system

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"gateway/internal/problem"
	"gateway/internal/sys"
)

// watched are the folders whose file systems must not be full: logs, database and our own
// store are often on one of their own.
var watched = []string{"/", "/var", "/var/log", "/var/lib", "/var/lib/postgresql", "/var/lib/gateway"}

// diskTime bounds a look at the disks: one that hangs heeds no deadline.
const diskTime = time.Second

type looked struct {
	disks []sys.Mounted
	err   error
}

// diskLooks are the looks under way, by folder: one that hangs is waited for by one goroutine,
// not by one more each time.
type diskLooks struct {
	mu  sync.Mutex
	all map[string]chan looked
}

// at begins a look at a folder, or finds the one that is not over yet.
func (d *diskLooks) at(folder string, look func(...string) ([]sys.Mounted, error)) chan looked {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil {
		d.all = map[string]chan looked{}
	}
	if d.all[folder] == nil {
		answer := make(chan looked, 1)
		d.all[folder] = answer
		go func() {
			disks, err := look(folder)
			answer <- looked{disks, err}
		}()
	}
	return d.all[folder]
}

// within waits for an answer; one that is there counts also when the time is over.
func (d *diskLooks) within(ctx context.Context, folder string, answer chan looked) (found looked, ok bool) {
	select {
	case found = <-answer:
	case <-ctx.Done():
		select {
		case found = <-answer:
		default:
			return looked{}, false
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.all, folder)
	return found, true
}

// lookAtDisks returns each file system once, and the folders that do not answer.
func (h *handlers) lookAtDisks() (disks []sys.Mounted, silent []string, failed error) {
	ctx, cancel := context.WithTimeout(context.Background(), diskTime)
	defer cancel()
	answers := make([]chan looked, len(watched))
	for i, folder := range watched {
		answers[i] = h.disks.at(folder, h.Host.Disks)
	}
	for i, folder := range watched {
		found, ok := h.disks.within(ctx, folder, answers[i])
		if !ok {
			silent = append(silent, folder)
			continue
		}
		failed = errors.Join(failed, found.err)
		for _, d := range found.disks {
			if !slices.ContainsFunc(disks, func(o sys.Mounted) bool { return o.Device == d.Device }) {
				disks = append(disks, d)
			}
		}
	}
	return disks, silent, failed
}

func (h *handlers) judgeDisks(r *problem.Report) {
	disks, silent, err := h.lookAtDisks()
	if err != nil {
		h.Log.Warn("look at the disks", "err", err)
	}
	for _, folder := range silent {
		r.Add(diskSilent.On(problem.Subject{Kind: "disk", ID: folder, Name: folder}, "/", problem.Params{"path": folder}))
	}
	for _, d := range disks {
		percent := share(d.Used, d.Used+d.Free)
		if percent < diskWarns {
			continue
		}
		subject := problem.Subject{Kind: "disk", ID: d.Path, Name: d.Path}
		found := diskFull.On(subject, "/", problem.Params{"path": d.Path, "percent": percent})
		if percent >= diskFails {
			found = found.As(problem.Critical)
		}
		r.Add(found)
	}
}
