package probe

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	mdns "github.com/miekg/dns"
	"golang.org/x/sys/unix"

	"gateway/internal/component/dns/dnstest"
)

// near are tools that may reach this machine, as the real ones may not.
func near() Tools {
	t := far()
	t.Dial = (&net.Dialer{}).DialContext
	return t
}

func far() Tools {
	return Tools{
		Own: func() ([]netip.Addr, error) { return nil, nil },
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	}
}

func want(t *testing.T, r Result, status int, parts ...string) {
	t.Helper()
	if r.ExitStatus != status {
		t.Errorf("exit status = %d, want %d:\n%s", r.ExitStatus, status, r.Output)
	}
	for _, part := range parts {
		if !strings.Contains(r.Output, part) {
			t.Errorf("%q is not in:\n%s", part, r.Output)
		}
	}
}

// counted is a server that counts who came.
func counted(t *testing.T, handler http.HandlerFunc) (address string, came *atomic.Int32) {
	t.Helper()
	came = &atomic.Int32{}
	s := httptest.NewUnstartedServer(handler)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			came.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), came
}

// shows DIAG-06
func TestTCPOpensAPort(t *testing.T) {
	address, came := counted(t, http.NotFound)
	to := netip.MustParseAddrPort(address)
	q := Question{Tool: "tcp", Target: to.Addr().String(), Port: int(to.Port())}
	want(t, far().Try(t.Context(), q), Failed, "cannot be used as a server")
	if came.Load() != 0 {
		t.Error("this machine itself was reached")
	}
	want(t, near().Try(t.Context(), q), Answered, "Connected to "+address)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := closed.Addr().(*net.TCPAddr).Port
	closed.Close()
	want(t, near().Try(t.Context(), Question{Tool: "tcp", Target: "127.0.0.1", Port: port}), Silent, "refused")
}

func TestCurlTellsStatusAndHeaders(t *testing.T) {
	address, came := counted(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/evil":
			w.Header()["X-Evil"] = []string{"\x1b[2Jgone <script> " + strings.Repeat("<", 20_000)}
		default:
			w.Header().Set("X-Told", "yes")
			_, _ = w.Write([]byte("not to be seen"))
		}
	})
	url := "http://" + address
	want(t, far().Try(t.Context(), Question{Tool: "curl", Target: url}), Failed, "cannot be used as a server")
	if came.Load() != 0 {
		t.Error("this machine itself was reached")
	}
	got := near().Try(t.Context(), Question{Tool: "curl", Target: url})
	want(t, got, Answered, "HTTP/1.1 200 OK\n", "X-Told: yes\n", "14 bytes of content")
	if strings.Contains(got.Output, "not to be seen") {
		t.Error("the content is shown")
	}
	want(t, near().Try(t.Context(), Question{Tool: "curl", Target: url + "/moved"}), Answered, "302 Found", "Location: /\n")
	got = near().Try(t.Context(), Question{Tool: "curl", Target: url + "/evil"})
	if text, err := json.Marshal(got); err != nil || len(text) > 8_000 || strings.ContainsRune(got.Output, 0x1b) {
		t.Errorf("%d bytes: %.200s", len(text), text)
	}
}

// shows DIAG-04
func TestCurlEndsInTime(t *testing.T) {
	hang := make(chan struct{})
	address, _ := counted(t, func(http.ResponseWriter, *http.Request) { <-hang })
	defer close(hang)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	want(t, near().Try(ctx, Question{Tool: "curl", Target: "http://" + address}), Silent, "deadline exceeded")
}

func TestDigShowsTheAnswer(t *testing.T) {
	server := dnstest.NewUpstream(t, func(q mdns.Question) []mdns.RR {
		if q.Name == "7.2.0.192.in-addr.arpa." {
			return []mdns.RR{dnstest.MustRR(q.Name + " 60 IN PTR www.example.com.")}
		}
		if q.Name == "www.example.com." && q.Qtype == mdns.TypeTXT {
			return []mdns.RR{dnstest.MustRR(q.Name + ` 60 IN TXT "some text"`)}
		}
		return nil
	})
	tools := near()
	tools.Resolver = func() (string, error) { return strings.ReplaceAll(server.Forward(), "@", ":"), nil }
	want(t, tools.Try(t.Context(), Question{Tool: "dig", Target: "www.example.com", Type: "TXT"}), Answered, "NOERROR", `"some text"`)
	want(t, tools.Try(t.Context(), Question{Tool: "dig", Target: "192.0.2.7", Type: "PTR"}), Answered, "www.example.com.")
	want(t, tools.Try(t.Context(), Question{Tool: "dig", Target: "gone.example.com", Type: "A"}), Answered, "NXDOMAIN")
}

// shows DIAG-02
func TestTracerouteReachesItsTarget(t *testing.T) {
	want(t, far().Try(t.Context(), Question{Tool: "traceroute", Target: "here.example.com"}), Answered, " 1  127.0.0.1  ")
	want(t, far().Try(t.Context(), Question{Tool: "traceroute", Target: "::1"}), Answered, " 1  ::1  ")
}

// shows DIAG-01
func TestPingIsAnswered(t *testing.T) {
	if s, err := openEcho(netip.MustParseAddr("127.0.0.1")); errors.Is(err, unix.EACCES) {
		t.Skip("net.ipv4.ping_group_range lets nobody here; the package sets it")
	} else if err == nil {
		s.Close()
	}
	want(t, far().Try(t.Context(), Question{Tool: "ping", Target: "127.0.0.1"}), Answered, "64 bytes from 127.0.0.1: seq=4", "4 packets sent, 4 received")
}

func TestATargetWithoutAddressIsTold(t *testing.T) {
	tools := far()
	tools.Lookup = func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no such host") }
	for _, tool := range []string{"ping", "traceroute"} {
		want(t, tools.Try(t.Context(), Question{Tool: tool, Target: "gone.example.com"}), Failed, "no such host")
	}
}
