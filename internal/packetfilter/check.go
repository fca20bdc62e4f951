package packetfilter

import "net/netip"

// isID is whether a name can stand in nft's text as part of a counter, a set or a comment.
func isID(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if ch := s[i]; (ch < '0' || ch > '9') && (ch < 'a' || ch > 'f') && ch != '-' {
			return false
		}
	}
	return true
}

// isInterface is whether a name can be the kernel's for an interface. It is narrower than
// the kernel: what could be a wildcard or end a quoted string is no name here.
func isInterface(s string) bool {
	if s == "" || len(s) > 15 {
		return false
	}
	for i := range len(s) {
		ch := s[i]
		letter := ch|0x20 >= 'a' && ch|0x20 <= 'z'
		digit := ch >= '0' && ch <= '9'
		if !letter && !digit && ch != '_' && ch != '.' && ch != '-' {
			return false
		}
	}
	return true
}

// isWord is whether a zone's name can be part of a chain's.
func isWord(s string) bool {
	if s == "" || len(s) > 32 {
		return false
	}
	for i := range len(s) {
		if ch := s[i]; (ch < '0' || ch > '9') && (ch < 'a' || ch > 'z') && ch != '_' && ch != '-' {
			return false
		}
	}
	return true
}

// good is whether every range is one of its family, from its lower end to its upper.
func (a Addresses) good() bool {
	for _, r := range a.V4 {
		if !r.From.Is4() || !r.To.Is4() || r.To.Less(r.From) {
			return false
		}
	}
	for _, r := range a.V6 {
		if !isPlain6(r.From) || !isPlain6(r.To) || r.To.Less(r.From) {
			return false
		}
	}
	return true
}

// isPlain6 is false for an address with the name of an interface in it, which is text.
func isPlain6(a netip.Addr) bool { return a.Is6() && a.Zone() == "" }

func isPlain(a netip.Addr) bool { return a.Is4() || isPlain6(a) }

// hasPorts is whether a service of the protocol may have ports.
func hasPorts(p Protocol) bool { return p == TCP || p == UDP || p == SCTP }
