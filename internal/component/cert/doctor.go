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

// doctor looks for what would keep an authority from issuing, before it is asked: it
// counts failures, and says less about them than we can.
type doctor struct {
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
	d := &doctor{service: s, c: c, lookup: lookup{server}, own: own}
	identities := d.authority(ctx, settings.DirectoryURL)
	d.budget(ctx, settings.DirectoryURL)
	if err != nil {
		d.doubt(checkAddresses, "", dnsUnanswered, "there is no name server to ask: %s", err)
		return d.findings
	}
	if unread != nil && c.Challenge == http01 {
		d.doubt(checkAddresses, "", internalTrouble, "the addresses of this node could not be read: %s", unread)
	}
	for _, name := range c.Names {
		if c.Challenge == http01 && unread == nil {
			d.addresses(ctx, name)
		}
		d.caa(ctx, name, identities)
	}
	return d.findings
}

func (d *doctor) fine(check, name, format string, args ...any) {
	d.findings = append(d.findings, Finding{Check: check, Name: name, OK: true, Message: fmt.Sprintf(format, args...)})
}

// doubt notes what may keep the authority from issuing, and may not.
func (d *doctor) doubt(check, name, code, format string, args ...any) {
	d.findings = append(d.findings, Finding{Check: check, Name: name, Code: code, Message: clean(fmt.Sprintf(format, args...)), Remedy: remedies[code]})
}

// certain notes what will, so that it is not even asked.
func (d *doctor) certain(check, name, code, format string, args ...any) {
	d.doubt(check, name, code, format, args...)
	d.findings[len(d.findings)-1].certain = true
}

// authority asks for the directory, and by which names CAA records know the authority.
func (d *doctor) authority(ctx context.Context, directory string) []string {
	client, err := d.service.client(directory)
	if err == nil {
		found, errGet := client.GetDirectory(ctx)
		if errGet == nil {
			d.fine(checkAuthority, "", "%s answers", host(directory))
			if found.Meta == nil {
				return nil
			}
			return found.Meta.CAAIdentities
		}
		err = unreached(errGet)
	}
	d.certain(checkAuthority, "", acmeUnreachable, "%s", troubleOf(err).message)
	return nil
}

// caa holds the records against the authority's names. One that says none is not judged.
func (d *doctor) caa(ctx context.Context, name string, identities []string) {
	records, err := d.lookup.caa(ctx, apex(name))
	switch {
	case err != nil:
		d.doubt(checkCAA, name, dnsUnanswered, "CAA records could not be checked: %s", err)
	case len(records) == 0:
		d.fine(checkCAA, name, "there are no CAA records")
	case len(identities) > 0 && !permitted(records, identities, pemfiles.Wildcard(name)):
		d.certain(checkCAA, name, caaForbids, "the CAA records of %s do not allow %s", strings.TrimSuffix(records[0].Hdr.Name, "."), strings.Join(identities, " or "))
	default:
		d.fine(checkCAA, name, "the CAA records allow issuance")
	}
}

// addresses sees whether a name leads here. Behind address translation it leads to an
// address that is not ours: then what counts is whether our answer comes back from there.
func (d *doctor) addresses(ctx context.Context, name string) {
	addrs, err := d.lookup.addresses(ctx, name)
	switch {
	case err != nil:
		d.doubt(checkAddresses, name, dnsUnanswered, "the name could not be resolved: %s", err)
		return
	case len(addrs) == 0:
		d.certain(checkAddresses, name, dnsMismatch, "%s has no A or AAAA record", name)
		return
	}
	token := "check-" + rand.Text()
	if err := d.service.present(ctx, token, token+".self"); err != nil {
		d.doubt(checkPort, name, internalTrouble, "port 80 could not be tested")
		return
	}
	defer func() { _ = d.service.withdraw(ctx, token) }() // it expires
	before := len(d.findings)
	for _, addr := range addrs[:min(len(addrs), 4)] {
		d.address(name, addr, d.service.visit(ctx, name, addr, token))
	}
	if len(d.findings) == before {
		d.fine(checkAddresses, name, "%s points here", name)
		d.fine(checkPort, name, "port 80 answers")
	}
}

// address judges one address by what came back from it.
func (d *doctor) address(name string, addr netip.Addr, came visit) {
	switch ours := slices.Contains(d.own, addr); {
	case came == ourAnswer:
	case ours && came == noAnswer:
		d.certain(checkPort, name, portUnreachable, "port 80 of %s (this node) does not answer", addr)
	case ours:
		d.certain(checkPort, name, portUnreachable, "port 80 of %s (this node) is answered by something other than the gateway", addr)
	case came == otherAnswer:
		d.certain(checkAddresses, name, dnsMismatch, "%s points to %s, where another server answers", name, addr)
	case d.public(addr):
		d.doubt(checkAddresses, name, dnsMismatch, "%s points to %s, which is not an address of this node", name, addr)
	default:
		d.doubt(checkPort, name, portUnreachable, "%s points to %s, which is not an address of this node, and port 80 does not answer there", name, addr)
	}
}

// public reports whether this node has a public address of that family itself, so that it
// needs no address translation.
func (d *doctor) public(like netip.Addr) bool {
	return slices.ContainsFunc(d.own, func(a netip.Addr) bool {
		return a.Is4() == like.Is4() && a.IsGlobalUnicast() && !a.IsPrivate()
	})
}
