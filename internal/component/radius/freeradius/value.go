package freeradius

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gateway/internal/component/radius/protocol"
	"gateway/internal/fault"
	"gateway/internal/value"
)

const (
	leastVLAN, mostVLAN = 1, 4094
	// mostSecret is longer than what devices take.
	mostSecret = 128
)

var (
	clientName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	userName    = regexp.MustCompile(`^[A-Za-z0-9._@-]{1,64}$`)
	plainSecret = regexp.MustCompile(`^[ -~]+$`)
)

// Validate reports everything that is wrong, and spells what is right the one way it is stored in.
func (s *Settings) Validate(p *fault.Problems) {
	out := make([]string, 0, len(s.ListenAddresses)) // never nil: a list of none is [] in JSON and in a row
	for i, text := range s.ListenAddresses {
		at := fmt.Sprintf("listen_addresses[%d]", i)
		a, err := value.Listen(text)
		switch {
		case err != nil:
			p.AddError(at, err)
		case slices.Contains(out, a.String()):
			p.Add(at, "is a duplicate")
		default:
			out = append(out, a.String())
		}
	}
	s.ListenAddresses = out
	for _, one := range []struct {
		field string
		port  int
	}{{"auth_port", s.AuthPort}, {"accounting_port", s.AccountingPort}} {
		if one.port < 1 || one.port > 65535 || one.port == ProbePort {
			p.Add(one.field, "must be a port from 1 to 65535 other than %d, where this node asks itself", ProbePort)
		}
	}
	if s.AuthPort == s.AccountingPort {
		p.Add("accounting_port", "must be another port than auth_port")
	}
}

// Validate is as for Settings.
func (c *Client) Validate(p *fault.Problems) {
	if !clientName.MatchString(c.Name) {
		p.Add("name", "must begin with a letter or a digit and have only letters, digits, dots, hyphens and underscores, at most 64")
	}
	if n, err := ClientNetwork(c.Address); err != nil {
		p.AddError("address", err)
	} else {
		c.Address = value.Short(n)
	}
	if err := Secret(c.Secret.Reveal()); err != nil {
		p.AddError("secret", err)
	}
}

// ClientNetwork reads the address or the network of a client.
func ClientNetwork(text string) (netip.Prefix, error) {
	n, err := value.Prefix(text)
	switch {
	case err != nil:
		return n, err
	case n.Bits() == 0:
		return n, fault.Say("must not be all addresses; enter the address or the network of the devices")
	case n.Addr().IsMulticast() || n.IsSingleIP() && n.Addr().IsUnspecified():
		return n, fault.Say("must be the address or the network of devices that ask")
	}
	return n, nil
}

// Secret refuses what devices cannot be given as a shared secret.
func Secret(text string) error {
	switch {
	case text == "":
		return fault.Say("is required")
	case !plainSecret.MatchString(text):
		return fault.Say("must be printable ASCII without line breaks")
	case len(text) > mostSecret:
		return fault.Say("must have at most %d characters", mostSecret)
	}
	return nil
}

// Validate is as for Settings.
func (u *User) Validate(p *fault.Problems) {
	// FreeRADIUS takes the entry DEFAULT for everybody.
	if !userName.MatchString(u.Name) || strings.HasPrefix(strings.ToUpper(u.Name), "DEFAULT") {
		p.Add("name", "must have only letters, digits, dots, hyphens, underscores and @, at most 64, and not begin with DEFAULT")
	}
	if err := Password(u.Password.Reveal()); err != nil {
		p.AddError("password", err)
	}
	if u.VLAN != nil && (*u.VLAN < leastVLAN || *u.VLAN > mostVLAN) {
		p.Add("vlan", "must be between %d and %d", leastVLAN, mostVLAN)
	}
}

// Password refuses what no sign-in could carry.
func Password(text string) error {
	switch {
	case text == "":
		return fault.Say("is required")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, value.Unprintable):
		return fault.Say("must not contain control characters or line breaks")
	case len(text) > protocol.MostPassword:
		return fault.Say("must have at most %d bytes", protocol.MostPassword)
	}
	return nil
}
