package firewall

import (
	"context"
	"net/http"
	"sync"
	"time"

	"gateway/internal/api"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/live"
	"gateway/internal/fault"
	"gateway/internal/packetlog"
)

type logQuery struct {
	Since  time.Time `query:"since" doc:"Not before this time"`
	Until  time.Time `query:"until" doc:"Not after this time"`
	RuleID string    `query:"rule_id" maxLength:"64" doc:"Only packets that this rule logged"`
	Source string    `query:"src" maxLength:"64" doc:"Source address or network"`
	Dest   string    `query:"dst" maxLength:"64" doc:"Destination address or network"`
	Proto  string    `query:"proto" maxLength:"8" doc:"icmp, tcp, udp, icmpv6, or a number"`
	Action string    `query:"action" enum:"accept,drop,reject" doc:"Only packets with this verdict"`
	Limit  int       `query:"limit" default:"1000" minimum:"1" maximum:"1000" doc:"Maximum number of events, the latest ones"`
}

func (q logQuery) filter() (packetlog.Filter, error) {
	return packetlog.Query{
		Since: q.Since, Until: q.Until, RuleID: q.RuleID, Source: q.Source, Destination: q.Dest, Proto: q.Proto, Action: q.Action,
	}.Filter()
}

func (f *firewall) logRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "firewall-log", Method: http.MethodGet, Path: "/firewall/log", Access: api.Viewer,
		Summary:     "List the last logged packets, oldest first",
		Description: "Packets of rules with logging, and unmatched packets (at most ten per second and chain). The last 1,000 are kept until the node reboots.",
	}, f.log)
	api.Stream(r, api.Op{
		ID: "firewall-log-live", Path: "/firewall/log/live", Access: api.Viewer,
		Summary:     "Stream: the kept logged packets, then each new one",
		Description: "Messages are objects with a list of events, oldest first, and the number of events lost because this reader was slow. Open another stream for another filter.",
		Check:       func(ctx context.Context) error { _, err := liveFilter(ctx); return err },
	}, f.logLive,
		api.Param{Name: "since", Doc: "Not before this time"}, api.Param{Name: "until", Doc: "Not after this time"},
		api.Param{Name: "rule_id", Doc: "Only packets that this rule logged"}, api.Param{Name: "src", Doc: "Source address or network"}, api.Param{Name: "dst", Doc: "Destination address or network"},
		api.Param{Name: "proto", Doc: "icmp, tcp, udp, icmpv6, or a number"}, api.Param{Name: "action", Doc: "accept, drop or reject"})
}

func (f *firewall) log(ctx context.Context, in *logQuery) (*api.Body[[]packetlog.Event], error) {
	wanted, err := in.filter()
	if err != nil {
		return nil, err
	}
	events, err := f.feed.Recent(ctx)
	if err != nil {
		return nil, err
	}
	events = wanted.Of(events)
	return api.OK(events[max(0, len(events)-in.Limit):]), nil
}

func (f *firewall) logLive(ctx context.Context, send func(any) error) error {
	filter, err := liveFilter(ctx)
	if err != nil {
		return err
	}
	reader, err := f.feed.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	for first := true; ctx.Err() == nil; first = false {
		events, lost := reader.Next(ctx)
		wanted := filter.Of(events)
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
			p.Add(field, "must be a time such as 2026-11-15T12:00:00Z")
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

// askLog gets a page of the applier's ring.
func (f *firewall) askLog(ctx context.Context, start, after int64, wait time.Duration) (page packetlog.Page, err error) {
	err = f.Applier.Ask(ctx, filter.Name, live.LogVerb, live.LogRequest{Start: start, After: after, Wait: wait}, &page)
	return page, err
}

// actions knows what each rule does with a packet; the kernel's log does not say.
type actions struct {
	mu    sync.Mutex
	known map[string]string
	asked time.Time
}

// nameActions fills in what became of the packets that rules logged. A rule that is gone
// since leaves it empty.
func (f *firewall) nameActions(ctx context.Context, events []packetlog.Event) {
	f.actions.mu.Lock()
	defer f.actions.mu.Unlock()
	for i := range events {
		e := &events[i]
		if e.RuleID == "" {
			continue
		}
		action, ok := f.actions.known[e.RuleID]
		// A rule that was changed keeps its id, so what is known is not known for long.
		if stale := f.Now().Sub(f.actions.asked); stale > 10*time.Second || !ok && stale > time.Second {
			f.actions.known, f.actions.asked = f.loadActions(ctx), f.Now()
			action = f.actions.known[e.RuleID]
		}
		e.Action = action
	}
}

func (f *firewall) loadActions(ctx context.Context) map[string]string {
	rows, err := f.DB.Query(ctx, `select id::text, action from firewall_rules where log`)
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
