package e2e

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// origin is a server behind the proxy, at the client's place in the network. It answers
// with what it received, and echoes on WebSockets.
type origin struct {
	name   string
	addr   netip.AddrPort
	served atomic.Int64
	server *http.Server
}

// received is a request as it came to an origin.
type received struct {
	Origin, Proto, Method, Host, Path string
	Header                            http.Header
	Body                              int64
}

func (a *appliance) origin(name string) *origin { a.t.Helper(); return a.newOrigin(name, nil) }

// secureOrigin speaks TLS, and HTTP/2 to whoever offers it.
func (a *appliance) secureOrigin(name string) *origin {
	a.t.Helper()
	return a.newOrigin(name, &tls.Config{Certificates: []tls.Certificate{selfSigned(a.t)}, NextProtos: []string{"h2", "http/1.1"}})
}

func (a *appliance) newOrigin(name string, secure *tls.Config) *origin {
	a.t.Helper()
	ln, err := a.client.Listen(a.t.Context(), "tcp", net.JoinHostPort(a.client.IP().String(), "0"))
	a.lab.Must(err)
	o := &origin{name: name, addr: netip.MustParseAddrPort(ln.Addr().String())}
	o.server = &http.Server{Handler: o, TLSConfig: secure, ReadHeaderTimeout: time.Minute}
	go func() {
		if secure != nil {
			_ = o.server.ServeTLS(ln, "", "")
			return
		}
		_ = o.server.Serve(ln)
	}()
	a.t.Cleanup(func() { _ = o.server.Close() })
	return o
}

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.served.Add(1)
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		o.echo(w, r)
		return
	}
	if status := r.URL.Query().Get("status"); status != "" {
		var code int
		if _, err := fmt.Sscan(status, &code); err == nil {
			w.WriteHeader(code)
			return
		}
	}
	n, _ := io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(received{o.name, r.Proto, r.Method, r.Host, r.URL.Path, r.Header, n})
}

func (o *origin) echo(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	for {
		kind, data, err := conn.Read(context.Background())
		if err != nil || conn.Write(context.Background(), kind, data) != nil {
			return
		}
	}
}

// in is an origin as a server of a pool.
func (o *origin) in(pool string) object {
	return object{"backend_id": pool, "name": o.name, "address": o.addr.Addr().String(), "port": o.addr.Port()}
}

// pool makes a backend of these origins.
func (c *caller) pool(more object, origins ...*origin) string {
	c.t.Helper()
	body := object{"name": fmt.Sprintf("pool %d", poolNumber.Add(1))}
	for k, v := range more {
		body[k] = v
	}
	id := c.post("/backends", body).want(201).id()
	for _, o := range origins {
		c.post("/backend-servers", o.in(id)).want(201)
	}
	return id
}

var poolNumber atomic.Int64

// site publishes a name at a pool.
func (c *caller) site(name, pool string, more object) string {
	c.t.Helper()
	body := object{"name": name, "backend_id": pool}
	for k, v := range more {
		body[k] = v
	}
	return c.post("/domains", body).want(201).id()
}
