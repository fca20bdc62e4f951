package netstate

import (
	"regexp"
	"slices"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/rtnl"
)

// Loopback is the kernel's own; nothing is built on it.
const Loopback = "lo"

// ValidName reports whether an interface can be called so.
func ValidName(name string) bool { return rtnl.ValidName(name) }

// skip notes a row that is no configuration. The API stores none, but rows may be older than
// its rules, or written by another hand.
func (c *Config) skip(subject string, why fault.Sentence) {
	c.skipped = append(c.skipped, daemon.Problem{Subject: subject, Sentence: why})
}

// roleForm is that of the names of zones.
var roleForm = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,32}$`)

// flaw is what is wrong with a row in itself; whether it fits the others is the API's question.
func (l linkRow) flaw() (why fault.Sentence, is bool) {
	names := slices.Concat(l.Members, []string{l.Name})
	for _, optional := range []string{l.Parent, l.Primary} {
		if optional != "" {
			names = append(names, optional)
		}
	}
	within := func(n, low, high int) bool { return n == 0 || n >= low && n <= high }
	known := func(word string, words ...string) bool { return word == "" || slices.Contains(words, word) }
	switch {
	case slices.ContainsFunc(names, func(s string) bool { return !ValidName(s) }):
		return fault.Said("has an invalid interface name, its own or that of a part"), true
	case l.Parent == Loopback || slices.Contains(l.Members, Loopback):
		return fault.Said("the loopback interface cannot be part of another one"), true
	case !slices.Contains([]string{Ethernet, VLAN, Bond, Bridge, WireGuard}, l.Type):
		return fault.Said("has an unknown type"), true
	case l.Role != "" && !roleForm.MatchString(l.Role):
		return fault.Said("has an invalid zone name"), true
	case !within(l.MTU, 68, 65535) || !within(l.VLANID, 1, 4094) || !within(l.Miimon, 1, 60000):
		return fault.Said("has a number that is out of range"), true
	case !known(l.Mode, Modes...) || !known(l.LACPRate, LACPRates...) || !known(l.Hash, Hashes...):
		return fault.Said("has an unknown bond mode, LACP rate or hash policy"), true
	}
	return why, false
}
