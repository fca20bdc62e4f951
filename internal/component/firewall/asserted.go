package firewall

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"gateway/internal/apply"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/packetfilter"
	"gateway/internal/problem"
)

var (
	assertionBroken = problem.Kind{
		Code: "firewall.assertion_broken", Severity: problem.Error,
		Message: "Assertion {assertion} does not hold: {reason}",
		Remedy:  "Correct the rules, the interfaces of the zones or the routes; or correct the assertion.",
	}
	assertionUnverified = problem.Kind{
		Code: "firewall.assertion_unverified", Severity: problem.Warning,
		Message: "It is not known whether assertion {assertion} holds: the stored rules are not applied, or there are too many to check in time",
		Remedy:  "See under System, Configuration, whether the firewall is applied.",
	}
)

// judgeAssertions says which assertions do not hold. A change by the API cannot break one, but
// routes of others, expiring rules, links that are yet to be made and rows that come by a restore or
// a replication can.
func (f *firewall) judgeAssertions(ctx context.Context, r *problem.Report) error {
	all, err := db.List[struct {
		ID, Name string
		Enabled  bool
	}](ctx, f.DB, `select id, name, enabled from firewall_assertions order by name`)
	if err != nil {
		return fmt.Errorf("list assertions: %w", err)
	}
	states, enabled := r.States["assertion"], 0
	for _, a := range all {
		if a.Enabled {
			enabled++
		} else {
			states[a.ID] = problem.Chosen("disabled")
		}
	}
	if enabled == 0 {
		return nil
	}
	applied, err := f.applied(ctx)
	if err != nil {
		return err
	}
	found := f.verdicts.get(ctx, f.brokenNow)
	if found.err != nil {
		return found.err
	}
	for _, a := range all {
		why, judged := found.why[a.ID]
		params := problem.Params{"assertion": a.Name, "reason": why}
		switch {
		case !a.Enabled:
		case why.Message != "":
			r.Add(assertionBroken.On(problem.Subject{Kind: "assertion", ID: a.ID, Name: a.Name}, "/firewall?tab=assertions", params))
			states[a.ID] = assertionBroken.Because("broken", params)
		case !applied || !judged:
			states[a.ID] = assertionUnverified.Because("unknown", problem.Params{"assertion": a.Name})
		}
	}
	return nil
}

// applied reports whether the kernel has the rules that are judged.
func (f *firewall) applied(ctx context.Context) (bool, error) {
	states, err := f.Applier.States(ctx)
	for _, s := range states {
		if s.Component == filter.Name && (s.Error != "" || s.Stage == apply.Held) {
			return false, err
		}
	}
	return true, err
}

// brokenNow is why each enabled assertion does not hold; an empty reason where it does.
func (f *firewall) brokenNow(ctx context.Context) (map[string]fault.Sentence, error) {
	s, err := f.Policy.Load(ctx, f.DB)
	if err != nil {
		return nil, err
	}
	var routes packetfilter.Routes
	if f.Host != nil {
		hops, err := f.Host.Routes()
		if err != nil {
			return nil, fmt.Errorf("list routes: %w", err)
		}
		routes = filter.Routes(hops)
	}
	why := make(map[string]fault.Sentence, len(s.Assertions))
	for _, a := range s.Assertions {
		why[a.ID] = filter.Broken(a, &s.Policy, routes)
	}
	return why, nil
}

const (
	// verdictTime is how long whoever looks for problems waits for a verdict; it has a little
	// more itself.
	verdictTime = 2 * time.Second
	// verdictRest is for how many times of what a verdict cost it is used, at most verdictAge:
	// a policy of many rules must not take a processor of its own.
	verdictRest = 9
	verdictAge  = 4 * time.Second
	// verdictPatience is how long one may take at all.
	verdictPatience = time.Minute
)

// verdicts are made beside whoever asks for them, one at a time: a search through many rules
// heeds no deadline.
type verdicts struct {
	mu   sync.Mutex
	last verdict
	busy chan struct{} // closed when the one under way is there; nil without one
}

type verdict struct {
	at   time.Time
	took time.Duration
	why  map[string]fault.Sentence // by id of an enabled assertion; empty where it holds
	err  error
}

// get is a recent verdict. It knows no assertion when there is none yet.
func (v *verdicts) get(ctx context.Context, judge func(context.Context) (map[string]fault.Sentence, error)) verdict {
	v.mu.Lock()
	if v.busy == nil && time.Since(v.last.at) >= min(verdictRest*v.last.took, verdictAge) {
		v.busy = make(chan struct{})
		go v.make(context.WithoutCancel(ctx), judge, v.busy)
	}
	busy := v.busy
	v.mu.Unlock()
	if busy != nil {
		ctx, cancel := context.WithTimeout(ctx, verdictTime)
		defer cancel()
		select {
		case <-busy:
		case <-ctx.Done():
			return verdict{}
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.last
}

func (v *verdicts) make(ctx context.Context, judge func(context.Context) (map[string]fault.Sentence, error), busy chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, verdictPatience)
	defer cancel()
	begin := time.Now()
	made := verdict{err: errors.New("the assertions could not be judged")}
	defer func() {
		if p := recover(); p != nil { // as of whoever looks for problems: it must not end the process
			made.err = fmt.Errorf("judge assertions: panic: %v\n%s", p, debug.Stack())
		}
		made.at, made.took = time.Now(), time.Since(begin)
		v.mu.Lock()
		v.last, v.busy = made, nil
		v.mu.Unlock()
		close(busy)
	}()
	made.why, made.err = judge(ctx)
}
