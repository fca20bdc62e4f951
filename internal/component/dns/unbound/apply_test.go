package unbound_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	mdns "github.com/miekg/dns"

	"gateway/internal/api/apitest"
	"gateway/internal/component/dns/dnstest"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/daemon"
	"gateway/tools/bar"
)

// running is what unbound serves by itself, in our spelling and order.
func (r *rig) running() []string {
	r.T.Helper()
	lines, err := r.Unbound.Client.Data(r.T.Context())
	if err != nil {
		r.T.Fatal(err)
	}
	var out []string
	for _, l := range lines {
		out = append(out, unbound.PrintRecord(dnstest.MustRR(l)))
	}
	slices.Sort(out)
	return out
}

// wanted is what the file says.
func (r *rig) wanted() []string {
	out := unbound.Records(r.Installed)
	slices.Sort(out)
	return out
}

// same holds the running state against the file; builtin is what unbound has of its own.
func (r *rig) same(builtin []string) {
	r.T.Helper()
	got := slices.DeleteFunc(r.running(), func(s string) bool { _, found := slices.BinarySearch(builtin, s); return found })
	if d := cmp.Diff(got, r.wanted()); d != "" {
		r.T.Fatalf("what runs is not what is installed:\n%s", d)
	}
}

// walker makes changes at random, through the API.
type walker struct {
	*rig
	rnd     *rand.Rand
	zoneIDs []string
	taken   map[string]int // answers by status
}

