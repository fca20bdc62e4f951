package netstate

import (
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/rtnl"
)

// Modes, rates and hash policies of bonds, each at the kernel's number.
var (
	Modes     = []string{"balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb"}
	LACPRates = []string{"slow", "fast"}
	Hashes    = []string{"layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4", "vlan+srcmac"}
)

// DefaultMode is the one that needs nothing of the switch.
const DefaultMode = "active-backup"

// modeLACP is 802.3ad.
const modeLACP = 4

// DefaultMiimon is how often a bond looks whether its members have a carrier, in milliseconds.
// The kernel's own default is never, with which a dead member goes unnoticed.
const DefaultMiimon = 100

func bond(w Link) rtnl.Bond {
	if w.Mode == "" {
		w.Mode = DefaultMode
	}
	b := rtnl.Bond{
		Mode: at(Modes, w.Mode), Miimon: uint32(w.Miimon), Hash: at(Hashes, w.Hash), LACPRate: at(LACPRates, w.LACPRate),
	}
	if b.Miimon == 0 {
		b.Miimon = DefaultMiimon
	}
	return b
}

// at is the kernel's number of a word; the first one for none.
func at(words []string, word string) uint8 { return uint8(max(0, slices.Index(words, word))) }

// RouteTypes are the kinds of routes; a unicast one leads somewhere, the others refuse.
var RouteTypes = []string{"unicast", "blackhole", "unreachable", "prohibit"}

func routeType(word string) uint8 {
	switch word {
	case "blackhole":
		return unix.RTN_BLACKHOLE
	case "unreachable":
		return unix.RTN_UNREACHABLE
	case "prohibit":
		return unix.RTN_PROHIBIT
	default:
		return unix.RTN_UNICAST
	}
}

// ordered is the links so that each comes after what it is on or made of. What is in a circle,
// which the API refuses, comes last.
func ordered(links []Link) []Link {
	done := map[string]bool{}
	known := map[string]bool{}
	for _, l := range links {
		known[l.Name] = true
	}
	var out []Link
	for len(out) < len(links) {
		before := len(out)
		for _, l := range links {
			waits := func(name string) bool { return known[name] && !done[name] }
			if !done[l.Name] && !waits(l.Parent) && !slices.ContainsFunc(l.Members, waits) {
				done[l.Name] = true
				out = append(out, l)
			}
		}
		if len(out) == before {
			return append(out, slices.DeleteFunc(slices.Clone(links), func(l Link) bool { return done[l.Name] })...)
		}
	}
	return out
}
