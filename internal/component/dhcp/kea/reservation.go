package kea

import (
	"encoding/hex"
	"net"
	"net/netip"
	"slices"
	"strings"

	"gateway/internal/fault"
)

// Reservation gives one client always the same address.
type Reservation struct {
	Address  string `json:"address" db:"address" minLength:"1" maxLength:"15" doc:"Address to assign; it may lie within a pool" example:"192.0.2.10"`
	MAC      string `json:"mac" db:"mac" maxLength:"32" required:"false" doc:"MAC address of the client; empty if it is known by its client ID" example:"02:00:5e:00:53:01"`
	ClientID string `json:"client_id" db:"client_id" maxLength:"800" required:"false" doc:"Client identifier (option 61) in hexadecimal; empty if it is known by its MAC address" example:""`
	Hostname string `json:"hostname" db:"hostname" maxLength:"63" required:"false" doc:"Host name to assign, and to answer in the DNS where the subnet says so; one label" example:"printer"`
}

const leastClientID, mostClientID = 2, 255

// Validate reports everything that is wrong, and puts every value into the one form that is
// stored. network and gateway are those of its subnet, own this node's addresses.
func (r *Reservation) Validate(p *fault.Problems, network netip.Prefix, gateway string, own []netip.Addr) {
	if a, err := hostIn(network, r.Address); err != nil {
		p.AddError("address", err)
	} else {
		r.Address = a.String()
		switch {
		case r.Address == gateway:
			p.Add("address", "is the gateway of the subnet")
		case slices.Contains(own, a):
			p.Add("address", "is an address of this node")
		}
	}
	switch {
	case r.MAC == "" && r.ClientID == "":
		p.Add("mac", "is required, unless there is a client ID")
	case r.MAC != "" && r.ClientID != "":
		p.Add("client_id", "must be empty where there is a MAC address")
	case r.MAC != "":
		setTo(p, "mac", &r.MAC, ParseMAC)
	default:
		setTo(p, "client_id", &r.ClientID, parseClientID)
	}
	if r.Hostname != "" {
		setTo(p, "hostname", &r.Hostname, parseLabel)
	}
}

func setTo(p *fault.Problems, field string, s *string, parse func(string) (string, error)) {
	spelled, err := parse(*s)
	if err != nil {
		p.AddError(field, err)
		return
	}
	*s = spelled
}

// ParseMAC reads the hardware address of an Ethernet card in any usual spelling.
func ParseMAC(text string) (string, error) {
	mac, err := net.ParseMAC(strings.TrimSpace(text))
	if err != nil || len(mac) != 6 {
		return "", fault.Say("must be a MAC address such as 02:00:5e:00:53:01")
	}
	if mac[0]&1 != 0 || slices.Equal(mac, make([]byte, 6)) {
		return "", fault.Say("must be the MAC address of one device")
	}
	return mac.String(), nil
}

func parseClientID(text string) (string, error) {
	data, err := hex.DecodeString(strings.NewReplacer(":", "", "-", "", " ", "").Replace(strings.TrimPrefix(text, "0x")))
	if err != nil || len(data) < leastClientID || len(data) > mostClientID {
		return "", fault.Say("must be %d to %d bytes in hexadecimal", leastClientID, mostClientID)
	}
	return net.HardwareAddr(data).String(), nil
}

func parseLabel(text string) (string, error) {
	if label := Label(text); label != "" && label == strings.ToLower(text) {
		return label, nil
	}
	return "", fault.Say("must be one label of a host name: letters, digits and dashes")
}

// Label is the first label of a host name as the DNS may have it, or "" where that is none, or one
// that a client must not choose: browsers and Windows ask some names for what to trust.
func Label(hostname string) string {
	label, _, _ := strings.Cut(strings.ToLower(hostname), ".")
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || slices.Contains([]string{"localhost", "wpad", "isatap"}, label) {
		return ""
	}
	for _, c := range []byte(label) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return ""
		}
	}
	return label
}
