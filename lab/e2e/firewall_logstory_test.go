package e2e

import (
	"context"
	"encoding/json"
	"net/netip"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// packetLog is a node whose log has something of every kind.
type packetLog struct {
	*border
	accepting, dropping string // rules that log
	echo                netip.AddrPort
	dropped, unasked    netip.AddrPort
}

// shows FWLOG-14
func TestFirewallLog(t *testing.T) {
	l := &packetLog{border: between(t)}
	var pings atomic.Int64
	pinged := l.c.socket("/firewall/log/live", func() { pings.Add(1) })
	go func() {
		for { // pings are heard while reading
			if _, _, err := pinged.Read(t.Context()); err != nil {
				return
			}
		}
	}()
	opened := time.Now()
	l.prepare()
	l.events()
	l.filters()
	l.live()
	l.eventually(45*time.Second-time.Since(opened), "the live log pings", func() bool { return pings.Load() > 0 })
	if took := time.Since(opened); took < 29*time.Second || pings.Load() > 1 && took < 59*time.Second {
		t.Errorf("%d pings in %v, want one every 30 s", pings.Load(), took)
	}
}

func (l *packetLog) prepare() {
	l.t.Helper()
	l.echo = l.border.echo(l.far, 7001)
	l.dropped, l.unasked = netip.AddrPortFrom(l.node.IP(), 9996), netip.AddrPortFrom(l.node.IP(), 9995)
	l.accepting = l.c.rule("accepts", "lan", "wan", "accept", object{"service_object_id": l.c.service("tcp", 7001), "log": true})
	l.dropping = l.c.rule("drops", "lan", "any", "drop", object{"service_object_id": l.c.service("udp", 9996), "log": true})
}

// happen causes one event of each kind.
func (l *packetLog) happen() {
	l.t.Helper()
	if _, err := l.seen(l.client, l.echo); err != nil {
		l.t.Fatal(err)
	}
	l.sends(l.client, l.dropped)
	l.sends(l.client, l.unasked)
}

// ask reads the log with parameters.
func (l *packetLog) ask(parameters ...string) []logged {
	l.t.Helper()
	var events []logged
	if r := l.c.get("/firewall/log?" + query(parameters...)).want(200); !r.decode(&events) {
		l.t.Fatalf("no events in %v", r)
	}
	return events
}

func query(parameters ...string) string {
	v := url.Values{}
	for pair := range slices.Chunk(parameters, 2) {
		v.Set(pair[0], pair[1])
	}
	return v.Encode()
}

// to are the events about packets to an address.
func to(events []logged, at netip.AddrPort) (found []logged) {
	for _, e := range events {
		if e.Destination == at.Addr().String() && e.Port == int(at.Port()) {
			found = append(found, e)
		}
	}
	return found
}

// shows FWLOG-04, FWLOG-05, FWLOG-06, FWLOG-07
func (l *packetLog) events() {
	l.t.Helper()
	began := time.Now().Add(-time.Second)
	l.happen()
	l.eventually(patience, "all three are in the log", func() bool {
		all := l.ask()
		return len(to(all, l.echo)) == 1 && len(to(all, l.dropped)) == 1 && len(to(all, l.unasked)) == 1
	})
	all := l.ask()
	for _, tc := range []struct {
		what                string
		at                  netip.AddrPort
		rule, action, proto string
	}{
		{"a packet that a rule accepted", l.echo, l.accepting, "accept", "tcp"},
		{"a packet that a rule dropped", l.dropped, l.dropping, "drop", "udp"},
		{"a packet that no rule is about", l.unasked, "", "drop", "udp"},
	} {
		e := to(all, tc.at)[0]
		rule := ""
		if e.RuleID != nil {
			rule = *e.RuleID
		}
		if rule != tc.rule || e.Action != tc.action || e.Proto != tc.proto || e.Source != l.client.IP().String() ||
			e.Interface != "eth0" || e.Size < 28 || e.Timestamp.Before(began) || e.Timestamp.After(time.Now()) {
			l.t.Errorf("%s is logged as %+v (rule %q)", tc.what, e, rule)
		}
	}
}

// shows FWLOG-01, FWLOG-03
func (l *packetLog) filters() {
	l.t.Helper()
	middle := time.Now()
	l.happen()
	l.eventually(patience, "the second three are in the log", func() bool { return len(to(l.ask(), l.unasked)) == 2 && len(to(l.ask(), l.echo)) == 2 })
	moment := middle.Format(time.RFC3339Nano)
	for _, tc := range []struct {
		what       string
		parameters []string
		wrong      func(e logged) bool
	}{
		{"since", []string{"since", moment}, func(e logged) bool { return e.Timestamp.Before(middle) }},
		{"until", []string{"until", moment}, func(e logged) bool { return e.Timestamp.After(middle) }},
	} {
		events := l.ask(tc.parameters...)
		if len(to(events, l.echo)) != 1 || slices.ContainsFunc(events, tc.wrong) {
			l.t.Errorf("%s %s: %+v", tc.what, moment, events)
		}
	}
	all, last := l.ask(), l.ask("limit", "1")
	if len(last) != 1 || last[0].Seq < all[len(all)-1].Seq {
		l.t.Errorf("limit 1 of %d events: %+v, want the last one", len(all), last)
	}
}

// shows FWLOG-10, FWLOG-11, FWLOG-12, FWLOG-13
func (l *packetLog) live() {
	l.t.Helper()
	everything := l.open()
	var kept []logged
	for len(to(kept, l.echo)) < 2 || len(to(kept, l.unasked)) < 2 {
		kept = append(kept, everything(1)...)
	}
	if len(to(kept, l.echo)) != 2 || len(to(kept, l.dropped)) != 2 {
		l.t.Errorf("the live log begins with %+v, want what is kept", kept)
	}
	accepted := l.open("rule_id", l.accepting, "action", "accept")
	if first := accepted(2); len(first) != 2 || len(to(first, l.echo)) != 2 {
		l.t.Errorf("with a filter it begins with %+v", first)
	}
	l.sends(l.client, l.dropped)
	l.happen()
	var news []logged
	for len(to(news, l.dropped)) < 2 || len(to(news, l.echo)) < 1 {
		news = append(news, everything(1)...)
	}
	if next := accepted(1); len(next) != 1 || len(to(next, l.echo)) != 1 {
		l.t.Errorf("with a filter there comes %+v, want what was accepted and nothing else", next)
	}
	l.liveFilters()
	// Another filter is another stream, and begins with what is kept that it takes.
	changed := l.open("proto", "udp", "src", l.client.IP().String(), "rule_id", l.dropping)
	if first := changed(4); len(first) != 4 || len(to(first, l.dropped)) != 4 {
		l.t.Errorf("with another filter it begins with %+v", first)
	}
}

// liveFilters are those that the rest of live does not use.
func (l *packetLog) liveFilters() {
	l.t.Helper()
	all := l.ask("rule_id", l.dropping)
	first, last := all[0], all[len(all)-1]
	for _, tc := range []struct {
		parameters []string
		at         netip.AddrPort
	}{
		{[]string{"dst", l.dropped.Addr().String(), "rule_id", l.dropping}, l.dropped},
		{[]string{"since", last.Timestamp.Format(time.RFC3339Nano), "rule_id", l.dropping}, l.dropped},
		{[]string{"until", first.Timestamp.Format(time.RFC3339Nano), "rule_id", l.dropping}, l.dropped},
	} {
		want := l.ask(tc.parameters...)
		if got := l.open(tc.parameters...)(len(want)); len(want) == 0 || len(got) != len(want) || len(to(got, tc.at)) != len(want) || got[0].Seq != want[0].Seq {
			l.t.Errorf("the live log with %v begins with %+v, want %+v", tc.parameters, got, want)
		}
	}
}

// open opens the live log; what it returns waits for so many events at least: they are
// gathered for a moment, so what has just happened may come as a message of its own.
func (l *packetLog) open(parameters ...string) func(atLeast int) []logged {
	l.t.Helper()
	conn := l.c.socket("/firewall/log/live?"+query(parameters...), nil)
	return func(atLeast int) (events []logged) {
		l.t.Helper()
		ctx, cancel := context.WithTimeout(l.t.Context(), patience)
		defer cancel()
		for len(events) < atLeast {
			_, msg, err := conn.Read(ctx)
			var page logPage
			if err == nil {
				err = json.Unmarshal(msg, &page)
			}
			if err != nil {
				l.t.Fatalf("the live log: %v after %+v", err, events)
			}
			events = append(events, page.Events...)
		}
		return events
	}
}
