package e2e

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/coder/websocket"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// visitor is somebody out there who uses sites.
type visitor struct {
	a    *appliance
	http *http.Client
	ip   netip.Addr // of the node
}

// page is what a visitor was given.
type page struct {
	status int
	proto  string
	header http.Header
	body   string
	got    received // when it came from an origin
}

// Ways to visit.
const (
	http1    = "HTTP/1.1"
	http2    = "HTTP/2.0"
	http3Way = "HTTP/3.0"
)

// visitor comes by one protocol; names need no DNS, for they all lead to the node.
func (a *appliance) visitor(way string) *visitor {
	v := &visitor{a: a, ip: a.node.IP()}
	insecure := &tls.Config{InsecureSkipVerify: true}
	var transport http.RoundTripper
	if way == http3Way {
		t := &http3.Transport{TLSClientConfig: insecure, Dial: v.dialQUIC}
		a.t.Cleanup(func() { _ = t.Close() })
		transport = t
	} else {
		t := &http.Transport{DialContext: v.dial, TLSClientConfig: insecure, ForceAttemptHTTP2: way == http2}
		if way == http1 {
			t.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
		}
		a.t.Cleanup(t.CloseIdleConnections)
		transport = t
	}
	v.http = &http.Client{
		Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return v
}

// overIPv6 is the same visitor on the other road.
func (v *visitor) overIPv6() *visitor { v.ip = v.a.node.IP6(); return v }

func (v *visitor) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	return v.a.client.DialContext(ctx, network, net.JoinHostPort(v.ip.String(), port))
}

func (v *visitor) dialQUIC(ctx context.Context, addr string, t *tls.Config, c *quic.Config) (*quic.Conn, error) {
	local := netip.AddrPortFrom(v.a.client.IP(), 0)
	if v.ip.Is6() {
		local = netip.AddrPortFrom(v.a.client.IP6(), 0)
	}
	pc, err := v.a.client.ListenPacket(ctx, "udp", local.String())
	if err != nil {
		return nil, err
	}
	_, port, _ := strings.Cut(addr, ":")
	to, err := netip.ParseAddrPort(net.JoinHostPort(v.ip.String(), port))
	if err != nil {
		return nil, err
	}
	conn, err := quic.Dial(ctx, pc, net.UDPAddrFromAddrPort(to), t, c)
	if err != nil {
		_ = pc.Close()
	}
	return conn, err
}

// get visits an address; edit may change the request.
func (v *visitor) get(url string, edit ...func(*http.Request)) page {
	v.a.t.Helper()
	return v.send("GET", url, nil, edit...)
}

func (v *visitor) send(method, url string, body io.Reader, edit ...func(*http.Request)) page {
	v.a.t.Helper()
	p, err := v.try(method, url, body, edit...)
	if err != nil {
		v.a.t.Fatalf("%s %s: %v", method, url, err)
	}
	return p
}

func (v *visitor) try(method, url string, body io.Reader, edit ...func(*http.Request)) (page, error) {
	req, err := http.NewRequestWithContext(v.a.t.Context(), method, url, body)
	if err != nil {
		return page{}, err
	}
	for _, e := range edit {
		e(req)
	}
	res, err := v.http.Do(req)
	if err != nil {
		return page{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	p := page{status: res.StatusCode, proto: res.Proto, header: res.Header, body: string(data)}
	_ = json.Unmarshal(data, &p.got) // only an origin's answer is one
	return p, err
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// upgrade opens a WebSocket.
func (v *visitor) upgrade(url string) (*websocket.Conn, error) {
	conn, _, err := websocket.Dial(v.a.t.Context(), url, &websocket.DialOptions{HTTPClient: &http.Client{Transport: v.http.Transport}})
	return conn, err
}

// says sends a word over a WebSocket and waits for its echo.
func says(ctx context.Context, conn *websocket.Conn, word string) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if conn.Write(ctx, websocket.MessageText, []byte(word)) != nil {
		return false
	}
	_, data, err := conn.Read(ctx)
	return err == nil && string(data) == word
}
