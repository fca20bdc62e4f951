// Package certtest has an HAProxy that serves the certificates of a list, and clients of it,
// for the tests of both sides: what operators are offered, and what HAProxy runs on. It is
// imported by tests only.
package certtest

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/coder/websocket"

	"gateway/lab/haproxytest"
)

// Proxy is a real HAProxy that sees our files at their own paths.
type Proxy struct {
	*haproxytest.Daemon
	t    testing.TB
	list string
}

const proxyConfig = `
defaults
	mode http
	timeout connect 2s
	timeout client 10m
	timeout server 10m
	timeout tunnel 1h
frontend web
	bind unix@%[1]s/web ssl crt-list %[2]s alpn http/1.1
	use_backend echo if { hdr(upgrade) -i websocket }
	http-request return status 200 content-type text/plain string "served" unless { hdr(upgrade) -m found }
backend echo
	server one %[3]s
`

// New prepares one that does not run yet, in the folder that files are installed in; list is
// the path of its list of certificates.
func New(t testing.TB, root, list string) *Proxy {
	t.Helper()
	return &Proxy{Daemon: haproxytest.NewIn(t, root), t: t, list: list}
}

// Serve runs HAProxy, which sees the files of the test below /etc/gateway.
func (h *Proxy) Serve() {
	h.t.Helper()
	h.Start(fmt.Sprintf(proxyConfig, h.Dir, h.list, newEcho(h.t)))
}

// Serial is the one that a client sees who asks for a name.
func (h *Proxy) Serial(name string) string {
	h.t.Helper()
	conn := tls.Client(h.Dial("web"), &tls.Config{ServerName: name, InsecureSkipVerify: true}) //nolint:gosec // a test's proxy: it is the certificate that is looked at
	defer conn.Close()
	if err := conn.HandshakeContext(h.t.Context()); err != nil {
		h.t.Fatalf("handshake for %s: %v", name, err)
	}
	return hex.EncodeToString(conn.ConnectionState().PeerCertificates[0].SerialNumber.Bytes())
}

// newEcho is a server whose WebSockets send back what they get.
func newEcho(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		for err == nil {
			var kind websocket.MessageType
			var data []byte
			if kind, data, err = conn.Read(r.Context()); err == nil {
				err = conn.Write(r.Context(), kind, data)
			}
		}
	}))
	t.Cleanup(s.CloseClientConnections)
	return s.Listener.Addr().String()
}

// Tunnel is a WebSocket through the proxy.
type Tunnel struct{ *websocket.Conn }

// Tunnel opens one to a name.
func (h *Proxy) Tunnel(name string) Tunnel {
	h.t.Helper()
	client := &http.Client{Transport: &http.Transport{DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
		return tls.Client(h.Dial("web"), &tls.Config{ServerName: name, InsecureSkipVerify: true}), nil //nolint:gosec // a test's proxy, whose certificates nobody signed
	}}}
	conn, _, err := websocket.Dial(h.t.Context(), "wss://"+name+"/", &websocket.DialOptions{HTTPClient: client}) //nolint:bodyclose // the library closes it
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = conn.CloseNow() })
	return Tunnel{conn}
}

// Says reports whether a word comes back.
func (w Tunnel) Says(ctx context.Context, word string) bool {
	if err := w.Write(ctx, websocket.MessageText, []byte(word)); err != nil {
		return false
	}
	_, data, err := w.Read(ctx)
	return err == nil && string(data) == word
}
