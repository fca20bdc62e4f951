package dns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"gateway/internal/change"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/db"
	"gateway/internal/problem"
)

var (
	forwarderSilent = problem.Kind{
		Code: "dns.forwarder_silent", Severity: problem.Warning,
		Message: "No answer from forwarder {forwarder}",
		Remedy:  "Check that it runs and that this node reaches it, or remove it from the zones that use it.",
	}
	forwarderFails = problem.Kind{
		Code: "dns.forwarder_fails", Severity: problem.Warning,
		Message: "Forwarder {forwarder} answers queries for zone {zone} with {answer}",
		Remedy:  "Check that it resolves this zone and accepts queries from this node, or choose another forwarder.",
	}
	forwardersUnknown = problem.Kind{
		Code: "dns.forwarders_unknown", Severity: problem.Info,
		Message: "It is not known whether the forwarders of zone {zone} answer",
		Remedy:  "Check the scheduler, which asks them, under System, Services.",
	}
	zoneNotApplied = problem.Kind{
		Code: "dns.not_applied", Severity: problem.Error,
		Message: "Zone {zone} is saved but not applied: the resolver runs without this change",
		Remedy:  "See why under System, Configuration. Correct the change, or revert it in the history.",
	}
)

const (
	forwardersChannel = "dns_forwarders"
	// forwardersTime is for a look and the way there and back.
	forwardersTime = probeTime + 500*time.Millisecond
	zonesPage      = "/dns?tab=zones"
)

type questions interface {
	Ask(ctx context.Context, channel string, in, out any) error
}

// question is what gateway-scheduler is asked.
type question struct {
	Try bool `json:"try"` // the resolver too: the last queries failed
}

// askForwarders has gateway-scheduler ask them. known is false when nobody answered.
func (h *handlers) askForwarders(ctx context.Context, zones []forwarded, try bool) (found forwarders, known bool, err error) {
	if !try && !slices.ContainsFunc(zones, func(z forwarded) bool { return len(z.ForwardTo) > 0 }) {
		return found, true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, forwardersTime)
	defer cancel()
	err = h.Questions.Ask(ctx, forwardersChannel, question{try}, &found)
	if errors.Is(err, db.ErrUnanswered) {
		return found, false, nil
	}
	return found, err == nil, err
}

