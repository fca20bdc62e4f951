package cert

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"gateway/internal/outbound"
)

// selfTestResult is what came of looking for our own answer where a name leads.
type selfTestResult int

const (
	noAnswer selfTestResult = iota
	ourAnswer
	otherAnswer
)

// selfTest asks an address for a challenge of our own, as the authority will.
func (s *service) selfTest(ctx context.Context, name string, addr netip.Addr, token string) selfTestResult {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	to := net.JoinHostPort(addr.String(), s.outside.HTTPPort)
	client := &http.Client{
		CheckRedirect: outbound.NoRedirects,
		// Only this one address and port, and only for a path that tells nothing: our own
		// addresses are not refused here, they are what we hope to find.
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, to)
		}},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+name+"/.well-known/acme-challenge/"+token, http.NoBody)
	if err != nil {
		return noAnswer
	}
	resp, err := client.Do(req)
	if err != nil {
		return noAnswer
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1024))
	if err == nil && resp.StatusCode == http.StatusOK && strings.TrimSpace(string(body)) == token+".self" {
		return ourAnswer
	}
	return otherAnswer
}
