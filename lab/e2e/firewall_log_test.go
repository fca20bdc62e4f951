package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"gateway/tools/bar"
)

// logged is one event of the packet log, and logPage a message of the live one.
type (
	logged struct {
		Seq                                       int64
		Timestamp                                 time.Time
		RuleID                                    *string `json:"rule_id"`
		Action, Proto, Source, Destination, Chain string
		Interface                                 string
		Port, Size                                int
	}
	logPage struct {
		Events []logged
		Lost   int64
	}
)

// logReader is somebody who looks at the live log.
type logReader struct {
	conn         *websocket.Conn
	events, lost atomic.Int64
	ended        atomic.Bool
}

// read takes messages until the stream ends, with a pause after each while it is slow.
func (r *logReader) read(ctx context.Context, slow func() bool) {
	for {
		_, msg, err := r.conn.Read(ctx)
		if err != nil {
			r.ended.Store(true)
			return
		}
		// To decode them all would take the very processor that is measured.
		r.events.Add(int64(bytes.Count(msg, []byte(`"seq":`))))
		if !bytes.HasSuffix(bytes.TrimSpace(msg), []byte(`"lost":0}`)) {
			var page logPage
			if json.Unmarshal(msg, &page) == nil {
				r.lost.Add(page.Lost)
			}
		}
		if slow() {
			time.Sleep(700 * time.Millisecond)
		}
	}
}

// flow sends datagrams that a rule logs, a thousand a second while it is on.
type flow struct {
	on   atomic.Bool
	sent atomic.Int64
}

func (f *flow) run(ctx context.Context, conn net.Conn) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	began, due := time.Time{}, int64(0)
	for ctx.Err() == nil {
		<-tick.C
		if !f.on.Load() {
			began = time.Time{}
			continue
		}
		if began.IsZero() {
			began, due = time.Now(), 0
		}
		for ; due < time.Since(began).Milliseconds(); due++ {
			_, _ = conn.Write([]byte("logged")) // the rule drops it
			f.sent.Add(1)
		}
	}
}

const (
	readers  = 50
	overflow = 5 * time.Second
)

// liveLog measures changes with and without a busy log.
type liveLog struct {
	*border
	flow  *flow
	rule  string
	notes int

	all         []*logReader
	mute, slow  *logReader
	quiet, busy []time.Duration
	onFor       time.Duration
}

func TestBarFirewall09LiveLog(t *testing.T) {
	l := &liveLog{border: between(t), flow: &flow{}}
	l.rule = l.c.rule("loud", "lan", "any", "drop", object{"service_object_id": l.c.service("udp", 9997), "log": true})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer func() { cancel(); wg.Wait() }()
	l.open(ctx, &wg)
	conn, err := l.client.DialContext(ctx, "udp", netip.AddrPortFrom(l.node.IP(), 9997).String())
	l.lab.Must(err)
	defer conn.Close()
	wg.Go(func() { l.flow.run(ctx, conn) })
	l.phase(true, 4) // everybody is warm
	l.quiet, l.busy, l.onFor = nil, nil, 0
	l.flow.sent.Store(0)
	before := l.memory()
	phases := bar.Size(8, 60)
	for i := range phases {
		l.phase(i%2 == 1, 12)
	}
	used := l.cpu()
	l.flow.on.Store(true)
	time.Sleep(overflow)
	l.flow.on.Store(false)
	l.onFor += overflow
	t.Logf("a busy second takes %v", l.cpu().since(used, int(overflow.Seconds())))
	rate := float64(l.flow.sent.Load()) / l.onFor.Seconds()
	l.fallBehind(ctx, &wg)
	l.report(rate, l.memory()-before)
}

func (l *liveLog) report(rate float64, grown int64) {
	l.t.Helper()
	var got, lost, gone int64
	for _, r := range l.all {
		got, lost = got+r.events.Load(), lost+r.lost.Load()
		if r.ended.Load() {
			gone++
		}
	}
	quiet, busy := percentile(l.quiet, 0.5), percentile(l.busy, 0.5)
	ratio := float64(busy) / float64(quiet)
	figure := fmt.Sprintf("%.2f times (%.1f ms, without %.1f ms, median of %d) at %.0f events/s and %d readers; %d events read, %d lost by quick readers, %d of them gone; the slow one was told of %d; %+.1f MiB",
		ratio, ms(busy), ms(quiet), len(l.busy), rate, readers, got, lost, gone, l.slow.lost.Load(), float64(grown)/(1<<20))
	right := !l.t.Failed() && gone == 0 && got > int64(len(l.all))*l.flow.sent.Load()/2 && l.slow.lost.Load() > 0 && grown < 32<<20 && rate > 900
	bar.ReportTimed(l.t, "firewall", 9, figure, "<=1.10 times, losses told, <+32 MiB", right, ratio <= 1.10)
}

// open has 50 look, and one of them never reads.
func (l *liveLog) open(ctx context.Context, wg *sync.WaitGroup) {
	l.t.Helper()
	l.mute = &logReader{conn: l.c.socket("/firewall/log/live", nil, l.narrow)}
	for len(l.all) < readers-1 {
		r := &logReader{conn: l.c.socket("/firewall/log/live", nil)}
		l.all = append(l.all, r)
		wg.Go(func() { r.read(ctx, func() bool { return false }) })
	}
}

// narrow connects so that the kernel does not read in the reader's place.
func (l *liveLog) narrow(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := l.client.DialContext(ctx, network, addr)
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		err = tcp.SetReadBuffer(4 << 10)
	}
	return conn, err
}

// phase makes changes while the log is busy, or not.
func (l *liveLog) phase(busy bool, changes int) {
	l.t.Helper()
	began := time.Now()
	l.flow.on.Store(busy)
	time.Sleep(500 * time.Millisecond)
	for range changes {
		l.notes++
		took := l.c.do("PATCH", "/firewall/rules/"+l.rule, object{"note": fmt.Sprint(l.notes)}).want(200).took
		if busy {
			l.busy = append(l.busy, took)
		} else {
			l.quiet = append(l.quiet, took)
		}
	}
	l.flow.on.Store(false)
	if busy {
		l.onFor += time.Since(began)
	}
}

// fallBehind has one more look, who takes his time.
func (l *liveLog) fallBehind(ctx context.Context, wg *sync.WaitGroup) {
	l.t.Helper()
	// The kernel keeps megabytes for who does not read, which would take a minute to fill.
	l.run("sysctl", "-q", "-w", "net.ipv4.tcp_wmem=4096 16384 65536", "net.ipv4.tcp_rmem=4096 65536 65536")
	l.slow = &logReader{conn: l.c.socket("/firewall/log/live", nil, l.narrow)}
	wg.Go(func() { l.slow.read(ctx, l.flow.on.Load) })
	l.flow.on.Store(true)
	time.Sleep(overflow)
	l.flow.on.Store(false)
	l.eventually(patience, "the slow reader is told what it lost", func() bool { return l.slow.lost.Load() > 0 || l.slow.ended.Load() })
}

// memory is what the two processes hold that have to do with the log.
func (l *liveLog) memory() (sum int64) {
	l.t.Helper()
	for _, unit := range []string{"gateway-api.service", "gateway-apply.service"} {
		text := l.sh("awk '/^Rss:/{print $2}' /proc/" + l.mainPID(unit) + "/smaps_rollup")
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			l.t.Fatal(err)
		}
		sum += n << 10
	}
	return sum
}