// answerForwarders runs in gateway-scheduler.
func (h *handlers) answerForwarders(ctx context.Context, in json.RawMessage) (any, error) {
	var q question
	if err := json.Unmarshal(in, &q); err != nil {
		return nil, fmt.Errorf("read what is asked of forwarders: %w", err)
	}
	zones, err := listZones(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	var resolver netip.AddrPort
	if q.Try {
		if resolver, err = resolverAddr(ctx, h.DB); err != nil {
			return nil, fmt.Errorf("read where the resolver listens: %w", err)
		}
	}
	var tried unbound.Lately
	var under sync.WaitGroup
	if resolver.IsValid() {
		under.Go(func() { tried = h.trier.try(ctx, resolver) })
	}
	out := newForwarders(zones, h.prober.look(ctx, zones))
	under.Wait()
	out.Tried = tried
	return out, nil
}

func listZones(ctx context.Context, q db.DB) ([]forwarded, error) {
	zones, err := db.List[forwarded](ctx, q, `select id, name, forward_to from dns_zones order by name`)
	if err != nil {
		return nil, fmt.Errorf("list zones: %w", err)
	}
	return zones, nil
}

// setAll gives all zones the state that the resolver's own makes of them.
func (h *handlers) setAll(ctx context.Context, r *problem.Report, state problem.State) error {
	zones, err := listZones(ctx, h.DB)
	for _, z := range zones {
		r.States["dns_zone"][z.ID] = state
	}
	return err
}

// judgeZones says which zones are not resolved as they are stored.
func (h *handlers) judgeZones(ctx context.Context, r *problem.Report, zones []forwarded, found forwarders, known bool) error {
	if len(zones) == 0 {
		return nil
	}
	unlive, err := h.unlive(ctx)
	if err != nil {
		return err
	}
	j := zoneJudge{report: r, found: found, known: known, affected: map[string][]problem.Subject{}, down: map[string]bool{}}
	for _, z := range zones {
		if unlive[z.ID] || unlive[z.Name] {
			r.States["dns_zone"][z.ID] = zoneNotApplied.Because("not_applied", problem.Params{"zone": z.Name})
			continue
		}
		j.zone(z)
	}
	j.tellSilent()
	return nil
}

// unlive are the ids of zones that the resolver has otherwise than they are stored, and the names
// of those that it could not be given.
func (h *handlers) unlive(ctx context.Context) (map[string]bool, error) {
	out, err := change.Unlive(ctx, h.DB, unbound.Name, map[string][]string{"dns_zones": {"id"}, "dns_records": {"zone_id"}})
	if err != nil {
		return nil, err
	}
	states, err := h.Applier.States(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range states {
		for _, p := range s.Problems {
			if name, ok := strings.CutPrefix(p.Subject, "zone "); ok && s.Component == unbound.Name {
				out[name] = true
			}
		}
	}
	return out, nil
}

type zoneJudge struct {
	report   *problem.Report
	found    forwarders
	known    bool                         // that the forwarders were asked
	affected map[string][]problem.Subject // zones by forwarder
	down     map[string]bool              // forwarders without which a zone has none
}

// zone is resolved as long as one of its forwarders does it; the others still cost time.
func (j *zoneJudge) zone(z forwarded) {
	if len(z.ForwardTo) == 0 {
		return
	}
	subject, states := problem.Subject{Kind: "dns_zone", ID: z.ID, Name: z.Name}, j.report.States["dns_zone"]
	var mute, fails, codes []string
	for _, f := range z.ForwardTo {
		if slices.Contains(j.found.Silent, f) {
			mute = append(mute, f)
		}
	}
	for _, f := range j.found.Failing {
		if f.Zone == z.Name && slices.Contains(z.ForwardTo, f.Forwarder) {
			fails = append(fails, f.Forwarder)
			if !slices.Contains(codes, f.Code) {
				codes = append(codes, f.Code)
			}
		}
	}
	state := "degraded"
	if len(mute)+len(fails) >= len(z.ForwardTo) {
		state = "down"
	}
	for _, f := range mute {
		j.affected[f] = append(j.affected[f], subject)
		j.down[f] = j.down[f] || state == "down"
	}
	params := problem.Params{"zone": z.Name, "forwarder": strings.Join(fails, ", "), "answer": strings.Join(codes, ", ")}
	if len(fails) > 0 {
		states[z.ID] = forwarderFails.Because(state, params)
		j.report.Add(forwarderFails.On(subject, zonesPage, params).As(gravity(state)))
	}
	switch {
	case len(mute) > 0:
		states[z.ID] = forwarderSilent.Because(state, problem.Params{"forwarder": strings.Join(mute, ", ")})
	case len(fails) == 0 && (!j.known || j.found.Cut || slices.Contains(j.found.Unknown, z.Name)):
		states[z.ID] = forwardersUnknown.Because("unknown", problem.Params{"zone": z.Name})
	}
}

func gravity(state string) problem.Severity {
	if state == "down" {
		return problem.Error
	}
	return problem.Warning
}

// tellSilent has one problem for each forwarder, however many zones it has.
func (j *zoneJudge) tellSilent() {
	for _, f := range j.found.Silent {
		zones := j.affected[f]
		if len(zones) == 0 {
			continue // it was replaced meanwhile, or its zone is not applied
		}
		p := forwarderSilent.On(problem.Subject{Kind: "forwarder", ID: f, Name: f}, zonesPage, problem.Params{"forwarder": f}).Affecting(zones)
		if j.down[f] {
			p = p.As(problem.Error)
		}
		j.report.Add(p)
	}
}
