package haproxyconf

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"gateway/tools/bar"
)

const (
	bodyLimit = 1000
	// slowStart is longer than HAProxy waits to see whether there is a body.
	slowStart = 11 * time.Second
)

// A site's limit holds for whoever sends more, however it is said. The control is a site
// without one: the same requests reach its server.
func TestBarTrust09BodyLimits(t *testing.T) {
	r := newRig(t)
	o := newBodyCounter(t)
	pool := r.Backend("web")
	r.Server(pool, "one", o.at)
	r.Site("limited.example.com", pool, object{"max_body_size": bodyLimit})
	r.Site("open.example.com", pool)
	var senders sync.WaitGroup
	ways := r.bodySenders()
	for name, send := range ways {
		for _, host := range []string{"limited.example.com", "open.example.com"} {
			senders.Go(func() { send(host, "/"+name) })
		}
	}
	senders.Wait()
	over, reached := 0, 0
	for name := range ways {
		if n := o.bytes("limited.example.com/" + name); n > bodyLimit {
			over++
			t.Errorf("%s: %d bytes reached the server", name, n)
		}
		if n := o.bytes("open.example.com/" + name); n > bodyLimit {
			reached++
		} else {
			t.Logf("control: %s: %d bytes reached the server", name, n)
		}
	}
	figure := fmt.Sprintf("%d of %d ways by h1, h2 and h3 brought more than the limit to the server; control without a limit: %d", over, len(ways), reached)
	bar.Report(t, "trust", 9, figure, "0", over == 0 && reached > len(ways)*3/4)
}

// bodyCounter is a server that counts what bodies bring, by host and path.
type bodyCounter struct {
	at   string
	mu   sync.Mutex
	seen map[string]int
}

func newBodyCounter(t *testing.T) *bodyCounter {
	o := &bodyCounter{seen: map[string]int{}}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		buf := make([]byte, 4096)
		for {
			n, err := r.Body.Read(buf)
			o.mu.Lock()
			o.seen[r.Host+r.URL.Path] += n
			o.mu.Unlock()
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	o.at = s.Listener.Addr().String()
	return o
}

func (o *bodyCounter) bytes(where string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen[where]
}

// bodySenders are the ways to send five times the limit, by name.
func (r *rig) bodySenders() map[string]func(host, path string) {
	all := map[string]func(host, path string){}
	const size = 5 * bodyLimit
	chunk := fmt.Sprintf("%x\r\n%s\r\n", size, strings.Repeat("A", size))
	bytewise := strings.Repeat("1\r\nA\r\n", size)
	const chunked = "Transfer-Encoding: chunked\r\n"
	const upgrade = "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
	plain := fmt.Sprintf("Content-Length: %d\r\n", size)
	for name, w := range map[string]struct{ header, body string }{
		"h1-length":              {plain, strings.Repeat("A", size)},
		"h1-length-upgrade":      {plain + "Upgrade: x\r\n", strings.Repeat("A", size)},
		"h1-chunked":             {chunked, chunk + "0\r\n\r\n"},
		"h1-chunked-upgrade":     {chunked + "Upgrade: x\r\n", chunk + "0\r\n\r\n"},
		"h1-chunked-websocket":   {chunked + upgrade, chunk + "0\r\n\r\n"},
		"h1-chunked-trailers":    {chunked + "Trailer: X-A\r\n", chunk + "0\r\nX-A: b\r\n\r\n"},
		"h1-chunked-bytewise":    {chunked, bytewise + "0\r\n\r\n"},
		"h1-chunked-and-length":  {"Content-Length: 5\r\n" + chunked, chunk + "0\r\n\r\n"},
		"h1-chunked-capitals":    {"TRANSFER-ENCODING: Chunked\r\nUPGRADE: x\r\n", chunk + "0\r\n\r\n"},
		"h1-chunked-gzip":        {"Transfer-Encoding: gzip, chunked\r\nUpgrade: x\r\n", chunk + "0\r\n\r\n"},
		"h1-chunked-get-upgrade": {"X-Method: GET\r\n" + chunked + "Upgrade: x\r\n", chunk + "0\r\n\r\n"},
	} {
		method := http.MethodPost
		if strings.Contains(name, "get") {
			method = http.MethodGet
		}
		all[name] = func(host, path string) {
			r.sendRaw(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", method, path, host, w.header), w.body, 0)
		}
		if strings.HasPrefix(name, "h1-chunked-upgrade") {
			all[name+"-late"] = func(host, path string) {
				r.sendRaw(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", method, path, host, w.header), w.body, slowStart)
			}
		}
	}
	for version, transport := range map[string]http.RoundTripper{"h2": r.visitor(true), "h3": r.visitorH3()} {
		for name, way := range map[string]func(*http.Request) io.Reader{
			"length":   func(q *http.Request) io.Reader { q.ContentLength = size; return frames(size, 1, 0) },
			"silent":   func(*http.Request) io.Reader { return frames(size, 1, 0) },
			"frames":   func(*http.Request) io.Reader { return frames(size, 500, 0) },
			"trailers": func(q *http.Request) io.Reader { q.Trailer = http.Header{"X-A": {"b"}}; return frames(size, 5, 0) },
			"get":      func(q *http.Request) io.Reader { q.Method = http.MethodGet; return frames(size, 1, 0) },
			"late":     func(*http.Request) io.Reader { return frames(size, 1, slowStart) },
		} {
			all[version+"-"+name] = func(host, path string) { r.sendRequest(transport, host, path, way) }
		}
	}
	return all
}

// frames is a body that comes in so many pieces, the first one after a while.
func frames(size, pieces int, after time.Duration) io.Reader {
	in, out := io.Pipe()
	go func() {
		<-time.After(after)
		for range pieces {
			if _, err := out.Write(make([]byte, size/pieces)); err != nil {
				return
			}
		}
		_ = out.Close()
	}()
	return in
}

func (r *rig) sendRequest(by http.RoundTripper, host, path string, way func(*http.Request) io.Reader) {
	ctx, cancel := context.WithTimeout(r.T.Context(), 2*slowStart)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+host+path, http.NoBody)
	if err != nil {
		r.T.Error(err)
		return
	}
	req.ContentLength = -1
	req.Body = io.NopCloser(way(req))
	res, err := by.RoundTrip(req)
	if err != nil {
		return // it was refused before the body was sent
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
}

// sendRaw speaks HTTP/1 by hand and waits for the end of the answer.
func (r *rig) sendRaw(head, body string, after time.Duration) {
	conn, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}}}).DialContext(r.T.Context(), "tcp", net.JoinHostPort(r.at, "443"))
	if err != nil {
		r.T.Error(err)
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * slowStart))
	_, _ = io.WriteString(conn, head)
	<-time.After(after)
	_, _ = io.WriteString(conn, body)
	_ = conn.SetReadDeadline(time.Now().Add(2 * time.Second))
	_, _ = io.Copy(io.Discard, conn)
}

// visitorH3 comes by HTTP/3.
func (r *rig) visitorH3() http.RoundTripper {
	t := &http3.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		Dial: func(ctx context.Context, _ string, c *tls.Config, q *quic.Config) (*quic.Conn, error) {
			return quic.DialAddr(ctx, net.JoinHostPort(r.at, "443"), c, q)
		},
	}
	r.T.Cleanup(func() { _ = t.Close() })
	return t
}
