package packetfilter

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestReachesFindsAPacket(t *testing.T) {
	ssh, web := ports(TCP, 22), ports(TCP, 80)
	for _, tc := range []struct {
		name     string
		query    Query
		kind, id string // of what lets it; none when nothing does
	}{
		{"a rule lets the inside out", Query{From: "lan", To: "wan"}, ByRule, "a3"},
		{"a rule before it takes a service away", Query{From: "lan", To: "wan", Services: ports(TCP, 25)}, "", ""},
		{"a service that is half taken away still passes", Query{From: "lan", To: "wan", Services: []Service{tcp(20, 25)}}, ByRule, "a3"},
		{"nothing leads from one zone to another", Query{From: "dmz", To: "lan"}, "", ""},
		{"a zone without an interface sends nothing", Query{From: "empty", To: Any}, "", ""},
		{"a port forward leads inside", Query{From: "wan", To: "dmz"}, ByTranslated, "c1"},
		{"a port forward is found by the port it arrives at", Query{From: "wan", To: "dmz", Services: web}, ByTranslated, "c1"},
		{"nothing arrives at the port that was sent to", Query{From: "wan", To: "dmz", Services: ports(TCP, 8080)}, "", ""},
		{"a port forward is found by the host behind it", Query{From: "wan", To: "dmz", Destination: some("10.2.0.6").Listed}, ByTranslated, "c2"},
		{"a port forward does not lead to the host beside it", Query{From: "wan", To: "dmz", Destination: some("10.2.0.7").Listed}, "", ""},
		{"a forwarded port does not reach the gateway", Query{From: "wan", To: Gateway, Services: ports(TCP, 8080)}, "", ""},
		{"a port forward leads nowhere else", Query{From: "wan", To: "lan"}, "", ""},
		{"a port forward does not lead from a blocked host", Query{From: "wan", To: "dmz", Source: some("203.0.113.1").Listed}, "", ""},
		{"management is reachable from everywhere", Query{From: "wan", To: Gateway, Services: ssh}, ByLockout, ""},
		{"an opening is for all", Query{From: "wan", To: Gateway, Services: ports(UDP, 53)}, ByOpening, ""},
		{"an opening is for one interface", Query{From: "lan", To: Gateway, Services: ports(UDP, 67)}, ByOpening, ""},
		{"an opening is not for another interface", Query{From: "wan", To: Gateway, Services: ports(UDP, 67)}, "", ""},
		{"a peer reaches the cache", Query{From: "wan", To: Gateway, Services: ports(TCP, 6379)}, ByPeer, ""},
		{"nobody else does", Query{From: "wan", To: Gateway, Services: ports(TCP, 6379), Source: some("10.1.0.3-10.1.0.255", "fd00::/8").Listed}, "", ""},
		{"what IPv6 itself needs does not count", Query{From: "wan", To: Gateway, Services: []Service{icmp6(-1)}}, "", ""},
		{"a tunnel leads everywhere", Query{From: Any, To: "lan", Source: some("10.9.0.0/24").Listed}, ByTunnel, ""},
		{"a rule to any leads to all zones and the gateway", Query{From: "lan", To: Any, Services: []Service{icmp(8)}, Source: some("10.1.0.0/24").Listed}, ByRule, "a5"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.query.Routes = officeRoutes()
			w, reaches, err := Reaches(office(), tc.query)
			if err != nil || reaches != (tc.kind != "") || w.Decided.Kind != tc.kind && reaches || w.Decided.ID != tc.id && reaches {
				t.Fatalf("%+v, %v, %v, want %s %s", w, reaches, err, tc.kind, tc.id)
			}
			if reaches {
				holdsUp(t, office(), tc.query, w)
			}
		})
	}
}

// holdsUp asks Explain about a witness.
func holdsUp(t *testing.T, p *Policy, q Query, w Witness) {
	t.Helper()
	got := Explain(p, w.Packet, w.route)
	if got.Verdict != Accept || got.Decided != w.Decided {
		t.Fatalf("explained: %s by %+v\nof %+v", got.Verdict, got.Decided, w)
	}
	if !q.holds(p, w.Packet, got) {
		t.Fatalf("%+v is not of the kind %+v", w, q)
	}
	if (got.Translated == nil || got.Translated.DNAT == Decider{}) != (w.Translated == nil) {
		t.Fatalf("translated: %+v, explained: %+v", w.Translated, got.Translated)
	}
}

