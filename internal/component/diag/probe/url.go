package probe

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"gateway/internal/outbound"
)

const (
	// mostBody is read of a body, and nothing of it is shown.
	mostBody = 1 << 20
	// mostHeader is what a server may say before it.
	mostHeader = 64 << 10
)

// curl requests a URL, past any proxy, and follows no redirect.
func (t Tools) curl(ctx context.Context, b *strings.Builder, url string) int {
	// The transport would go on dialling after the request has ended.
	dial := func(_ context.Context, network, address string) (net.Conn, error) {
		return t.dial(ctx, network, address)
	}
	transport := &http.Transport{DialContext: dial, DisableKeepAlives: true, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: mostHeader, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	client := &http.Client{Transport: transport, CheckRedirect: outbound.NoRedirects}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		fmt.Fprintln(b, err)
		return Failed
	}
	start := time.Now()
	got, err := client.Do(r)
	if err != nil {
		fmt.Fprintln(b, err)
		return statusOf(err)
	}
	defer got.Body.Close()
	first := time.Since(start)
	if s := got.TLS; s != nil {
		leaf := s.PeerCertificates[0]
		fmt.Fprintf(b, "%s, certificate of %s by %s, valid until %s\n", tls.VersionName(s.Version), leaf.Subject, leaf.Issuer, leaf.NotAfter.Format(time.RFC3339))
	}
	fmt.Fprintf(b, "%s %s\n", got.Proto, got.Status)
	for _, name := range slices.Sorted(maps.Keys(got.Header)) {
		fmt.Fprintf(b, "%s: %s\n", name, strings.Join(got.Header[name], ", "))
	}
	n, err := io.Copy(io.Discard, io.LimitReader(got.Body, mostBody))
	if err != nil {
		fmt.Fprintln(b, err)
		return Silent
	}
	fmt.Fprintf(b, "\nFirst byte after %s; %d bytes of content after %s\n", ms(first), n, ms(time.Since(start)))
	return Answered
}
