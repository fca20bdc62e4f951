package haproxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway/lab/haproxytest"
)

// rig is a real HAProxy that answers with what it finds in a map, and passes on what a
// second map has a backend for.
type rig struct {
	*haproxytest.Daemon
	t      testing.TB
	values string // the map of answers
	origin string // the address of a server that answers "hello"
}

const config = `
defaults
	mode http
	timeout connect 2s
	timeout client 30s
	timeout server 30s
	timeout tunnel 1h
	retries 0
frontend web
	option idle-close-on-response
	bind unix@%[1]s/web
	http-request return status 200 content-type text/plain lf-string "%%[req.hdr(x-key),map_str(%[1]s/values,absent)]" if { req.hdr(x-key) -m found }
	default_backend pool
frontend pipe
	mode tcp
	bind unix@%[1]s/pipe
	default_backend pipes
backend pool
	server one %[2]s
backend pipes
	mode tcp
	server one %[2]s
`

func newRig(t testing.TB, values string) *rig {
	t.Helper()
	r := &rig{t: t, Daemon: haproxytest.New(t), origin: newOrigin(t)}
	r.values = r.Write("values", values)
	r.Start(fmt.Sprintf(config, r.Dir, r.origin))
	return r
}

// newOrigin serves "hello", or nothing at all until the caller goes away when asked to wait.
func newOrigin(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/wait" {
			<-req.Context().Done()
			return
		}
		_, _ = io.WriteString(w, "hello")
	})}
	go func() { _ = s.Serve(ln) }()
	t.Cleanup(func() { _ = s.Close() })
	return ln.Addr().String()
}

// get asks the frontend over a connection of its own, with a key for the map.
func (r *rig) get(key string) string {
	r.t.Helper()
	head := "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
	if key != "" {
		head += "X-Key: " + key + "\r\n"
	}
	conn := r.Dial("web")
	defer conn.Close()
	if _, err := io.WriteString(conn, head+"\r\n"); err != nil {
		r.t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Sprint(resp.StatusCode)
	}
	return string(body)
}

// hold opens a connection through the proxy that stays until somebody ends it.
func (r *rig) hold() net.Conn {
	r.t.Helper()
	conn := r.Dial("pipe")
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		r.t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); err != nil {
		r.t.Fatal(err)
	}
	return conn
}

// ended waits until a connection is closed from the other side.
func (r *rig) ended(conn net.Conn) {
	r.t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
		r.t.Errorf("the connection is still open: %v", err)
	}
}

// must is for steps that a test only takes to get somewhere.
func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func short(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// lookup is what the socket says of a key.
func (r *rig) lookup(key string) string {
	r.t.Helper()
	values, err := r.Runtime.MapGet(r.t.Context(), r.values, key)
	if err != nil {
		r.t.Fatal(err)
	}
	return values[0]
}