func (w *walker) step() {
	w.T.Helper()
	zone := w.zoneIDs[w.rnd.IntN(len(w.zoneIDs))]
	body := object{"zone_id": zone, "name": w.pick("@", "a", "b", "c", "a.b", "x.c", "out.example.org."), "ttl": 60 * (1 + w.rnd.IntN(3))}
	typ := w.pick("A", "A", "A", "A", "AAAA", "AAAA", "TXT", "MX", "CNAME", "SRV", "CAA")
	body["type"], body["value"] = typ, map[string]string{
		"A": fmt.Sprintf("192.0.2.%d", w.rnd.IntN(4)), "AAAA": fmt.Sprintf("2001:db8::%d", w.rnd.IntN(3)),
		"TXT": w.pick("plain", `with "quotes" and \`, `"two" "strings"`, strings.Repeat("ä", 300)), "MX": fmt.Sprintf("%d %s", w.rnd.IntN(2), w.pick("a", "b.example.net")),
		"CNAME": w.pick("a", "b", "elsewhere.example"), "SRV": "1 2 3 " + w.pick("a", "."), "CAA": `0 issue "` + w.pick(";", "ca.example") + `"`,
	}[typ]
	var a apitest.Answer
	switch ids := w.ids(); {
	case len(ids) < 5 || w.rnd.IntN(10) < 4:
		a = w.Do("POST", "/dns/records", body)
	case w.rnd.IntN(10) < 6:
		a = w.Do("PUT", "/dns/records/"+ids[w.rnd.IntN(len(ids))], body)
	default:
		a = w.Do("DELETE", "/dns/records/"+ids[w.rnd.IntN(len(ids))], nil)
	}
	w.taken[fmt.Sprint(a.Status)]++
	if a.Status >= 500 {
		w.T.Fatalf("%v: %+v", body, a)
	}
}

func (w *walker) pick(words ...string) string { return words[w.rnd.IntN(len(words))] }

func (w *walker) ids() []string {
	rows, err := w.Pool.Query(w.T.Context(), `select id::text from dns_records order by fqdn, type, value`)
	if err != nil {
		w.T.Fatal(err)
	}
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			w.T.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

func TestWhatRunsIsWhatIsInstalledAfterRandomChanges(t *testing.T) {
	changes := bar.GateSize(200, 500, 500)
	r := newRig(t, "")
	r.Settings(object{"upstream_forwards": []string{dnstest.NewUpstream(t, dnstest.World).Forward()}})
	r.MustSync()
	builtin := r.running()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	w := &walker{rig: r, rnd: rand.New(rand.NewPCG(seed, 0)), zoneIDs: []string{r.Zone("example.com"), r.Zone("c.example.com")}, taken: map[string]int{}}
	told, applied := 0, 0
	for range changes {
		w.step()
		if w.rnd.IntN(4) == 0 { // now and then several changes come at once
			w.step()
		}
		before := r.Installed.Hash()
		r.resolver.Pushed().Store(1 << 10)
		r.MustSync()
		if before == r.Installed.Hash() {
			continue
		}
		if applied++; r.resolver.Pushed().Load() > 1<<10 {
			told++
		}
		r.same(builtin)
	}
	t.Logf("answers %v; %d applied, %d of them by telling; unbound started %d times", w.taken, applied, told, r.Unbound.Restarted())
	if r.Unbound.Restarted() != 1 || told < applied/4 || told == applied || w.taken["409"] == 0 {
		t.Error("the changes were not of every kind, or unbound was restarted")
	}
	// The next start gives the same.
	if err := r.Unbound.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.same(builtin)
}

func TestWhatCannotBeToldIsReadAnew(t *testing.T) {
	r := newRig(t, "")
	zone := r.Zone("example.com")
	id := r.Record(zone, "www", "A", "192.0.2.1")
	r.MustSync()
	builtin := slices.DeleteFunc(r.running(), func(s string) bool { return strings.HasPrefix(s, "www.") })
	put := func(id, value string, ttl int) {
		t.Helper()
		r.Do("PUT", "/dns/records/"+id, object{"zone_id": zone, "name": "www", "type": "A", "value": value, "ttl": ttl}).Want(http.StatusOK)
	}
	for _, tc := range []struct {
		name string
		told bool
		do   func()
	}{
		{"a value is told", true, func() { put(id, "192.0.2.2", 3600) }},
		{"the time to live of a name's only record is not", false, func() { put(id, "192.0.2.2", 60) }},
		{"a second record is told", true, func() { r.Record(zone, "www", "A", "192.0.2.3") }},
		{"now the time to live is told", true, func() { put(id, "192.0.2.2", 90) }},
		{"another type is told", true, func() { r.Record(zone, "www", "TXT", "hello") }},
		{"the last of a type is told", true, func() { r.Do("DELETE", "/dns/records/"+r.Find("www.example.com.", "TXT"), nil) }},
		{"long text is not", false, func() { r.Record(zone, "www", "TXT", strings.Repeat("ü", 600)) }},
		{"a new name is told", true, func() { r.Record(zone, "web", "CNAME", "www") }},
		{"another target is not", false, func() {
			r.Record(zone, "host", "A", "192.0.2.8")
			r.Do("PUT", "/dns/records/"+r.Find("web.example.com.", "CNAME"), object{"zone_id": zone, "name": "web", "type": "CNAME", "value": "host"}).Want(http.StatusOK)
		}},
		{"a name that goes is told", true, func() { r.Do("DELETE", "/dns/records/"+r.Find("web.example.com.", "CNAME"), nil) }},
		{"a name in no zone is not", false, func() { r.Record(zone, "a.example.org.", "A", "192.0.2.1") }},
		{"a zone is not", false, func() { r.Zone("other.example") }},
		{"many at once are not", false, func() { r.Fill(zone, "example.com", unbound.MaxLines+1) }},
		{"nothing is nothing", false, func() {}},
	} {
		tc.do()
		r.resolver.Pushed().Store(1)
		r.MustSync()
		if told := r.resolver.Pushed().Load() > 1; told != tc.told {
			t.Errorf("%s: told = %t", tc.name, told)
		}
		r.same(builtin)
	}
	r.resolver.Pushed().Store(unbound.MaxPushed)
	put(id, "192.0.2.9", 90)
	if r.MustSync(); r.resolver.Pushed().Load() != 0 {
		t.Error("what unbound never gives back grows without end")
	}
	r.same(builtin)
}

// With several threads, unbound takes a single record away under the others' eyes.
func TestSeveralThreadsAreNotTrusted(t *testing.T) {
	r := newRig(t, "server:\n\tnum-threads: 2\n")
	zone := r.Zone("example.com")
	id := r.Record(zone, "www", "A", "192.0.2.1")
	r.MustSync()
	r.resolver.Pushed().Store(1)
	r.Record(zone, "www", "A", "192.0.2.2")
	if r.MustSync(); r.resolver.Pushed().Load() != 2 {
		t.Error("a new record was not told")
	}
	r.Do("DELETE", "/dns/records/"+id, nil).Want(http.StatusOK)
	if r.MustSync(); r.resolver.Pushed().Load() != 0 {
		t.Error("a single record was removed")
	}
	if got := r.Unbound.Ask("www.example.com", "A"); got != "NOERROR | A 192.0.2.2" {
		t.Errorf("got %s", got)
	}
}

func TestUnboundIsStartedWhenItIsDown(t *testing.T) {
	r := newRig(t, "")
	zone := r.Zone("example.com")
	r.MustSync()
	for i, kill := range []bool{false, true, true} {
		if kill {
			r.Unbound.Stop()
		}
		r.Record(zone, "www", "A", fmt.Sprintf("192.0.2.%d", i))
		r.MustSync()
		if got := r.Unbound.Ask("www.example.com", "A"); strings.Count(got, "192.0.2.") != i+1 {
			t.Errorf("%d: %s", i, got)
		}
	}
	if n := r.Unbound.Restarted(); n != 3 {
		t.Errorf("started %d times, want 3", n)
	}
	// Nobody knows what it runs on: it reads its files.
	if _, err := r.Unbound.Client.Do(t.Context(), "local_data stray.example.com. IN A 192.0.2.66"); err != nil {
		t.Fatal(err)
	}
	if err := r.Daemon.Apply(t.Context(), daemon.Rendering{}, r.Installed); err != nil {
		t.Fatal(err)
	}
	if got := r.Unbound.Ask("stray.example.com", "A"); strings.Contains(got, "192.0.2.66") || r.Unbound.Restarted() != 3 {
		t.Errorf("got %s after %d starts", got, r.Unbound.Restarted())
	}
}

// Somebody else may have told unbound something, or taken something from it.
func TestATellingThatFailsIsMadeGood(t *testing.T) {
	r := newRig(t, "")
	zone := r.Zone("example.com")
	a, _ := r.Record(zone, "www", "A", "192.0.2.1"), r.Record(zone, "www", "A", "192.0.2.2")
	r.MustSync()
	if err := r.Unbound.Client.RemoveData(t.Context(), []string{"www.example.com."}); err != nil {
		t.Fatal(err)
	}
	r.Do("DELETE", "/dns/records/"+a, nil).Want(http.StatusOK)
	r.MustSync()
	if got := r.Unbound.Ask("www.example.com", "A"); got != "NOERROR | A 192.0.2.2" {
		t.Errorf("got %s", got)
	}
}

func TestSettingsTakeEffect(t *testing.T) {
	general := dnstest.NewUpstream(t, dnstest.World)
	r := newRig(t, "")
	r.MustSync()
	r.Settings(object{"upstream_forwards": []string{general.Forward()}})
	r.MustSync()
	ttl := func() uint32 {
		t.Helper()
		m, err := r.Unbound.Query("www.example.org", mdns.TypeA)
		if err != nil || len(m.Answer) != 1 {
			t.Fatalf("%v, %v", m, err)
		}
		return m.Answer[0].Header().Ttl
	}
	if got := ttl(); got < 290 || got > 300 {
		t.Errorf("time to live = %d, want the upstream's", got)
	}
	r.Settings(object{"cache_max_ttl": 30})
	r.MustSync()
	if got := ttl(); got > 30 {
		t.Errorf("time to live = %d, want 30 at most", got)
	}
	r.Settings(object{"cache_min_ttl": 900, "cache_max_ttl": 900})
	r.MustSync()
	if got := ttl(); got < 890 {
		t.Errorf("time to live = %d, want 900", got)
	}
	if n := r.Unbound.Restarted(); n != 1 {
		t.Errorf("started %d times for that, want once", n)
	}
	// Sockets are for a restart.
	r.Settings(object{"listen_addresses": []string{"127.0.0.1", "127.0.0.2", "192.0.2.200"}})
	r.MustSync()
	m := new(mdns.Msg).SetQuestion("www.example.org.", mdns.TypeA)
	if _, err := mdns.Exchange(m, fmt.Sprintf("127.0.0.2:%d", r.Unbound.Port)); err != nil {
		t.Error(err)
	}
	r.Settings(object{"listen_addresses": []string{"0.0.0.0"}})
	r.MustSync()
	answer, err := mdns.Exchange(m, fmt.Sprintf("127.0.0.3:%d", r.Unbound.Port))
	if err != nil || len(answer.Answer) != 1 {
		t.Errorf("an answer from another address: %v %v", answer, err)
	}
	if n := r.Unbound.Restarted(); n != 3 {
		t.Errorf("started %d times, want 3", n)
	}
	// Also when nobody knows what it runs on.
	r.Settings(object{"listen_addresses": []string{"127.0.0.1", "127.0.0.4"}})
	r.Forget()
	r.MustSync()
	if _, err := mdns.Exchange(m, fmt.Sprintf("127.0.0.4:%d", r.Unbound.Port)); err != nil || r.Unbound.Restarted() != 4 {
		t.Errorf("%v after %d starts", err, r.Unbound.Restarted())
	}
}

func TestAFailedRestartIsAnError(t *testing.T) {
	r := newRig(t, "")
	d := unbound.New(unbound.Options{Units: broken{}, Socket: r.Unbound.Client.Path})
	if err := d.Apply(t.Context(), daemon.Rendering{}, r.Rendered()); !errors.Is(err, errBroken) {
		t.Errorf("err = %v, want the unit's", err)
	}
	if err := d.Apply(t.Context(), daemon.Rendering{}, daemon.Rendering{}); err == nil {
		t.Error("nothing was applied")
	}
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Restart(context.Context, string) error { return errBroken }
