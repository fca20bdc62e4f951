package cert

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// lookup asks name servers what the authority will ask them.
type lookup struct{ server string }

const lookupTime = 5 * time.Second

var errNoAnswer = errors.New("the name server did not answer")

// ask sends one question. That there is no such name is an answer, without records.
func (l lookup) ask(ctx context.Context, name string, kind uint16) ([]dns.RR, error) {
	q := new(dns.Msg).SetQuestion(dns.Fqdn(name), kind)
	q.SetEdns0(1232, false)
	var last error
	for _, transport := range []string{"udp", "udp", "tcp"} {
		c := dns.Client{Net: transport, Timeout: lookupTime / 2}
		in, _, err := c.ExchangeContext(ctx, q, l.server)
		switch {
		case err != nil:
			last = err
		case in.Truncated:
			last = errNoAnswer
		case in.Rcode == dns.RcodeSuccess || in.Rcode == dns.RcodeNameError:
			return in.Answer, nil
		default:
			last = fmt.Errorf("it answered %s", dns.RcodeToString[in.Rcode])
		}
	}
	return nil, fmt.Errorf("ask %s for %s of %s: %w", l.server, dns.TypeToString[kind], name, last)
}

// addresses are where a name leads, over both families.
func (l lookup) addresses(ctx context.Context, name string) ([]netip.Addr, error) {
	var out []netip.Addr
	for _, kind := range []uint16{dns.TypeA, dns.TypeAAAA} {
		records, err := l.ask(ctx, name, kind)
		if err != nil {
			return nil, err
		}
		for _, rr := range records {
			var addr netip.Addr
			switch r := rr.(type) {
			case *dns.A:
				addr, _ = netip.AddrFromSlice(r.A)
			case *dns.AAAA:
				addr, _ = netip.AddrFromSlice(r.AAAA)
			}
			if addr.IsValid() {
				out = append(out, addr.Unmap())
			}
		}
	}
	return out, nil
}

// caa are the CAA records that count for a name: its own, or else those of the next name
// above that has any.
func (l lookup) caa(ctx context.Context, name string) ([]*dns.CAA, error) {
	for at := name; at != ""; {
		records, err := l.ask(ctx, at, dns.TypeCAA)
		if err != nil {
			return nil, err
		}
		var found []*dns.CAA
		for _, rr := range records {
			if r, ok := rr.(*dns.CAA); ok {
				found = append(found, r)
			}
		}
		if len(found) > 0 {
			return found, nil
		}
		_, at, _ = strings.Cut(at, ".")
	}
	return nil, nil
}

// permitted reports whether records let one of the authority's names issue.
func permitted(records []*dns.CAA, identities []string, wild bool) bool {
	tag := "issue"
	for _, r := range records {
		if wild && strings.EqualFold(r.Tag, "issuewild") {
			tag = "issuewild" // counts instead of the others, where there is one
		}
	}
	restricted := false
	for _, r := range records {
		if !strings.EqualFold(r.Tag, tag) {
			continue
		}
		restricted = true
		domain, _, _ := strings.Cut(r.Value, ";")
		domain = strings.ToLower(strings.TrimSpace(domain))
		for _, id := range identities {
			if domain == strings.ToLower(id) {
				return true
			}
		}
	}
	return !restricted
}

// alias follows a name to where its records really are: many keep challenges in a zone of
// their own.
func (l lookup) alias(ctx context.Context, name string) (string, error) {
	name = dns.Fqdn(name)
	for range 8 {
		records, err := l.ask(ctx, name, dns.TypeCNAME)
		if err != nil {
			return "", err
		}
		target := ""
		for _, rr := range records {
			if r, ok := rr.(*dns.CNAME); ok && strings.EqualFold(r.Hdr.Name, name) {
				target = r.Target
			}
		}
		if target == "" {
			return name, nil
		}
		name = strings.ToLower(target)
	}
	return "", fmt.Errorf("%s is part of a CNAME loop", name)
}

// zone is the one that holds a name: the next above with an SOA record.
func (l lookup) zone(ctx context.Context, name string) (string, error) {
	for at := dns.Fqdn(name); at != "" && at != "."; {
		records, err := l.ask(ctx, at, dns.TypeSOA)
		if err != nil {
			return "", err
		}
		for _, rr := range records {
			if r, ok := rr.(*dns.SOA); ok && strings.EqualFold(r.Hdr.Name, at) {
				return at, nil
			}
		}
		_, at, _ = strings.Cut(at, ".")
	}
	return "", fmt.Errorf("no zone found for %s", name)
}
