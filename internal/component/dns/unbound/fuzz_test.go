package unbound

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	mdns "github.com/miekg/dns"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/tools/bar"
)

// TestFuzzedRowsRender sends configurations full of hostile values through the API's
// judgement and holds what was taken against four things: unbound takes the file, the file
// says what the rows say, no value became a directive, and nothing was left out. Then it
// renders the same values past the API's judgement, where nothing but the last need hold.
func TestFuzzedRowsRender(t *testing.T) {
	n := bar.GateSize(200, 500, 20_000)
	seed := componenttest.FuzzSeed(t)
	g := generator{rand.New(rand.NewPCG(seed, seed))}
	d := New(Options{Exec: componenttest.Exec(t)})
	objects, refused, escaped, brokeOut, unnoticed := 0, 0, 0, 0, 0
	// Of what breaks out unbound takes little, so the control may need more of them.
	for i := 0; i < n || unnoticed == 0 && i < 10*n; i++ {
		m := g.model()
		s, no := m.stored()
		objects, refused = objects+1+len(m.Zones)+len(m.Records), refused+no
		out := render(s, &memo{})
		if len(out.Problems) > 0 {
			t.Errorf("taken, but left out: %+v", out.Problems)
		}
		holds(t, d, out)
		saysWhat(t, s, out)
		raw := render(m.raw(), &memo{})
		holds(t, d, raw)
		escaped += len(raw.Problems)
		if plain := g.unescaped(string(out.File(Path))); breaksOut(plain) {
			brokeOut++
			if componenttest.Check(t, d.Config, rendering(plain)) == nil {
				unnoticed++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: %#v", seed, m)
		}
	}
	t.Logf("seed %d: %d configurations, %d objects, %d refused, 0 bad; past the API %d values were left out; without escaping %d configurations broke out, and unbound would have taken %d of those",
		seed, n, objects, refused, escaped, brokeOut, unnoticed)
	if refused == 0 || refused == objects || escaped == 0 || unnoticed == 0 {
		t.Error("this shows nothing")
	}
}

// ours are all options that we ever write, with how many values each has.
var ours = map[string]int{
	"server": 0, "forward-zone": 0, "interface": 1, "interface-automatic": 1, "ip-freebind": 1, "access-control": 2, "cache-min-ttl": 1, "cache-max-ttl": 1,
	"module-config": 1, "qname-minimisation": 1, "prefetch": 1, "hide-identity": 1, "hide-version": 1, "extended-statistics": 1, "do-not-query-localhost": 1,
	"local-zone": 2, "domain-insecure": 1, "name": 1, "forward-addr": 1, "local-data": 1,
}

// foreign finds an option that we do not write, or not like that.
func foreignOption(text string) string {
	for _, o := range readConf(text) {
		if n, known := ours[o.name]; !known || n != len(o.values) {
			return fmt.Sprintf("%s: %q", o.name, o.values)
		}
		if o.name == "access-control" && (o.values[0] == canary || o.values[1] != "allow") {
			return "the canary"
		}
	}
	return ""
}

// holds is what must be true of any rows, however they came.
func holds(t *testing.T, d daemon.Daemon, out daemon.Rendering) {
	t.Helper()
	if err := componenttest.Check(t, d.Config, out); err != nil {
		t.Errorf("unbound does not take it: %v", err)
	}
	if o := foreignOption(string(out.File(Path))); o != "" {
		t.Errorf("the file has %s", o)
	}
	c := split(out)
	if _, inOrder := lines(c.records); !c.good || !inOrder {
		t.Error("the file is not in order")
	}
}

// saysWhat reads the file back and holds it against the rows.
func saysWhat(t *testing.T, s state, out daemon.Rendering) {
	t.Helper()
	var listen, acl, forward, data []string
	zone := ""
	for _, o := range readConf(string(out.File(Path))) {
		switch o.name {
		case "interface":
			listen = append(listen, o.values[0])
		case "access-control":
			acl = append(acl, network{netip.MustParsePrefix(o.values[0])}.String())
		case "name":
			zone = strings.TrimSuffix(o.values[0], ".")
		case "forward-addr":
			forward = append(forward, zone+" "+o.values[0])
		case "local-data":
			data = append(data, o.values[0])
		}
	}
	var wantForward []string
	for _, f := range s.settings.UpstreamForwards {
		wantForward = append(wantForward, " "+f)
	}
	for _, z := range s.zones {
		for _, f := range z.ForwardTo {
			wantForward = append(wantForward, z.Name+" "+f)
		}
	}
	// The order of zones means nothing, that of the servers of one does.
	byZone := func(a, b string) int {
		zoneA, _, _ := strings.Cut(a, " ")
		zoneB, _, _ := strings.Cut(b, " ")
		return strings.Compare(zoneA, zoneB)
	}
	slices.SortStableFunc(forward, byZone)
	slices.SortStableFunc(wantForward, byZone)
	everywhere := slices.Contains(s.settings.ListenAddresses, "0.0.0.0") || slices.Contains(s.settings.ListenAddresses, "::")
	if !everywhere && !slices.Equal(listen, s.settings.ListenAddresses) || everywhere && listen != nil {
		t.Errorf("listens on %v, want %v", listen, s.settings.ListenAddresses)
	}
	if !slices.Equal(acl, s.settings.AccessACL) || !slices.Equal(forward, wantForward) {
		t.Errorf("admits %v and forwards %v, want %v and %v", acl, forward, s.settings.AccessACL, wantForward)
	}
	sameRecords(t, s.records, data)
}

// sameRecords counts every record once; aliases may have another end and bring addresses.
func sameRecords(t *testing.T, rows []row, data []string) {
	t.Helper()
	alias, want := map[string]bool{}, map[string]int{}
	for _, r := range rows {
		if alias[r.FQDN] = r.Type == "CNAME"; !alias[r.FQDN] {
			want[fmt.Sprintln(r.FQDN, r.TTL, r.Type, r.Value)]++
		}
	}
	for _, text := range data {
		rr, err := mdns.NewRR(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		h := rr.Header()
		if alias[h.Name] {
			continue
		}
		want[fmt.Sprintln(h.Name, h.Ttl, mdns.TypeToString[h.Rrtype], OperatorValue(rr))]--
	}
	for record, n := range want {
		if n != 0 {
			t.Errorf("%d times too few: %s", n, record)
		}
	}
}

// breaksOut is for the control.
func breaksOut(text string) bool {
	o := foreignOption(text)
	return o == "the canary" || strings.HasPrefix(o, "include") || strings.HasPrefix(o, "forward-tls")
}

// The order in which rows were made does not show.
func TestTheFileDoesNotDependOnTheOrder(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	for range 20 {
		m := g.model()
		m.Records = slices.DeleteFunc(m.Records, func(r modelRecord) bool { return r.Type == "CNAME" }) // the first of two wins
		m.Zones = m.Zones[:1]
		s, _ := m.stored()
		want := string(render(s, &memo{}).File(Path))
		for range 5 {
			g.Shuffle(len(m.Records), func(i, j int) { m.Records[i], m.Records[j] = m.Records[j], m.Records[i] })
			again, _ := m.stored()
			if got := string(render(again, &memo{}).File(Path)); sameTTLs(got) != sameTTLs(want) {
				t.Fatalf("two orders, two files:\n%s\n%s", got, want)
			}
		}
	}
}

// sameTTLs blinds the times to live: of two equal records with different ones the first is taken.
func sameTTLs(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if e, ok := parseLine(strings.TrimSuffix(line, "\n")); ok {
			line = e.owner + e.typ + fileValue(e.rr)
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}
