package firewall

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"gateway/internal/api"
	"gateway/internal/fault"
	"gateway/internal/netfilter"
	"gateway/internal/packetlog"
)

const (
	logVerb  = "log"
	logGroup = 0 // of netlink; the specification says so
	// Prefixes of the kernel's log lines.
	logPrefix  = "gateway:"
	dropPrefix = "drop-"
)

type logQuery struct {
	Since  time.Time `query:"since" doc:"Not before this moment"`
	Until  time.Time `query:"until" doc:"Not after this moment"`
	RuleID string    `query:"rule_id" maxLength:"64"`
	Source string    `query:"src" maxLength:"64" doc:"Address or network it came from"`
	Dest   string    `query:"dst" maxLength:"64" doc:"Address or network it went to"`
	Proto  string    `query:"proto" maxLength:"8" doc:"icmp, tcp, udp, icmpv6, or a number"`
	Action string    `query:"action" enum:"accept,drop,reject"`
	Limit  int       `query:"limit" default:"1000" minimum:"1" maximum:"1000" doc:"The latest so many"`
}

func (q logQuery) filter() (packetlog.Filter, error) {
	return packetlog.Query{
		Since: q.Since, Until: q.Until, RuleID: q.RuleID, Source: q.Source, Destination: q.Dest, Proto: q.Proto, Action: q.Action,
	}.Filter()
}

func (p *part) logRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "firewall-log", Method: http.MethodGet, Path: "/firewall/log", Access: api.Viewer,
		Summary:     "The last packets that were logged, oldest first",
		Description: "Rules that log, and what no rule took (at most ten a second of each chain). The last 1,000 are kept, until the node boots.",
	}, p.log)
	api.Stream(r, api.Op{
		ID: "firewall-log-live", Path: "/firewall/log/live", Access: api.Viewer,
		Summary:     "Stream: the logged packets that are kept, then each new one",
		Description: "Messages are objects with a list of events, oldest first, and how many were lost because this reader was slow. For another filter open another stream.",
		Check:       func(ctx context.Context) error { _, err := liveFilter(ctx); return err },
	}, p.logLive,
		api.Param{Name: "since", Doc: "Not before this moment"}, api.Param{Name: "until", Doc: "Not after this moment"},
		api.Param{Name: "rule_id"}, api.Param{Name: "src", Doc: "Address or network it came from"}, api.Param{Name: "dst", Doc: "Address or network it went to"},
		api.Param{Name: "proto", Doc: "icmp, tcp, udp, icmpv6, or a number"}, api.Param{Name: "action", Doc: "accept, drop or reject"})
}

func (p *part) log(ctx context.Context, in *logQuery) (*api.Body[[]packetlog.Event], error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	events, err := p.feed.Recent(ctx)
	if err != nil {
		return nil, err
	}
	events = f.Of(events)
	return api.OK(events[max(0, len(events)-in.Limit):]), nil
}

