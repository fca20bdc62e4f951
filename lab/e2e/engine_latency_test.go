package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"

	"gateway/internal/component/dns/control"
	"gateway/tools/bar"
)

const (
	stored  = 10000
	perTurn = 2000 // queries per second
)

// latency measures how long a record takes from the request to the answer.
type latency struct {
	*appliance
	caller *caller
	zone   string
	direct control.Client // straight to unbound

	ours, bare      []time.Duration
	asked, unhappy  atomic.Int64
	applies, posted int
	firstUnhappy    atomic.Pointer[string]
}

func TestBarEngine08Latency(t *testing.T) {
	a, c := alone(t)
	l := &latency{appliance: a, caller: c}
	a.opened(l.caller)
	l.fill()
	socket, err := a.node.HostPath(control.Socket)
	if err != nil {
		t.Fatal(err)
	}
	l.direct = control.Client{Path: socket}
	n := bar.Size(60, 200)
	defer func() {
		ours, bare := percentile(l.ours, 0.5), percentile(l.bare, 0.5)
		figure := fmt.Sprintf("%.1f ms with us, %.1f ms straight at %d records, median of %d; %d of %d queries failed; %d changes at once in %d applies",
			ms(ours), ms(bare), stored, len(l.ours), l.unhappy.Load(), l.asked.Load(), l.posted, l.applies)
		if first := l.firstUnhappy.Load(); first != nil {
			t.Logf("the first failed query: %s", *first)
		}
		// A round begins half a second after the first change at the latest, so how many share one is a matter of speed.
		right := !t.Failed() && len(l.ours) == n && l.unhappy.Load() == 0 && l.asked.Load() > 1000 && l.applies <= l.posted/4
		bar.ReportTimed(t, "engine", 8, figure, "<=40.0 ms added, 0 failed, <=3 applies", right, ours-bare <= 40*time.Millisecond && l.applies <= 3)
	}()
	for i := range n {
		l.ours = append(l.ours, l.throughAPI(i))
		l.bare = append(l.bare, l.straight(i))
	}
	l.underLoad(bar.Size(60, 200))
	l.atOnce(100)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// fill stores records past the API, which is about something else, and has them applied.
func (l *latency) fill() {
	l.t.Helper()
	l.zone = l.caller.post("/dns/zones", object{"name": "many.arpa", "forward_to": []string{}}).want(201).id()
	l.sql("gateway", fmt.Sprintf(`begin; `+asChange+`;
		insert into dns_records (id, revision, created_at, updated_at, zone_id, name, type, value, ttl, fqdn)
		select gen_random_uuid(), 1, now(), now(), '%s', 'r' || n, 'A', '192.0.2.' || (n %% 250 + 1), 60, 'r' || n || '.many.arpa.' from generate_series(1, %d) n; commit; analyze dns_records`, l.zone, stored))
	l.caller.post("/system/render-configs", nil).want(200)
	l.eventually(patience, "the last record is served", func() bool { return l.dig(fmt.Sprintf("r%d.many.arpa", stored), "A") != "" })
}

// resolver asks the node over one socket of the client's.
type resolver struct{ conn *dns.Conn }

func (l *latency) resolver() resolver {
	l.t.Helper()
	raw, err := l.client.DialContext(l.t.Context(), "udp", net.JoinHostPort(l.node.IP().String(), "53"))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = raw.Close() })
	return resolver{&dns.Conn{Conn: raw}}
}

// ask returns the address of a name, or "".
func (r resolver) ask(name string) (string, error) {
	m := new(dns.Msg).SetQuestion(name, dns.TypeA)
	if err := r.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	if err := r.conn.WriteMsg(m); err != nil {
		return "", err
	}
	for {
		answer, err := r.conn.ReadMsg()
		if err != nil {
			return "", err
		}
		if answer.Id != m.Id {
			continue
		}
		if len(answer.Answer) == 0 {
			return "", nil
		}
		if a, ok := answer.Answer[0].(*dns.A); ok {
			return a.A.String(), nil
		}
		return "", nil
	}
}

