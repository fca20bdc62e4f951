package probe

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/miekg/dns"
)

// Types are the records that can be asked for.
func Types() []string {
	return []string{"A", "AAAA", "CNAME", "MX", "TXT", "NS", "SOA", "PTR", "SRV", "CAA"}
}

// dig asks the name server of this node.
func (t Tools) dig(ctx context.Context, b *strings.Builder, name, kind string) int {
	resolver := systemResolver
	if t.Resolver != nil {
		resolver = t.Resolver
	}
	server, err := resolver()
	if err != nil {
		fmt.Fprintln(b, err)
		return Failed
	}
	if back, err := dns.ReverseAddr(name); err == nil && kind == "PTR" {
		name = back
	}
	q := new(dns.Msg).SetQuestion(dns.Fqdn(name), dns.StringToType[kind])
	q.SetEdns0(1232, false)
	var in *dns.Msg
	for _, transport := range []string{"udp", "udp", "tcp"} {
		c := dns.Client{Net: transport, Timeout: Limits()["dig"] / 3}
		if in, _, err = c.ExchangeContext(ctx, q, server); err == nil && !in.Truncated {
			break
		}
	}
	if err != nil {
		fmt.Fprintf(b, "%s does not answer: %s\n", server, err)
		return Silent
	}
	fmt.Fprintf(b, "%s\n;; SERVER: %s\n", in, server)
	return Answered
}

// systemResolver is the first that the system asks.
func systemResolver() (string, error) {
	c, err := dns.ClientConfigFromFile("/etc/resolv.conf")
	if err != nil {
		return "", err
	}
	if len(c.Servers) == 0 {
		return "127.0.0.1:53", nil // as the C library has it
	}
	return net.JoinHostPort(c.Servers[0], c.Port), nil
}
