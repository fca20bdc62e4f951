package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"gateway/lab/pebbletest"
	"gateway/tools/bar"
)

const (
	hourSite      = "shop.first.example"
	hourText      = "the shop behind the gateway"
	hourPort      = "9100" // the first rule opens it
	mostHour      = 10 * time.Minute
	mostHourClick = 30
)

// beside is what somebody beside the node sees of it.
type beside struct {
	Trusted   string // the site, by somebody who knows the authority
	Untrusted string // by somebody who does not
	Knock     string // at the port of the first rule
}

// hour is somebody's first one with the product.
type hour struct {
	*appliance
	ca    *pebbletest.Authority
	took  time.Duration
	began time.Time
}

// The package, an authority and a server are all that there is; everything else is done at
// the browser, by what is written on the pages.
//
// The machine is Debian's with the packages that apt would fetch; a lab has no network.
func TestBarPeople02FirstHour(t *testing.T) {
	webFolder(t)
	deb := firstDeb(t)
	h := &hour{appliance: fresh(t)}
	h.ca = pebbletest.New(t, pebbletest.Options{At: h.client, HTTPPort: 80})
	h.ca.Address(hourSite, h.node.IP().String())
	h.lab.Must(h.node.WriteFile("/etc/resolv.conf", []byte("nameserver "+h.client.IP().String()+"\n"), 0o644))
	server := h.origin(hourText)

	h.began = time.Now()
	h.install(deb)
	// As the guide says of a private authority. A public one is known to every Debian.
	h.lab.Must(h.node.WriteFile("/etc/gateway/acme-ca.pem", h.ca.Root, 0o644))
	var out struct {
		Clicks, Heard, Astray, HeardAstray int
		Steps                              map[string]int
		Sights                             []string
		After                              map[string]beside
	}
	h.browse("first_hour", deeds{
		"setup-code": func(json.RawMessage) (any, error) { return h.run("gateway-ctl", "setup-code"), nil },
		"see":        func(json.RawMessage) (any, error) { return h.see(), nil },
		"done":       func(json.RawMessage) (any, error) { h.took = time.Since(h.began); return nil, nil },
	}, &out, append(shots(t), "SITE="+hourSite, "DIRECTORY="+h.ca.URL, "ORIGIN="+server.addr.String(), "MONITOR="+h.client.IP().String())...)

	for _, s := range out.Sights {
		t.Log("seen:", s)
	}
	t.Logf("clicks by step: %v", out.Steps)
	h.judge(out.After)
	if out.Heard != out.Clicks {
		t.Errorf("the hand made %d clicks, the pages heard %d", out.Clicks, out.Heard)
	}
	if out.Astray != 3 || out.HeardAstray != 3 {
		t.Errorf("three clicks more were counted as %d, and heard as %d", out.Astray, out.HeardAstray)
	}
	figure := fmt.Sprintf("%d clicks, %.0f s, %d screens (%s); control: 3 clicks more are counted as %d, without the CA's root the site is refused",
		out.Clicks, h.took.Seconds(), len(out.Sights), verdict(t), out.Astray)
	bar.ReportTimed(t, "people", 2, figure, fmt.Sprintf("<=%d clicks, <=%.0f s", mostHourClick, mostHour.Seconds()),
		!t.Failed() && out.Clicks <= mostHourClick, h.took <= mostHour)
}

// judge holds what was seen beside the node against what had been done by then.
func (h *hour) judge(after map[string]beside) {
	h.t.Helper()
	for _, tc := range []struct {
		step      string
		published bool
		ruled     bool
	}{
		{"setUp", false, false},
		{"publish", true, false},
		{"signInAgain", true, false},
		{"firstRule", true, true},
	} {
		got := after[tc.step]
		if serves := strings.Contains(got.Trusted, hourText); serves != tc.published {
			h.t.Errorf("after %s the site is %q, want it published: %v", tc.step, got.Trusted, tc.published)
		}
		if tc.published && !strings.Contains(got.Untrusted, "unknown authority") {
			h.t.Errorf("after %s somebody who does not know the authority gets %q", tc.step, got.Untrusted)
		}
		if want := map[bool]string{false: "silence", true: "refused"}[tc.ruled]; got.Knock != want {
			h.t.Errorf("after %s port %s meets %q, want %s", tc.step, hourPort, got.Knock, want)
		}
	}
	if got := h.run("gateway-ctl", "api", "GET", "/users"); !strings.Contains(got, `"totp_enabled": true`) && !strings.Contains(got, `"totp_enabled":true`) {
		h.t.Errorf("the second factor is not on: %s", got)
	}
}

func (h *hour) see() beside {
	return beside{h.fetch(h.ca.Issuer()), h.fetch(x509.NewCertPool()), h.knock()}
}

// fetch is the site's page, or why there is none.
func (h *hour) fetch(roots *x509.CertPool) string {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return h.client.DialContext(ctx, network, net.JoinHostPort(h.node.IP().String(), "443"))
	}
	transport := &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}
	client := &http.Client{Transport: transport, Timeout: patience}
	res, err := client.Get("https://" + hourSite + "/")
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err.Error()
	}
	return res.Status + " " + string(text)
}

// knock is refused where a packet gets through: nobody listens there.
func (h *hour) knock() string {
	ctx, cancel := context.WithTimeout(h.t.Context(), 2*time.Second)
	defer cancel()
	conn, err := h.client.DialContext(ctx, "tcp", net.JoinHostPort(h.node.IP().String(), hourPort))
	switch {
	case err == nil:
		_ = conn.Close()
		return "somebody"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded): // whichever is noticed first
		return "silence"
	}
	return err.Error()
}
