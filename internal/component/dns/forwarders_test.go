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
	left    []string
	answers map[string]func(context.Context, json.RawMessage) (any, error)
}

type toApplier struct{ *node }

func (n toApplier) Ask(context.Context, string, string, any, any) error {
	if n.down {
		return fault.New(fault.Unavailable, "away").WithCode(unbound.Unavailable)
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

func (n toScheduler) Ask(ctx context.Context, channel string, _, out any) error {
	answer := n.answers[channel]
	if answer == nil {
		return db.ErrUnanswered
	}
	said, err := answer(ctx, nil)
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
