package unbound

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"gateway/internal/fault"

	mdns "github.com/miekg/dns"
)

// Types are what a record can be.
func Types() []string {
	return []string{"A", "AAAA", "CNAME", "TXT", "MX", "SRV", "NS", "PTR", "CAA"}
}

// parseValue reads a record's value as an operator writes it. Names in it may be relative to zone.
func parseValue(typ, value, zone string) (mdns.RR, error) {
	switch typ {
	case "A", "AAAA":
		return parseAddress(typ, value)
	case "CNAME", "NS", "PTR":
		return parseTarget(typ, value, zone)
	case "MX", "SRV":
		return parseService(typ, value, zone)
	case "TXT":
		return parseText(value)
	case "CAA":
		return parseCAA(value)
	}
	return nil, fault.Say("must be one of %s", strings.Join(Types(), ", "))
}

func parseAddress(typ, value string) (mdns.RR, error) {
	addr, err := netip.ParseAddr(value)
	if typ == "A" {
		if err != nil || !addr.Is4() {
			return nil, fault.Say("must be an IPv4 address")
		}
		return &mdns.A{A: addr.AsSlice()}, nil
	}
	if err != nil || !addr.Is6() || addr.Is4In6() || addr.Zone() != "" {
		return nil, fault.Say("must be an IPv6 address")
	}
	return &mdns.AAAA{AAAA: addr.AsSlice()}, nil
}

func parseTarget(typ, value, zone string) (mdns.RR, error) {
	name, err := targetName(value, zone)
	if err != nil {
		return nil, err
	}
	switch typ {
	case "CNAME":
		return &mdns.CNAME{Target: name}, nil
	case "NS":
		return &mdns.NS{Ns: name}, nil
	default:
		return &mdns.PTR{Ptr: name}, nil
	}
}

// parseService reads "10 mail.example.com" and "10 60 5060 sip.example.com".
func parseService(typ, value, zone string) (mdns.RR, error) {
	words := strings.Fields(value)
	shape := map[string]string{"MX": "preference target", "SRV": "priority weight port target"}[typ]
	if len(words) != len(strings.Fields(shape)) {
		return nil, fault.Say("must be: %s", shape)
	}
	numbers := make([]uint16, len(words)-1)
	for i := range numbers {
		n, err := strconv.ParseUint(words[i], 10, 16)
		if err != nil {
			return nil, fault.Say("must begin with %d numbers from 0 to 65535: %s", len(numbers), shape)
		}
		numbers[i] = uint16(n)
	}
	name, err := serviceTarget(words[len(words)-1], zone)
	if err != nil {
		return nil, fmt.Errorf("has a target that %w", err)
	}
	if typ == "MX" {
		return &mdns.MX{Preference: numbers[0], Mx: name}, nil
	}
	return &mdns.SRV{Priority: numbers[0], Weight: numbers[1], Port: numbers[2], Target: name}, nil
}

// serviceTarget is also the single dot by which a name says that it has no such service.
func serviceTarget(word, zone string) (string, error) {
	if word == "." {
		return word, nil
	}
	return targetName(word, zone)
}

// OperatorValue prints a value as the API shows it. Reading that gives the same record.
func OperatorValue(rr mdns.RR) string {
	switch rr := rr.(type) {
	case *mdns.TXT:
		return textValue(rr)
	case *mdns.CAA:
		return fmt.Sprintf("%d %s %s", rr.Flag, rr.Tag, quote(unescape(rr.Value)))
	}
	return fileValue(rr)
}

// fileValue prints a value for unbound: without any quote, and with every byte that
// could mean something to a parser as its number.
func fileValue(rr mdns.RR) string {
	switch rr := rr.(type) {
	case *mdns.A:
		return address(rr.A.To4())
	case *mdns.AAAA:
		return address(rr.AAAA)
	case *mdns.CNAME:
		return rr.Target
	case *mdns.NS:
		return rr.Ns
	case *mdns.PTR:
		return rr.Ptr
	case *mdns.MX:
		return fmt.Sprintf("%d %s", rr.Preference, rr.Mx)
	case *mdns.SRV:
		return fmt.Sprintf("%d %d %d %s", rr.Priority, rr.Weight, rr.Port, rr.Target)
	case *mdns.TXT:
		return strings.Join(escapeAll(rr.Txt), " ")
	case *mdns.CAA:
		return fmt.Sprintf("%d %s %s", rr.Flag, rr.Tag, escape(unescape(rr.Value)))
	}
	return ""
}

func address(ip []byte) string {
	addr, _ := netip.AddrFromSlice(ip)
	return addr.String()
}
