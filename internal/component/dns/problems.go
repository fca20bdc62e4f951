package dns

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gateway/internal/component/dns/unbound"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

var (
	notAnswering = problem.Kind{
		Code: "dns.not_answering", Severity: problem.Error,
		Message: "The DNS resolver does not answer",
		Remedy:  "Restart it under System, Services; its log says why (journalctl -u unbound).",
	}
	resolvingFails = problem.Kind{
		Code: "dns.resolving_fails", Severity: problem.Error,
		Message: "The DNS resolver could not resolve {failed} of the last {queries} queries",
		Remedy:  "Check that this node reaches the internet or its forwarders, and that the forwarders answer.",
	}
)

// resolverSubject is the service as the list of services names it.
var resolverSubject = problem.Subject{Kind: "service", ID: unbound.Name, Name: "DNS resolver"}

func (h *handlers) problems() problem.Source {
	f := &failures{now: time.Now}
	return problem.Source{
		Kinds:   []problem.Kind{notAnswering, resolvingFails},
		Objects: []string{"resolver"},
		Find:    func(ctx context.Context) (problem.Report, error) { return h.findProblems(ctx, f) },
	}
}

// answerTime is how long the resolver may take to count: one that hangs answers nobody else either.
const answerTime = 1500 * time.Millisecond

func (h *handlers) findProblems(ctx context.Context, f *failures) (problem.Report, error) {
	r := problem.Report{States: map[string]problem.States{"resolver": {}}}
	add := func(k problem.Kind, state string, params problem.Params) {
		r.Add(k.On(resolverSubject, "/dns", params))
		r.States["resolver"][unbound.Name] = k.Because(state, params)
	}
	var on bool
	if err := h.DB.QueryRow(ctx, `select enabled from dns_settings`).Scan(&on); err != nil {
		return r, fmt.Errorf("read whether the resolver is enabled: %w", err)
	}
	if !on {
		r.States["resolver"][unbound.Name] = problem.Chosen("off")
		return r, nil
	}
	var s unbound.Stats
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	err := h.Applier.Ask(limited, unbound.Name, unbound.StatsVerb, nil, &s)
	var worded *fault.Fault
	switch {
	case errors.As(err, &worded) && worded.Code != "applier_unavailable", errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		add(notAnswering, "failed", nil)
		return r, nil
	case err != nil:
		return r, err
	}
	if failed, queries := f.recent(s); queries >= fewQueries && failed*2 >= queries {
		add(resolvingFails, "degraded", problem.Params{"failed": failed, "queries": queries})
	}
	return r, nil
}

const (
	// failuresOver is the time that failures are counted over, fewQueries what says too little.
	failuresOver = 30 * time.Second
	fewQueries   = 5
)

// failures remembers the counters of the last half minute: what failed last year is over.
type failures struct {
	now func() time.Time

	mu   sync.Mutex
	seen []counted
}

type counted struct {
	at              time.Time
	failed, queries int64
}

// recent is how many queries needed other servers lately, and how many of them failed.
func (f *failures) recent(s unbound.Stats) (failed, queries int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := counted{f.now(), s.Failed, s.CacheMisses}
	if n := len(f.seen); n > 0 && (f.seen[n-1].queries > now.queries || f.seen[n-1].at.After(now.at)) {
		f.seen = nil // it was restarted, or the clock was set
	}
	f.seen = append(f.seen, now)
	for len(f.seen) > 2 && now.at.Sub(f.seen[1].at) >= failuresOver {
		f.seen = f.seen[1:]
	}
	if now.at.Sub(f.seen[0].at) > 4*failuresOver {
		return 0, 0 // nobody looked for a while
	}
	return now.failed - f.seen[0].failed, now.queries - f.seen[0].queries
}
