package cert

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libdns/libdns"
	"github.com/mholt/acmez/v3/acme"
	"github.com/miekg/dns"

	"gateway/internal/dnsprovider"
)

const (
	appearTime = 3 * time.Minute // for a record to be on every server of its zone
	recordTTL  = 2 * time.Minute
)

// dnsSolver leaves the answers in the zone of a name.
type dnsSolver struct {
	service  *service
	provider dnsprovider.Changer
	hide     *strings.Replacer
	lookup   lookup

	mu    sync.Mutex
	made  map[string]txt // by challenge
	wrong error
}

// txt is a record that was made.
type txt struct {
	zone, name, value string // zone and name are complete
}

func (t txt) record() []libdns.Record {
	return []libdns.Record{libdns.TXT{Name: libdns.RelativeName(t.name, t.zone), Text: t.value, TTL: recordTTL}}
}

func (s *service) dnsSolver(ctx context.Context, c due) (solver, error) {
	if c.DNSProviderID == nil {
		return nil, troubled(dnsUpdateFailed, nil, "there is no DNS provider for the challenge dns-01")
	}
	server, err := s.resolver()
	if err != nil {
		return nil, troubled(dnsUnanswered, err, "there is no name server to ask")
	}
	provider, hide, err := s.openProvider(ctx, *c.DNSProviderID)
	if err != nil {
		return nil, err
	}
	return &dnsSolver{service: s, provider: provider, hide: hide, lookup: lookup{server}, made: map[string]txt{}}, nil
}

// fail keeps what went wrong: the library that calls us wraps it beyond recognition.
func (s *dnsSolver) fail(code string, err error, format string, args ...any) error {
	t := troubled(code, nil, "%s: %s", fmt.Sprintf(format, args...), s.hide.Replace(err.Error()))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrong == nil {
		s.wrong = t
	}
	return t
}

func (s *dnsSolver) trouble() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrong
}

// Present adds the record. A wildcard and its own name have one each, of the same name.
func (s *dnsSolver) Present(ctx context.Context, c acme.Challenge) error {
	name, err := s.lookup.alias(ctx, c.DNS01TXTRecordName())
	if err != nil {
		return s.fail(dnsUnanswered, err, "cannot determine where the challenge record for %s belongs", c.Identifier.Value)
	}
	zone, err := s.lookup.zone(ctx, name)
	if err != nil {
		return s.fail(dnsUnanswered, err, "cannot determine the zone of %s", c.Identifier.Value)
	}
	t := txt{zone: zone, name: name, value: c.DNS01KeyAuthorization()}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if _, err := s.provider.AppendRecords(ctx, t.zone, t.record()); err != nil {
		return s.fail(dnsUpdateFailed, err, "the DNS provider did not add the record for %s", c.Identifier.Value)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[c.URL] = t
	return nil
}

// Wait returns when every server of the zone has the record: an authority asks any of them.
func (s *dnsSolver) Wait(ctx context.Context, c acme.Challenge) error {
	s.mu.Lock()
	t := s.made[c.URL]
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, appearTime)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		late := s.late(ctx, t)
		if late == "" {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return s.fail(dnsUpdateFailed, ctx.Err(), "the record for %s did not appear on %s", c.Identifier.Value, late)
		}
	}
}

// late names a server that does not have the record yet. Those that cannot be asked from
// here are left to the authority.
func (s *dnsSolver) late(ctx context.Context, t txt) string {
	for _, server := range s.servers(ctx, t.zone) {
		records, err := lookup{server}.ask(ctx, t.name, dns.TypeTXT)
		if err != nil {
			continue
		}
		if !slices.ContainsFunc(records, func(rr dns.RR) bool {
			r, ok := rr.(*dns.TXT)
			return ok && strings.Join(r.Txt, "") == t.value
		}) {
			return server
		}
	}
	return ""
}

// servers are the addresses of those that hold a zone. The system's resolver would do to
// ask, but it remembers for long that there was no such record.
func (s *dnsSolver) servers(ctx context.Context, zone string) []string {
	records, err := s.lookup.ask(ctx, zone, dns.TypeNS)
	if err != nil {
		return nil
	}
	var out []string
	for _, rr := range records {
		ns, ok := rr.(*dns.NS)
		if !ok {
			continue
		}
		addrs, err := s.lookup.addresses(ctx, ns.Ns)
		if err != nil {
			continue
		}
		for _, a := range addrs {
			out = append(out, net.JoinHostPort(a.String(), s.service.outside.DNSPort))
		}
	}
	return out
}

// CleanUp removes the record; the authority has seen it, or never will.
func (s *dnsSolver) CleanUp(ctx context.Context, c acme.Challenge) error {
	s.mu.Lock()
	t, found := s.made[c.URL]
	delete(s.made, c.URL)
	s.mu.Unlock()
	if !found {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if _, err := s.provider.DeleteRecords(ctx, t.zone, t.record()); err != nil {
		s.service.Log.Warn("remove a challenge's record", "name", t.name, "err", s.hide.Replace(err.Error()))
	}
	return nil
}