func (p *part) logLive(ctx context.Context, send func(any) error) error {
	f, err := liveFilter(ctx)
	if err != nil {
		return err
	}
	reader, err := p.feed.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	for first := true; ctx.Err() == nil; first = false {
		events, lost := reader.Next(ctx)
		wanted := f.Of(events)
		if len(wanted) == 0 && lost == 0 && !first {
			continue
		}
		message, err := packetlog.Message(wanted, lost)
		if err != nil {
			return err
		}
		if err := send(message); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// liveFilter reads the address of a stream, whose parameters the edge does not judge.
func liveFilter(ctx context.Context) (packetlog.Filter, error) {
	var p fault.Problems
	v := api.Query(ctx)
	moment := func(field string) time.Time {
		if v.Get(field) == "" {
			return time.Time{}
		}
		at, err := time.Parse(time.RFC3339, v.Get(field))
		if err != nil {
			p.Add(field, "is no moment like 2026-11-15T12:00:00Z")
		}
		return at
	}
	q := logQuery{
		Since: moment("since"), Until: moment("until"), RuleID: v.Get("rule_id"),
		Source: v.Get("src"), Dest: v.Get("dst"), Proto: v.Get("proto"), Action: v.Get("action"),
	}
	if err := p.Err(); err != nil {
		return packetlog.Filter{}, err
	}
	return q.filter()
}

type logAsk struct {
	Start int64         `json:"start"`
	After int64         `json:"after"`
	Wait  time.Duration `json:"wait"`
}

// askLog gets a page of the applier's ring.
func (p *part) askLog(ctx context.Context, start, after int64, wait time.Duration) (page packetlog.Page, err error) {
	err = p.Applier.Ask(ctx, Name, logVerb, logAsk{start, after, wait}, &page)
	return page, err
}

// logPage is that verb, in gateway-apply.
func (p *part) logPage(ctx context.Context, in json.RawMessage) (any, error) {
	var a logAsk
	if err := json.Unmarshal(in, &a); err != nil {
		return nil, fault.New(fault.Invalid, "the request is not understood")
	}
	ctx, cancel := context.WithTimeout(ctx, min(a.Wait, time.Minute))
	defer cancel()
	return p.ring.Wait(ctx, a.Start, a.After), nil
}

// watchLog fills the ring from the kernel's log until ctx ends.
func (p *part) watchLog(ctx context.Context) error {
	return netfilter.Watch(ctx, logGroup, func(e netfilter.Event) {
		rule, ours := strings.CutPrefix(e.Prefix, logPrefix)
		switch {
		case e.Err != nil:
			p.Log.Warn("the packet log cannot be read at present", "err", e.Err)
		case e.Lost > 0:
			p.Log.Warn("packets were logged faster than they were read", "lost", e.Lost)
		case ours: // group 0 is everybody's
			p.ring.Add(event(rule, e))
		}
	})
}

func event(rule string, e netfilter.Event) packetlog.Event {
	out := packetlog.Event{
		At: e.At, Protocol: packetlog.Protocol(e.Protocol), Source: e.Source.String(), Destination: e.Destination.String(),
		SourcePort: int(e.SourcePort), Port: int(e.Port), Interface: e.In, Out: e.Out, Size: e.Size,
	}
	if out.Interface == "" {
		out.Interface, out.Out = e.Out, ""
	}
	if chain, dropped := strings.CutPrefix(rule, dropPrefix); dropped {
		out.Chain, out.Action = chain, "drop"
	} else {
		out.RuleID = rule
	}
	return out
}

// actions knows what each rule does with a packet; the kernel's log does not say.
type actions struct {
	mu    sync.Mutex
	known map[string]string
	asked time.Time
}

// nameActions fills in what became of the packets that rules logged. A rule that is gone
// since leaves it empty.
func (p *part) nameActions(ctx context.Context, events []packetlog.Event) {
	p.actions.mu.Lock()
	defer p.actions.mu.Unlock()
	for i := range events {
		e := &events[i]
		if e.RuleID == "" {
			continue
		}
		action, ok := p.actions.known[e.RuleID]
		// A rule that was changed keeps its id, so what is known is not known for long.
		if stale := p.Now().Sub(p.actions.asked); stale > 10*time.Second || !ok && stale > time.Second {
			p.actions.known, p.actions.asked = p.loadActions(ctx), p.Now()
			action = p.actions.known[e.RuleID]
		}
		e.Action = action
	}
}

func (p *part) loadActions(ctx context.Context) map[string]string {
	rows, err := p.DB.Query(ctx, `select id::text, action from firewall_rules where log`)
	known := map[string]string{}
	if err != nil {
		return known // the events are worth more than this
	}
	defer rows.Close()
	for rows.Next() {
		var id, action string
		if rows.Scan(&id, &action) == nil {
			known[id] = action
		}
	}
	return known
}