func TestWitnessNamesWhatLeadsIt(t *testing.T) {
	p := office()
	p.Rules = append(p.Rules, Rule{ID: "a7", Name: "to the site", Priority: 30, From: "wan", To: "dmz", Services: ports(TCP, 80), Action: Accept})
	for _, tc := range []struct {
		name  string
		query Query
		want  string
	}{
		{"a rule alone", Query{From: "lan", To: "wan"}, `tcp from 192.0.2.1 on lan1 to 203.0.113.1:443 would be accepted by rule "out"`},
		{"a rule after a port forward", Query{From: "wan", To: "dmz"}, `tcp from 192.0.2.1 on wan0 to 198.51.100.1:8080, which NAT rule "site" translates to 10.2.0.5:80, would be accepted by rule "to the site"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.query.Routes = officeRoutes()
			if w, _, err := Reaches(p, tc.query); err != nil || w.String() != tc.want {
				t.Errorf("%s, %v, want %s", w, err, tc.want)
			}
		})
	}
}

func TestReachesKnowsWhatIsNeverTranslated(t *testing.T) {
	all := &Policy{
		Zones: map[string][]string{"wan": {"wan0"}, "dmz": {"dmz0"}},
		NAT:   []NAT{{ID: "c1", Kind: DNAT, In: "wan", Target: addr("fd02::5")}},
	}
	for _, tc := range []struct {
		name  string
		query Query
		want  bool
	}{
		{"a ping is", Query{Services: []Service{icmp6(128)}}, true},
		{"an answer to a ping is not", Query{Services: []Service{icmp6(129)}}, false},
		{"what is not tracked is not", Query{Services: []Service{icmp6(131)}}, false},
		{"what comes from an address of one link goes nowhere", Query{Source: some("fe80::/10").Listed}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.query.From, tc.query.To = "wan", "dmz"
			if w, got, err := Reaches(all, tc.query); err != nil || got != tc.want {
				t.Errorf("%+v, %v, %v, want %v", w, got, err, tc.want)
			}
		})
	}
}

func TestReachesWithoutRoutesExpectsTheWorst(t *testing.T) {
	w, reaches, err := Reaches(office(), Query{From: "wan", To: "lan"})
	if err != nil || !reaches || w.Decided.Kind != ByTranslated {
		t.Errorf("%+v, %v, %v, want a port forward, which may lead anywhere", w, reaches, err)
	}
}

func TestReachesSaysWhatItCannotAnswer(t *testing.T) {
	for _, tc := range []struct {
		name  string
		query Query
		want  string
	}{
		{"a zone that is not there", Query{From: "lan", To: "moon"}, `no zone "moon"`},
		{"what the gateway sends", Query{From: Gateway, To: "wan"}, "not filtered"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, _, err := Reaches(office(), tc.query); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

func TestReachesGivesUpInTheEnd(t *testing.T) {
	all := match{}.region(true)
	for name, spent := range map[string]work{"too many regions": {regions: maxRegions}, "too many comparisons": {compared: maxCompared}} {
		if _, found, err := spent.remainder(all, []region{all}); found || !errors.Is(err, errTooMuch) {
			t.Errorf("%s: %v, %v, want %v", name, found, err, errTooMuch)
		}
	}
}

// A list of blocked hosts is not gone through host by host.
func TestReachesDrawsBlockedHostsTogether(t *testing.T) {
	p := &Policy{Zones: map[string][]string{"a": {"a0"}, "b": {"b0"}}}
	for i, host := range []string{"10.0.0.2", "10.0.0.0", "10.0.0.3", "10.0.0.1"} {
		p.Rules = append(p.Rules, Rule{ID: "a" + strconv.Itoa(i), From: "a", To: Any, Source: some(host), Action: Drop})
	}
	s := search{query: Query{From: "a", To: "b"}, all: p, policy: p}
	w := s.way(s.groups("a")[0], s.groups("b")[0], true)
	if got := w.steps[len(w.steps)-1]; len(w.steps) != 2 || !slices.Equal(got.region.source, some("10.0.0.0/30").Listed.V4) {
		t.Errorf("%d steps, the last of them %+v", len(w.steps), got)
	}
}
