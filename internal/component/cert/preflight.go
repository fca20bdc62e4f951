package cert

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/setupstate"
)

// The checks, in the order they are made.
const (
	checkAuthority = "authority"
	checkBudget    = "rate_limit"
	checkAddresses = "addresses"
	checkCAA       = "caa"
	checkPort      = "port_80"
)

// preflight looks for what would keep an authority from issuing, before it is asked: it
// counts failures, and says less about them than we can.
type preflight struct {
	service  *service
	c        due
	lookup   lookup
	own      []netip.Addr
	findings []Finding
}

// diagnose makes all checks for one certificate.
func (s *service) diagnose(ctx context.Context, c due, settings setupstate.ACME) []Finding {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	server, err := s.resolver()
	own, unread := s.outside.Addresses()
	p := &preflight{service: s, c: c, lookup: lookup{server}, own: own}
	identities := p.authority(ctx, settings.DirectoryURL)
	p.budget(ctx, settings.DirectoryURL)
	if err != nil {
		p.doubt(checkAddresses, "", dnsUnanswered, "there is no name server to ask: %s", err)
		return p.findings
	}
	if unread != nil && c.Challenge == http01 {
		p.doubt(checkAddresses, "", internalTrouble, "the addresses of this node could not be read: %s", unread)
	}
	for _, name := range c.Names {
		if c.Challenge == http01 && unread == nil {
			p.addresses(ctx, name)
		}
		p.caa(ctx, name, identities)
	}
	return p.findings
}

func (p *preflight) fine(check, name, format string, args ...any) {
	p.findings = append(p.findings, Finding{Check: check, Name: name, OK: true, Message: fmt.Sprintf(format, args...)})
}

// doubt notes what may keep the authority from issuing, and may not.
func (p *preflight) doubt(check, name, code, format string, args ...any) {
	p.findings = append(p.findings, Finding{Check: check, Name: name, Code: code, Message: clean(fmt.Sprintf(format, args...)), Remedy: remedies[code]})
}

// certain notes what will, so that it is not even asked.
func (p *preflight) certain(check, name, code, format string, args ...any) {
	p.doubt(check, name, code, format, args...)
	p.findings[len(p.findings)-1].certain = true
}

// authority asks for the directory, and by which names CAA records know the authority.
func (p *preflight) authority(ctx context.Context, directory string) []string {
	client, err := p.service.client(directory)
	if err == nil {
		found, errGet := client.GetDirectory(ctx)
		if errGet == nil {
			p.fine(checkAuthority, "", "%s answers", host(directory))
			if found.Meta == nil {
				return nil
			}
			return found.Meta.CAAIdentities
		}
		err = unreached(errGet)
	}
	p.certain(checkAuthority, "", acmeUnreachable, "%s", troubleOf(err).message)
	return nil
}

// caa holds the records against the authority's names. One that says none is not judged.
func (p *preflight) caa(ctx context.Context, name string, identities []string) {
	records, err := p.lookup.caa(ctx, apex(name))
	switch {
	case err != nil:
		p.doubt(checkCAA, name, dnsUnanswered, "CAA records could not be checked: %s", err)
	case len(records) == 0:
		p.fine(checkCAA, name, "there are no CAA records")
	case len(identities) > 0 && !permitted(records, identities, pemfiles.Wildcard(name)):
		p.certain(checkCAA, name, caaForbids, "the CAA records of %s do not allow %s", strings.TrimSuffix(records[0].Hdr.Name, "."), strings.Join(identities, " or "))
	default:
		p.fine(checkCAA, name, "the CAA records allow issuance")
	}
}

// addresses sees whether a name leads here. Behind address translation it leads to an
// address that is not ours: then what counts is whether our answer comes back from there.
func (p *preflight) addresses(ctx context.Context, name string) {
	addrs, err := p.lookup.addresses(ctx, name)
	switch {
	case err != nil:
		p.doubt(checkAddresses, name, dnsUnanswered, "the name could not be resolved: %s", err)
		return
	case len(addrs) == 0:
		p.certain(checkAddresses, name, dnsMismatch, "%s has no A or AAAA record", name)
		return
	}
	token := "check-" + rand.Text()
	if err := p.service.present(ctx, token, token+".self"); err != nil {
		p.doubt(checkPort, name, internalTrouble, "port 80 could not be tested")
		return
	}
	defer func() { _ = p.service.withdraw(ctx, token) }() // it expires
	before := len(p.findings)
	for _, addr := range addrs[:min(len(addrs), 4)] {
		p.address(name, addr, p.service.selfTest(ctx, name, addr, token))
	}
	if len(p.findings) == before {
		p.fine(checkAddresses, name, "%s points here", name)
		p.fine(checkPort, name, "port 80 answers")
	}
}

// address judges one address by what came back from it.
func (p *preflight) address(name string, addr netip.Addr, came selfTestResult) {
	switch ours := slices.Contains(p.own, addr); {
	case came == ourAnswer:
	case ours && came == noAnswer:
		p.certain(checkPort, name, portUnreachable, "port 80 of %s (this node) does not answer", addr)
	case ours:
		p.certain(checkPort, name, portUnreachable, "port 80 of %s (this node) is answered by something other than the gateway", addr)
	case came == otherAnswer:
		p.certain(checkAddresses, name, dnsMismatch, "%s points to %s, where another server answers", name, addr)
	case p.public(addr):
		p.doubt(checkAddresses, name, dnsMismatch, "%s points to %s, which is not an address of this node", name, addr)
	default:
		p.doubt(checkPort, name, portUnreachable, "%s points to %s, which is not an address of this node, and port 80 does not answer there", name, addr)
	}
}

// public reports whether this node has a public address of that family itself, so that it
// needs no address translation.
func (p *preflight) public(like netip.Addr) bool {
	return slices.ContainsFunc(p.own, func(a netip.Addr) bool {
		return a.Is4() == like.Is4() && a.IsGlobalUnicast() && !a.IsPrivate()
	})
}
