package unbound_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mdns "github.com/miekg/dns"

	"gateway/tools/bar"
)

// asker asks for one name all the time, from several sockets, and counts what it gets.
type asker struct {
	asked, failed atomic.Int64
	worst         atomic.Int64 // nanoseconds
	first         sync.Once
	example       string
}

// start asks about rate times a second until the returned function is called.
func (r *rig) start(name string, qtype uint16, rate int) (*asker, func()) {
	r.T.Helper()
	a := &asker{}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	const sockets = 4
	for range sockets {
		conn, err := mdns.DialTimeout("udp", r.Unbound.Address(), time.Second)
		if err != nil {
			r.T.Fatal(err)
		}
		wg.Go(func() {
			defer conn.Close()
			tick := time.NewTicker(time.Second * sockets / time.Duration(rate))
			defer tick.Stop()
			for ctx.Err() == nil {
				a.one(conn, name, qtype)
				<-tick.C
			}
		})
	}
	return a, func() { cancel(); wg.Wait() }
}

func (a *asker) one(conn *mdns.Conn, name string, qtype uint16) {
	start := time.Now()
	_ = conn.SetDeadline(start.Add(2 * time.Second))
	m := new(mdns.Msg).SetQuestion(mdns.Fqdn(name), qtype)
	err := conn.WriteMsg(m)
	var answer *mdns.Msg
	for err == nil {
		if answer, err = conn.ReadMsg(); err == nil && answer.Id == m.Id {
			break
		}
	}
	a.asked.Add(1)
	for took := int64(time.Since(start)); ; {
		if w := a.worst.Load(); took <= w || a.worst.CompareAndSwap(w, took) {
			break
		}
	}
	if err != nil || answer.Rcode != mdns.RcodeSuccess || len(answer.Answer) == 0 {
		a.failed.Add(1)
		a.first.Do(func() { a.example = fmt.Sprint(err, answer) })
	}
}

// A name that has records before and after a change has them in between, too.
func TestNoQueryFailsWhileRecordsChange(t *testing.T) {
	const rate = 2000
	records, changes := bar.GateSize(2000, 10_000, 10_000), bar.GateSize(100, 200, 200)
	r := newRig(t, "")
	zone := r.Zone("example.com")
	r.Fill(zone, "example.com", records)
	id := r.Record(zone, "busy", "A", "192.0.2.1")
	r.MustSync()
	put := func(value string, ttl int) {
		r.Do("PUT", "/dns/records/"+id, object{"zone_id": zone, "name": "busy", "type": "A", "value": value, "ttl": ttl}).Want(http.StatusOK)
	}
	a, stop := r.start("busy.example.com", mdns.TypeA, rate)
	var told, read []time.Duration
	beside, value := "", ""
	for i := range changes {
		switch i % 5 {
		case 0, 1, 2: // another value, each time
			value = fmt.Sprintf("192.0.2.%d", 2+i%7)
			put(value, 3600)
		case 3: // another record beside it, of this type or another
			beside = r.Record(zone, "busy", []string{"A", "TXT"}[i/5%2], []string{"192.0.2.99", "text"}[i/5%2])
		case 4:
			r.Do("DELETE", "/dns/records/"+beside, nil).Want(http.StatusOK)
			if i%50 == 49 { // its time to live, which it cannot be told
				put(value, 60+i)
			}
		}
		r.resolver.Pushed().Store(1)
		start := time.Now()
		r.MustSync()
		if took := time.Since(start); r.resolver.Pushed().Load() > 1 {
			told = append(told, took)
		} else {
			read = append(read, took)
		}
	}
	stop()
	t.Logf("%d records, %d changes: told %d, %s; read anew %d, %s; %d queries, slowest %s, failed %d",
		records, changes, len(told), median(told), len(read), median(read), a.asked.Load(), time.Duration(a.worst.Load()), a.failed.Load())
	if a.failed.Load() != 0 || len(read) != changes/50 || len(told) < changes/2 || a.asked.Load() < 1000 {
		t.Errorf("%d of %d queries failed, for example: %s", a.failed.Load(), a.asked.Load(), a.example)
	}
	r.control()
}

func median(d []time.Duration) string {
	if len(d) == 0 {
		return "never"
	}
	slices.Sort(d)
	return fmt.Sprintf("median %s", d[len(d)/2])
}

// control shows that the askers would have seen it: a name removed and added again, the
// plain way, is gone for a moment. One that saw it is enough.
func (r *rig) control() {
	r.T.Helper()
	a, stop := r.start("busy.example.com", mdns.TypeA, 4000)
	mine := slices.DeleteFunc(r.wanted(), func(s string) bool { return !strings.HasPrefix(s, "busy.") })
	times := 0
	for ; times < 1000 && a.failed.Load() == 0; times++ {
		if err := r.Unbound.Client.RemoveData(r.T.Context(), []string{"busy.example.com."}); err != nil {
			r.T.Fatal(err)
		}
		if err := r.Unbound.Client.AddData(r.T.Context(), mine); err != nil {
			r.T.Fatal(err)
		}
	}
	stop()
	r.T.Logf("control, removed and added %d times: %d of %d queries failed", times, a.failed.Load(), a.asked.Load())
	if a.failed.Load() == 0 {
		r.T.Error("the control shows no failure, so the test may not be able to")
	}
}
