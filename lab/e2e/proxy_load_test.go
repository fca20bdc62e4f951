package e2e

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"gateway/internal/haproxy"
	"gateway/tools/bar"
)

// traffic is what goes on while sites are changed.
type traffic struct {
	*appliance
	c       *caller
	host    string
	sockets []*websocket.Conn

	requests, failed, cut atomic.Int64
	first                 atomic.Pointer[string] // that went wrong
}

const openSockets = 200

// shows T2
func TestBarProxy05UnderLoad(t *testing.T) {
	a, c := alone(t)
	m := &manySites{appliance: a, c: c}
	m.connect()
	one := a.origin("one")
	pool := c.pool(object{"websocket": true}, one, a.origin("two"))
	c.site("busy.example.com", pool, nil)
	x := &traffic{appliance: a, c: c, host: "busy.example.com"}
	x.openSockets()
	stop := x.start(8)
	time.Sleep(time.Second)
	before := m.memory()
	n := bar.GateSize(24, 60, 1000) // of every kind three
	reloads := a.reloads()
	ch := &changes{manySites: m, pool: pool, origin: one, rand: rand.New(rand.NewPCG(5, 5))}
	for i := range n {
		ch.once(i)
		if t.Failed() {
			break
		}
	}
	stop()
	reloads = a.reloads() - reloads
	// A connection that only waits holds its worker for half a minute, as HAProxy is told.
	a.eventually(patience+time.Minute, "old workers have ended", func() bool { return len(m.workers()) <= 4 })
	dropped, workers, grown := x.dropped(), len(m.workers()), m.memory()-before
	served, failed, cut := x.requests.Load(), x.failed.Load(), x.cut.Load()
	// The control: a restart in place of a reload is noticed.
	x.failed.Store(0)
	x.cut.Store(0)
	stop = x.start(8)
	a.run("systemctl", "restart", "haproxy")
	time.Sleep(time.Second)
	stop()
	control := x.failed.Load() + x.cut.Load() + int64(x.dropped())
	figure := fmt.Sprintf("%d changes (%d reloads, %d objects removed), %d requests, %d failed, %d connections closed in flight, %d of %d WebSockets dropped, %d workers, %+d MiB at the end; control by restart %d",
		n, reloads, ch.removed, served, failed, cut, dropped, openSockets, workers, grown>>20, control)
	if text := x.first.Load(); text != nil {
		t.Logf("the first that went wrong: %s", *text)
	}
	bar.Report(t, "proxy", 5, figure, "0 failed, 0 closed, 0 dropped, <=4 workers, <=+64 MiB, control > 0",
		failed+cut == 0 && dropped == 0 && workers <= 4 && grown <= 64<<20 && control > 0 && served > int64(n) && ch.removed >= 3 && !t.Failed())
}

// changes are of every kind, in turn.
type changes struct {
	*manySites
	pool   string
	origin *origin
	rand   *rand.Rand

	sites, servers, pools, certs []string
	removed                      int
}

func (ch *changes) once(i int) {
	ch.t.Helper()
	switch i % 8 {
	case 0, 4:
		ch.sites = append(ch.sites, ch.c.site(fmt.Sprintf("site%d.example.com", i), ch.pool, nil))
	case 1:
		site := ch.sites[ch.rand.IntN(len(ch.sites))]
		if r, err := ch.c.try("POST", "/domains/"+site+"/headers", object{"name": "X-Change", "value": strconv.Itoa(i)}); err != nil || r.status != 201 && r.status != 409 {
			ch.t.Errorf("a header: %v, %v", r, err)
		}
	case 2:
		body := ch.origin.in(ch.pool)
		body["name"] = fmt.Sprintf("extra-%d", i)
		ch.servers = append(ch.servers, ch.c.post("/backend-servers", body).want(201).id())
	case 3:
		server := ch.servers[ch.rand.IntN(len(ch.servers))]
		body := ch.origin.in(ch.pool)
		body["name"], body["weight"], body["drain"] = "extra-"+server[24:], ch.rand.IntN(256), ch.rand.IntN(4) == 0
		ch.c.put("/backend-servers/"+server, body).want(200)
	case 5:
		ch.certs = append(ch.certs, ch.c.post("/certificates", object{"names": []string{fmt.Sprintf("site%d.example.com", i)}, "source": "self_signed"}).want(201).id())
	case 6:
		ch.pools = append(ch.pools, ch.c.pool(nil))
	case 7:
		ch.remove()
	}
}

