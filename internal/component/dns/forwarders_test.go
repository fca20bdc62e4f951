package dns_test

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"

	mdns "github.com/miekg/dns"

	"gateway/internal/apply"
	"gateway/internal/component/dns"
	"gateway/internal/component/dns/dnstest"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

// node is what surrounds the API: gateway-apply with the resolver, and gateway-scheduler.
type node struct {
	down    bool // the resolver
	lately  unbound.Lately
	left    []string
	answers map[string]func(context.Context, json.RawMessage) (any, error)
}

type toApplier struct{ *node }

func (n toApplier) Ask(_ context.Context, _, _ string, _, out any) error {
	if n.down {
		return fault.New(fault.Unavailable, "away").WithCode(unbound.Unavailable)
	}
	if s, is := out.(*unbound.Counted); is {
		s.Lately = n.lately
	}
	return nil
}

func (n toApplier) States(context.Context) ([]apply.State, error) {
	s := apply.State{Component: "dns"}
	for _, subject := range n.left {
		s.Problems = append(s.Problems, daemon.Problem{Subject: subject})
	}
	return []apply.State{s}, nil
}

type toScheduler struct{ *node }

func (n toScheduler) Ask(ctx context.Context, channel string, in, out any) error {
	answer := n.answers[channel]
	if answer == nil {
		return db.ErrUnanswered
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	said, err := answer(ctx, body)
	if err != nil {
		return db.ErrUnanswered // which is all that whoever asked hears
	}
	line, err := json.Marshal(said)
	if err != nil {
		return err
	}
	return json.Unmarshal(line, out)
}

// mute is a port where nobody answers.
func mute(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return strings.ReplaceAll(conn.LocalAddr().String(), ":", "@")
}

// refuses is a server that resolves nothing.
func refuses(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	s := &mdns.Server{PacketConn: conn, NotifyStartedFunc: func() { close(started) }, Handler: mdns.HandlerFunc(func(w mdns.ResponseWriter, r *mdns.Msg) {
		_ = w.WriteMsg(new(mdns.Msg).SetRcode(r, mdns.RcodeRefused))
	})}
	go func() { _ = s.ActivateAndServe() }()
	<-started
	t.Cleanup(func() { _ = s.Shutdown() })
	return strings.ReplaceAll(conn.LocalAddr().String(), ":", "@")
}

func TestAZoneIsServedWhileItsForwardersAnswer(t *testing.T) {
	r, n := dnstest.New(t), &node{}
	upstream := dnstest.NewUpstream(t, func(mdns.Question) []mdns.RR { return nil }) // it knows no name, and says so
	silent, refused := mute(t), refuses(t)
	zones := map[string]string{
		"own":      r.Zone("own.arpa"),
		"good":     r.Zone("good.arpa", upstream.Forward()),
		"slow":     r.Zone("slow.arpa", silent, upstream.Forward()),
		"dead":     r.Zone("dead.arpa", silent),
		"refused":  r.Zone("refused.arpa", refused),
		"careless": r.Zone("careless.arpa", upstream.Forward(), refused),
	}
	c := dns.New(dns.Options{DB: r.Pool, Applier: toApplier{n}, Questions: toScheduler{n}})
	find := func(want map[string]string) problem.Report {
		t.Helper()
		found, err := c.Problems.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for name, id := range zones {
			if got := found.States["dns_zone"][id].State; got != want[name] {
				t.Errorf("zone %s is %q, want %q", name, got, want[name])
			}
		}
		return found
	}

	unknown := map[string]string{"good": "unknown", "slow": "unknown", "dead": "unknown", "refused": "unknown", "careless": "unknown"}
	if found := find(unknown); len(found.Problems) != 0 {
		t.Errorf("without the scheduler there are problems: %+v", found.Problems)
	}
	n.answers = dns.New(dns.Options{DB: r.Pool}).Answers
	for range 10 { // beside others a look may end before a silent forwarder was waited for: then it is not known yet
		report, err := c.Problems.Find(t.Context())
		if err != nil || report.States["dns_zone"][zones["dead"]].State != "unknown" && report.States["dns_zone"][zones["slow"]].State != "unknown" {
			break
		}
	}
	found := find(map[string]string{"slow": "degraded", "dead": "down", "refused": "down", "careless": "degraded"})
	var said []string
	for _, p := range found.Problems {
		said = append(said, string(p.Severity)+" "+p.Code+" "+p.Subject.Kind+" "+p.Subject.Name)
		if p.Code == "dns.forwarder_silent" && p.AffectsTotal != 2 {
			t.Errorf("a silent forwarder affects %+v, want both of its zones", p.Affects)
		}
	}
	want := "warning dns.forwarder_fails dns_zone careless.arpa, error dns.forwarder_fails dns_zone refused.arpa, error dns.forwarder_silent forwarder " + silent
	if got := strings.Join(said, ", "); got != want {
		t.Errorf("problems are\n%s, want\n%s", got, want)
	}
	find(map[string]string{"slow": "degraded", "dead": "down", "refused": "down", "careless": "degraded"})
	if n := upstream.Asked("good.arpa.", "SOA"); n == 0 || n > 2 {
		t.Errorf("a good forwarder was asked %d times in two looks", n)
	}

	n.left = []string{"zone good.arpa"}
	find(map[string]string{"good": "not_applied", "slow": "degraded", "dead": "down", "refused": "down", "careless": "degraded"})
	n.left, n.down = nil, true
	find(map[string]string{"own": "down", "good": "down", "slow": "down", "dead": "down", "refused": "down", "careless": "down"})
	r.Settings(object{"enabled": false})
	find(map[string]string{"own": "off", "good": "off", "slow": "off", "dead": "off", "refused": "off", "careless": "off"})
}

// On a quiet network the counters say it late, and that it is over later still.
func TestAFailedQueryHasTheResolverTried(t *testing.T) {
	r, n := dnstest.New(t), &node{}
	var asked []string
	tried := unbound.Lately{}
	answer := func(_ context.Context, in json.RawMessage) (any, error) {
		asked = append(asked, string(in))
		return map[string]any{"tried": tried}, nil
	}
	c := dns.New(dns.Options{DB: r.Pool, Applier: toApplier{n}, Questions: toScheduler{n}})
	for _, step := range []struct {
		name          string
		lately, tried unbound.Lately
		away          bool // the scheduler
		asked         bool
		state         string
	}{
		{name: "nobody asked anything"},
		{name: "all was resolved", lately: unbound.Lately{Queries: 9}},
		{name: "some names are always broken", lately: unbound.Lately{Queries: 9, Failed: 4}},
		{name: "one failed, and the next do too", lately: unbound.Lately{Queries: 1, Failed: 1}, tried: unbound.Lately{Queries: 5, Failed: 4}, asked: true, state: "degraded"},
		{name: "many failed, and no more do", lately: unbound.Lately{Queries: 9, Failed: 9}, tried: unbound.Lately{Queries: 5}, asked: true},
		{name: "many failed, and it cannot be tried", lately: unbound.Lately{Queries: 9, Failed: 9}, asked: true, state: "degraded"},
		{name: "many failed, and nobody tries", lately: unbound.Lately{Queries: 9, Failed: 9}, away: true, state: "degraded"},
		{name: "it was restarted, and nobody asks", asked: true, state: "degraded"},
		{name: "some ask, and are answered", lately: unbound.Lately{Queries: 2}},
		{name: "many failed again", lately: unbound.Lately{Queries: 9, Failed: 9}, tried: unbound.Lately{Queries: 5, Failed: 5}, asked: true, state: "degraded"},
		{name: "only names of the own network are asked", lately: unbound.Lately{Queries: 9}, tried: unbound.Lately{Queries: 5, Failed: 5}},
		{name: "one failed, and nobody tries", lately: unbound.Lately{Queries: 1, Failed: 1}, away: true},
	} {
		n.lately, tried, asked, n.answers = step.lately, step.tried, nil, nil
		if !step.away {
			n.answers = map[string]func(context.Context, json.RawMessage) (any, error){"dns_forwarders": answer}
		}
		found, err := c.Problems.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := found.States["resolver"]["dns"].State; got != step.state || (len(found.Problems) == 1) != (step.state != "") || (len(asked) > 0) != step.asked {
			t.Errorf("%s: the resolver is %q with %d problems, asked %v; want %q", step.name, got, len(found.Problems), asked, step.state)
		}
	}
}

func TestAZoneThatTheResolverDoesNotHaveIsNotApplied(t *testing.T) {
	r, n := dnstest.New(t), &node{}
	zone, other := r.Zone("own.arpa"), r.Zone("other.arpa")
	record := r.Record(zone, "www", "A", "192.0.2.1")
	r.Do("DELETE", "/dns/records/"+record, nil).Want(200)
	if _, err := r.Pool.Exec(t.Context(), `insert into change_applies (change_id, component, state)
		select id, 'dns', 'failed' from changes where action = 'dns.record.delete'`); err != nil {
		t.Fatal(err)
	}
	found, err := dns.New(dns.Options{DB: r.Pool, Applier: toApplier{n}, Questions: toScheduler{n}}).Problems.Find(t.Context())
	states := found.States["dns_zone"]
	if err != nil || states[zone].State != "not_applied" || states[other].State != "" {
		t.Errorf("states are %v, %v, want that with the deleted record, which is still answered, not applied", states, err)
	}
}
