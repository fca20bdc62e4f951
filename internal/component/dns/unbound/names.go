package unbound

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	mdns "github.com/miekg/dns"

	"gateway/internal/component/dns/control"
	"gateway/internal/daemon"
	"gateway/internal/daemon/hostnames"
)

const (
	// nameTTL is short: a name may be another host's soon.
	nameTTL = 60
	// namesAgain is how soon it is looked whether unbound was restarted by somebody else, and
	// namesLater when names that it refused are tried again.
	namesAgain = time.Second
	namesLater = 30 * time.Second
)

// told is what the running unbound was told of names that are in no file. It forgets them with
// each reload and each start.
type told struct {
	mu      sync.Mutex
	lines   map[string]bool
	known   bool   // what it has beside its file is in lines
	process int    // that it was when it was last looked at
	records []byte // of the file that it runs on
	built   map[hostnames.Record]pair
	kick    chan struct{}
}

// pair are the two records of a name, each with its owner. One that may not be is empty.
type pair struct{ forward, reverse namedLine }

type namedLine struct{ owner, text string }

// forget is called when unbound has read its file anew.
func (t *told) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines, t.known = map[string]bool{}, true
	t.wake()
}

func (t *told) wake() {
	select {
	case t.kick <- struct{}{}:
	default: // it is awake
	}
}

// live is told what unbound runs on: an operator's own records come before names that hosts
// claim.
func (r *resolver) live(now daemon.Rendering) {
	r.told.mu.Lock()
	defer r.told.mu.Unlock()
	if records := split(now).records; !bytes.Equal(r.told.records, records) {
		r.told.records = records
		r.told.wake()
	}
}

// background answers the names of hosts that other daemons know.
func (r *resolver) background(ctx context.Context, _ func()) error {
	if r.names == nil {
		<-ctx.Done()
		return nil
	}
	for {
		names, changed := r.names.All()
		wait := namesAgain
		if err := r.tellNames(ctx, names); err != nil && !errors.Is(err, control.ErrDown) && ctx.Err() == nil {
			r.log.WarnContext(ctx, "tell the resolver the names of hosts", "err", err)
			wait = namesLater
		}
		var later <-chan time.Time
		if len(names) > 0 {
			later = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-r.told.kick:
		case <-later:
		}
	}
}

// tellNames brings unbound from what it was told to the names that there are.
func (r *resolver) tellNames(ctx context.Context, names []hostnames.Record) error {
	t := &r.told
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(names) == 0 && len(t.lines) == 0 {
		return nil
	}
	if err := r.lookAtNames(ctx); err != nil {
		return err
	}
	want := map[string]bool{}
	for _, line := range t.nameLines(names) {
		want[line] = true
	}
	add, remove := missing(want, t.lines), missing(t.lines, want)
	if len(add)+len(remove) == 0 {
		return nil
	}
	err := r.carryOut(ctx, plan{add: add, remove: remove})
	if err == nil {
		t.lines = want
		r.pushed.Add(int64(len(add) + len(remove)))
		return nil
	}
	t.known = false // it may have some of them
	return err
}

// lookAtNames finds out whether unbound has what it was told. It may have been restarted by
// somebody else, or have names of before a restart of this process: then it reads its file anew.
func (r *resolver) lookAtNames(ctx context.Context) error {
	t := &r.told
	process, err := r.control.Process(ctx)
	if err != nil {
		return err
	}
	if t.process != 0 && process != t.process {
		t.lines, t.known = nil, true // a new one has its file, and nothing else
	}
	t.process = process
	if t.known && r.pushed.Load() <= maxPushed {
		return nil
	}
	if err := r.control.FastReload(ctx); err != nil {
		return err
	}
	r.pushed.Store(0)
	t.lines, t.known = nil, true
	return nil
}

// missing are the lines of one that the other lacks.
func missing(of, from map[string]bool) (out []string) {
	for line := range of {
		if !from[line] {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

// nameLines are the records of the names, forward and reverse, without those whose owner has
// records in the file. Of ten thousand names mostly one is another, so the rest is remembered.
func (t *told) nameLines(names []hostnames.Record) []string {
	byOwner := make(map[string][]string, 2*len(names))
	built := make(map[hostnames.Record]pair, len(names))
	for _, n := range names {
		p, known := t.built[n]
		if !known {
			p = newPair(n)
		}
		built[n] = p
		for _, l := range []namedLine{p.forward, p.reverse} {
			if l.text != "" {
				byOwner[l.owner] = append(byOwner[l.owner], l.text)
			}
		}
	}
	t.built = built
	for line := range bytes.Lines(t.records) {
		if owner, ok := lineOwner(strings.TrimSuffix(string(line), "\n")); ok {
			delete(byOwner, owner)
		}
	}
	var out []string
	for _, lines := range byOwner {
		out = append(out, lines...)
	}
	return out
}

func newPair(n hostnames.Record) (p pair) {
	reverse, err := mdns.ReverseAddr(n.Address.String())
	if name, bad := complete(n.Name); err != nil || bad != nil || name != n.Name || !n.Address.Is4() {
		return p
	}
	return pair{newNamedLine(n.Name, "A", n.Address.String()), newNamedLine(reverse, "PTR", n.Name)}
}

func newNamedLine(owner, typ, value string) namedLine {
	e, err := newEntry(owner, typ, value, nameTTL)
	if err != nil || len(e.text) > control.MaxLine {
		return namedLine{}
	}
	return namedLine{owner, e.text}
}