// remove keeps what there is from growing.
func (ch *changes) remove() {
	for path, ids := range map[string]*[]string{"/backends/": &ch.pools, "/backend-servers/": &ch.servers, "/certificates/": &ch.certs} {
		if len(*ids) > 1 {
			ch.c.do("DELETE", path+(*ids)[0], nil).want(200)
			ch.removed++
			*ids = (*ids)[1:]
		}
	}
}

func (m *manySites) workers() []haproxy.Worker {
	m.t.Helper()
	workers, err := m.master.Workers(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return workers
}

// memory is that of all of HAProxy's processes, shared pages counted once.
func (m *manySites) memory() int64 {
	m.t.Helper()
	out := m.sh(`for p in $(pgrep -x haproxy); do awk '/^Pss:/{print $2}' /proc/$p/smaps_rollup; done | awk '{s+=$1} END {print s}'`)
	n, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil {
		m.t.Fatal(err)
	}
	return n << 10
}

func (x *traffic) openSockets() {
	x.t.Helper()
	v := x.visitor(http1)
	for range openSockets {
		conn, err := v.upgrade("wss://" + x.host + "/socket")
		if err != nil {
			x.t.Fatal(err)
		}
		x.t.Cleanup(func() { _ = conn.CloseNow() })
		x.sockets = append(x.sockets, conn)
	}
}

// dropped are the WebSockets that do not echo any more.
func (x *traffic) dropped() int {
	n := 0
	for _, conn := range x.sockets {
		if !says(context.Background(), conn, "still there") {
			n++
		}
	}
	return n
}

// start has clients ask, each over a connection that it keeps as long as it may.
func (x *traffic) start(clients int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() { x.asks(ctx, i) })
	}
	return func() { cancel(); wg.Wait() }
}

var errClosed = errors.New("the connection was closed under a request")

func (x *traffic) asks(ctx context.Context, i int) {
	var conn *kept
	for n := 0; ctx.Err() == nil; n++ {
		var err error
		if conn == nil {
			if conn, err = x.connect(); err != nil {
				x.wrong(&x.failed, fmt.Errorf("connect: %w", err))
				time.Sleep(20 * time.Millisecond)
				continue
			}
		}
		body := ""
		if (n+i)%2 == 0 {
			body = strings.Repeat("x", 500)
		}
		x.requests.Add(1)
		stays, err := conn.ask(x.host, body)
		switch {
		case errors.Is(err, errClosed):
			x.wrong(&x.cut, err)
		case err != nil:
			x.wrong(&x.failed, err)
		}
		if err != nil || !stays {
			_ = conn.Close()
			conn = nil
		}
		time.Sleep(4 * time.Millisecond)
	}
	if conn != nil {
		_ = conn.Close()
	}
}

func (x *traffic) wrong(count *atomic.Int64, err error) {
	count.Add(1)
	text := err.Error()
	x.first.CompareAndSwap(nil, &text)
}

// kept is a connection by hand: a library would try again without a word.
type kept struct {
	net.Conn
	in *bufio.Reader
}

func (x *traffic) connect() (*kept, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	raw, err := x.appliance.client.DialContext(ctx, "tcp", net.JoinHostPort(x.node.IP().String(), "443"))
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, ServerName: x.host, NextProtos: []string{"http/1.1"}})
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, err
	}
	return &kept{conn, bufio.NewReader(conn)}, nil
}

// ask sends a request and reads its answer. It reports whether the connection stays; one
// that ends without having said so is closed under the request.
func (k *kept) ask(host, body string) (stays bool, err error) {
	if err := k.SetDeadline(time.Now().Add(patience)); err != nil {
		return false, err
	}
	method := "GET"
	if body != "" {
		method = "POST"
	}
	if _, err := fmt.Fprintf(k, "%s /load HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", method, host, len(body), body); err != nil {
		return false, fmt.Errorf("%w: %w", errClosed, err)
	}
	res, err := http.ReadResponse(k.in, &http.Request{Method: method})
	if err != nil {
		return false, fmt.Errorf("%w: %w", errClosed, err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return false, fmt.Errorf("%w: %w", errClosed, err)
	}
	if res.StatusCode != 200 {
		return false, fmt.Errorf("%s was answered %d", method, res.StatusCode)
	}
	return !res.Close, nil
}
