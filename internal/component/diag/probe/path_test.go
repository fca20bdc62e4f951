package probe

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gateway/internal/packetfilter"
)

// walked are tools on a node whose packet filter accepts what comes from 192.0.2.1, and that
// knows one uplink.
func walked(t Tools) Tools {
	t.Ways = Ways{
		To: func(context.Context, netip.Addr) (Way, error) {
			return Way{Interface: "wan", MTU: 1500, Source: netip.MustParseAddr("198.51.100.2"), Gateway: netip.MustParseAddr("198.51.100.1"), Uplink: "fibre"}, nil
		},
		Filter: func(_ context.Context, k packetfilter.Packet) (packetfilter.Trace, error) {
			if k.Protocol != packetfilter.TCP || k.Port == 0 || !k.Destination.IsValid() {
				return packetfilter.Trace{}, fmt.Errorf("asked about %+v", k)
			}
			if k.Source == netip.MustParseAddr("192.0.2.1") {
				return packetfilter.Trace{Verdict: packetfilter.Accept, Decided: packetfilter.Decider{Kind: packetfilter.ByRule, Name: "out"}, Out: "wan", UplinkGroup: "both"}, nil
			}
			return packetfilter.Trace{Verdict: packetfilter.Drop, Decided: packetfilter.Decider{Kind: packetfilter.ByDefault}}, nil
		},
	}
	return t
}

// states are those of the steps, and what the broken one says.
func states(p Path) string {
	s := p.Steps
	list := []Step{s.DNS.Step, s.Route.Step, s.Filter.Step, s.TCP.Step}
	if s.TLS != nil {
		list = append(list, s.TLS.Step)
	}
	var words []string
	for _, one := range list {
		words = append(words, strings.TrimSuffix(one.State+":"+one.Problem, ":"))
	}
	return strings.Join(words, " ")
}

func served(t *testing.T, s *httptest.Server) int {
	t.Cleanup(s.Close)
	return s.Listener.Addr().(*net.TCPAddr).Port
}

func TestAPathStopsAtTheFirstBrokenStep(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	encrypted, open := served(t, secure), served(t, httptest.NewServer(http.NotFoundHandler()))
	trusting := walked(near())
	trusting.Roots = x509.NewCertPool()
	trusting.Roots.AddCert(secure.Certificate())
	with := func(t Tools, change func(*Tools)) Tools {
		change(&t)
		return t
	}
	client := netip.MustParseAddr("192.0.2.1")
	for _, tc := range []struct {
		name  string
		tools Tools
		q     PathQuestion
		want  string
	}{
		{"all is well", trusting, PathQuestion{Target: "example.com", Port: encrypted, TLS: true}, "ok ok ok ok ok"},
		{"without TLS", trusting, PathQuestion{Target: "example.com", Port: open}, "ok ok ok ok"},
		{"to an address", trusting, PathQuestion{Target: "127.0.0.1", Port: open}, "not_needed ok ok ok"},
		{"from a client", trusting, PathQuestion{Target: "example.com", Port: open, Source: client}, "ok ok ok ok"},
		{"no address", with(trusting, func(t *Tools) {
			t.Lookup = func(context.Context, string) ([]netip.Addr, error) {
				return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
			}
		}), PathQuestion{Target: "example.com", Port: encrypted, TLS: true}, "broken:no_address not_tried not_tried not_tried not_tried"},
		{"no resolver", with(trusting, func(t *Tools) {
			t.Lookup = func(context.Context, string) ([]netip.Addr, error) {
				return nil, &net.DNSError{Err: "server misbehaving", IsTemporary: true}
			}
		}), PathQuestion{Target: "example.com", Port: open}, "broken:resolver_failed not_tried not_tried not_tried"},
		{"no address of the client's family", trusting, PathQuestion{Target: "example.com", Port: open, Source: netip.MustParseAddr("2001:db8::1")}, "broken:no_address not_tried not_tried not_tried"},
		{"no route", with(trusting, func(t *Tools) {
			t.Ways.To = func(context.Context, netip.Addr) (Way, error) { return Way{}, errors.New("no route") }
		}), PathQuestion{Target: "example.com", Port: encrypted, TLS: true}, "ok broken:no_route not_tried not_tried not_tried"},
		{"dropped", trusting, PathQuestion{Target: "example.com", Port: encrypted, TLS: true, Source: netip.MustParseAddr("192.0.2.2")}, "ok ok broken:dropped not_tried not_tried"},
		{"this machine", walked(far()), PathQuestion{Target: "example.com", Port: encrypted, TLS: true}, "ok ok ok not_tried:refused_target not_tried"},
		{"a closed port", trusting, PathQuestion{Target: "example.com", Port: closedPort(t), TLS: true}, "ok ok ok broken:connection_refused not_tried"},
		{"an authority that nobody knows", walked(near()), PathQuestion{Target: "example.com", Port: encrypted, TLS: true}, "ok ok ok ok broken:unknown_authority"},
		{"another name", trusting, PathQuestion{Target: "www.example.net", Port: encrypted, TLS: true}, "ok ok ok ok broken:wrong_name"},
		{"no TLS", trusting, PathQuestion{Target: "example.com", Port: open, TLS: true}, "ok ok ok ok broken:handshake"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.tools.Path(t.Context(), tc.q)
			if states(got) != tc.want || got.OK == strings.Contains(tc.want, ":") {
				t.Errorf("%s (%t), want %s: %+v", states(got), got.OK, tc.want, got)
			}
		})
	}
}

func closedPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestAPathTellsWhatItFound(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	port := served(t, secure)
	// Whom nobody trusts is shown too.
	got := walked(near()).Path(t.Context(), PathQuestion{Target: "example.com", Port: port, TLS: true, Source: netip.MustParseAddr("192.0.2.1")}).Steps
	if r := got.Route; r.Interface != "wan" || r.Uplink != "fibre" || r.MTU != 1500 || r.Gateway.String() != "198.51.100.1" || r.Source.String() != "198.51.100.2" {
		t.Errorf("route = %+v", r)
	}
	if f := got.Filter; f.Own || f.Decided == nil || f.Decided.Message != `rule "out"` || f.Out != "wan" || f.UplinkGroup != "both" {
		t.Errorf("filter = %+v", f)
	}
	if got.TCP.Remote != secure.Listener.Addr().String() {
		t.Errorf("connected to %s, want %s", got.TCP.Remote, secure.Listener.Addr())
	}
	if s := got.TLS; s.Trusted || !slices.Contains(s.Names, "example.com") || !s.NotAfter.Equal(secure.Certificate().NotAfter) || s.Issuer == "" {
		t.Errorf("TLS = %+v", s)
	}
	if own := walked(near()).Path(t.Context(), PathQuestion{Target: "127.0.0.1", Port: port}).Steps; !own.Filter.Own || own.Filter.Decided != nil || own.TLS != nil {
		t.Errorf("of this node's own connection: %+v", own)
	}
}

// The answer goes through a notification, which has 8,000 bytes.
func TestAPathFitsIntoItsAnswer(t *testing.T) {
	c := &x509.Certificate{}
	for range 500 {
		c.DNSNames = append(c.DNSNames, strings.Repeat("<\x1b", 300))
	}
	many := slices.Repeat([]netip.Addr{netip.MustParseAddr("2001:db8:1111:2222:3333:4444:5555:6666")}, mostAddresses)
	evil := words(strings.Repeat("\x00<é", 1000))
	p := Path{Steps: Steps{DNS: DNSStep{Addresses: many}, TLS: &TLSStep{Step: Step{Error: evil}, Names: namesOf(c), Issuer: evil}}}.bounded()
	text, err := json.Marshal(p)
	if err != nil || len(text) > mostBytes || strings.Contains(string(text), "u001b") || len(p.Steps.TLS.Names) == 0 {
		t.Errorf("%d bytes, %d names: %v", len(text), len(p.Steps.TLS.Names), err)
	}
}

func TestWhatIsBrokenHasAName(t *testing.T) {
	for want, err := range map[string]error{
		"expired":     x509.CertificateInvalidError{Reason: x509.Expired},
		"other":       x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign},
		"unreachable": &net.OpError{Op: "dial", Err: unix.EHOSTUNREACH},
		"timeout":     context.DeadlineExceeded,
	} {
		if got := problemOf(fmt.Errorf("step: %w", err)); got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
}