// until asks for a name until it has the address. Asking without a pause would take the
// very processor that is to bring it.
func (r resolver) until(ctx context.Context, name, address string) error {
	for ctx.Err() == nil {
		if got, err := r.ask(name); err == nil && got == address {
			return nil
		}
		time.Sleep(500 * time.Microsecond)
	}
	return ctx.Err()
}

// throughAPI changes a record's address by the API: from the request until it is answered.
func (l *latency) throughAPI(i int) time.Duration {
	l.t.Helper()
	name, address := fmt.Sprintf("api%d", i), fmt.Sprintf("198.51.100.%d", i%250+1)
	return l.timed(name, address, func() error {
		r, err := l.caller.try("POST", "/dns/records", object{"zone_id": l.zone, "name": name, "type": "A", "value": address, "ttl": 60})
		if err == nil && r.status != 201 {
			err = fmt.Errorf("answered %v", r)
		}
		return err
	})
}

// straight says the same to unbound itself.
func (l *latency) straight(i int) time.Duration {
	l.t.Helper()
	name, address := fmt.Sprintf("bare%d", i), fmt.Sprintf("198.51.100.%d", i%250+1)
	return l.timed(name, address, func() error {
		_, err := l.direct.Do(l.t.Context(), "local_datas", name+".many.arpa. 60 IN A "+address)
		return err
	})
}

func (l *latency) timed(name, address string, change func() error) time.Duration {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	r := l.resolver()
	began := time.Now()
	failed := make(chan error, 1)
	go func() { failed <- change() }()
	if err := r.until(ctx, name+".many.arpa.", address); err != nil {
		l.t.Errorf("%s: %v", name, err)
	}
	took := time.Since(began)
	if err := <-failed; err != nil {
		l.t.Errorf("%s: %v", name, err)
	}
	return took
}

// underLoad changes records while others ask, and counts what they do not get.
func (l *latency) underLoad(changes int) {
	l.t.Helper()
	ctx, cancel := context.WithCancel(l.t.Context())
	var wg sync.WaitGroup
	const sockets = 8
	for i := range sockets {
		r := l.resolver()
		wg.Go(func() { l.query(ctx, r, rand.New(rand.NewPCG(uint64(i), 9)), perTurn/sockets) })
	}
	var rows []struct{ ID, Name, Value string }
	l.caller.get("/dns/records?limit=1000&q=api").want(200).decode(&rows)
	for i := range changes {
		row := rows[i%len(rows)]
		l.caller.put("/dns/records/"+row.ID, object{"zone_id": l.zone, "name": row.Name, "type": "A", "value": fmt.Sprintf("203.0.113.%d", i%250+1), "ttl": 60}).want(200)
	}
	cancel()
	wg.Wait()
}

// query asks at a steady rate, half of it for names that are being changed.
func (l *latency) query(ctx context.Context, r resolver, rnd *rand.Rand, rate int) {
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		name := fmt.Sprintf("r%d.many.arpa.", 1+rnd.IntN(stored))
		if rnd.IntN(2) == 0 {
			name = fmt.Sprintf("api%d.many.arpa.", rnd.IntN(len(l.ours)))
		}
		got, err := r.ask(name)
		l.asked.Add(1)
		if err != nil || got == "" {
			l.unhappy.Add(1)
			text := fmt.Sprintf("%s: %q, %v", name, got, err)
			l.firstUnhappy.CompareAndSwap(nil, &text)
		}
	}
}

// atOnce posts changes together and counts the rounds of the applier.
func (l *latency) atOnce(n int) {
	l.t.Helper()
	count := func() int {
		v, err := strconv.Atoi(strings.TrimSpace(l.sql("gateway", "select count(*) from applies where component = 'dns'")))
		if err != nil {
			l.t.Fatal(err)
		}
		return v
	}
	before := count()
	var wg sync.WaitGroup
	for i := range n {
		mine := l.caller.copy()
		wg.Go(func() {
			r, err := mine.try("POST", "/dns/records", object{"zone_id": l.zone, "name": fmt.Sprintf("once%d", i), "type": "A", "value": "192.0.2.9", "ttl": 60})
			if err != nil || r.status != 201 {
				l.t.Errorf("change %d: %v, %v", i, r, err)
			}
		})
	}
	wg.Wait()
	l.posted = n
	l.applies = count() - before
}
