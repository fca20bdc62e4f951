// Package outbound reaches servers whose address an operator, or somebody else, chose,
// without being led to places that only this machine can reach: itself, its neighbours on
// the link, what a cloud keeps at a link-local address. Private networks are allowed:
// appliances often speak to servers there. What is said to them is left to the callers.
package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"time"

	"gateway/internal/value"
)

// Refused is the error for an address that must not be reached from here.
type Refused struct{ Addr netip.Addr }

func (r Refused) Error() string {
	return fmt.Sprintf("%s is a local or link-local address and cannot be used as a server", r.Addr)
}

// Dialer returns one that looks at the address it is about to reach, not at the name that
// led there: that may mean another address by now. own are this machine's addresses; while they
// cannot be read, nothing is reached.
func Dialer(own func() ([]netip.Addr, error)) *net.Dialer {
	return &net.Dialer{
		Timeout: 10 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("dial %s: %w", address, err)
			}
			return check(to.Addr(), own)
		},
	}
}

func check(addr netip.Addr, own func() ([]netip.Addr, error)) error {
	ours, err := own()
	if err != nil {
		return fmt.Errorf("list own addresses: %w", err)
	}
	for _, a := range value.Meanings(addr) {
		if a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() || a.IsLinkLocalUnicast() || a.Zone() != "" ||
			a == netip.AddrFrom4([4]byte{255, 255, 255, 255}) || value.IsMetadata(a) || slices.Contains(ours, a) {
			return Refused{addr.Unmap()}
		}
	}
	return nil
}

// Transport speaks HTTP over TLS to such servers, past any proxy of the environment. It
// trusts the system's authorities, and those in caFile where there is such a file.
func Transport(own func() ([]netip.Addr, error), caFile string) (*http.Transport, error) {
	roots, err := trusted(caFile)
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		DialContext:           Dialer(own).DialContext,
		TLSClientConfig:       &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second,
		ForceAttemptHTTP2:     true,
		// A server that is not ours must not fill our memory.
		MaxResponseHeaderBytes: 64 << 10,
		MaxIdleConns:           4,
		IdleConnTimeout:        30 * time.Second,
	}, nil
}

func trusted(caFile string) (*x509.CertPool, error) {
	text, err := os.ReadFile(caFile)
	if errors.Is(err, fs.ErrNotExist) || caFile == "" {
		return nil, nil // the system's alone
	}
	if err != nil {
		return nil, fmt.Errorf("read trusted authorities: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the system's authorities: %w", err)
	}
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", caFile)
	}
	return roots, nil
}

// NoRedirects keeps an answer that leads elsewhere as it is.
func NoRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
