package cert

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/miekg/dns"

	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/outbound"
	"gateway/internal/sys"
)

// authorities is a file of authorities that are trusted besides the system's, for a
// private one. gateway-scheduler must be able to read it.
const authorities = "/etc/gateway/acme-ca.pem"

func (s *service) outsideOf(o Outside) Outside {
	if o.Addresses == nil {
		o.Addresses = s.addresses
	}
	if o.DNSPort == "" {
		o.DNSPort = "53"
	}
	if o.HTTPPort == "" {
		o.HTTPPort = "80"
	}
	if o.Transport == nil {
		own := o.Addresses
		o.Transport = func() (http.RoundTripper, error) { return outbound.Transport(own, authorities) }
	}
	if o.Served == "" {
		o.Served = "127.0.0.1:443"
	}
	return o
}

// addresses are this node's own.
func (s *service) addresses() ([]netip.Addr, error) {
	if s.Host == nil {
		return nil, nil
	}
	links, err := s.Host.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list own addresses: %w", err)
	}
	return sys.Addresses(links), nil
}

// resolver is the name server to ask: the one of the test, or the system's first.
func (s *service) resolver() (string, error) {
	if s.outside.Resolver != "" {
		return s.outside.Resolver, nil
	}
	c, err := dns.ClientConfigFromFile("/etc/resolv.conf")
	if err != nil {
		return "", err
	}
	if len(c.Servers) == 0 {
		return "127.0.0.1:53", nil // as the C library has it
	}
	return net.JoinHostPort(c.Servers[0], c.Port), nil
}

// served is the serial that the proxy shows for a name, or "" where nobody serves.
func (s *service) served(ctx context.Context, name string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	d := tls.Dialer{Config: &tls.Config{
		ServerName:         name,
		InsecureSkipVerify: true, //nolint:gosec // we look at what is served, and say nothing to it
	}}
	conn, err := d.DialContext(ctx, "tcp", s.outside.Served)
	if err != nil {
		return ""
	}
	defer conn.Close()
	certs := conn.(*tls.Conn).ConnectionState().PeerCertificates
	if len(certs) == 0 {
		return ""
	}
	return pemfiles.Serial(certs[0])
}
