// Package netstate is the daemon side of the network: it renders links, addresses, routes and
// the sysctls of a router from the rows, and brings the kernel there by differences, leaving
// alone what it did not make. What operators see of it is left to package network, and the
// messages to the kernel to package rtnl.
package netstate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"gateway/internal/daemon"
)

// The kinds of links. Ethernet and WireGuard links are used as they are found, the others made.
const (
	Ethernet  = "ethernet"
	VLAN      = "vlan"
	Bond      = "bond"
	Bridge    = "bridge"
	WireGuard = "wireguard"
)

// Config is what the kernel is to have.
type Config struct {
	Links     []Link
	Addresses []Address
	Routes    []Route
	left      []daemon.Problem // rows that are in none of them
}

// Link is an interface.
type Link struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Role    string   `json:"role,omitempty"`
	MTU     int      `json:"mtu,omitempty"` // 0 leaves it as it is
	Parent  string   `json:"parent,omitempty"`
	VLANID  int      `json:"vlan_id,omitempty"`
	Members []string `json:"members,omitempty"`
	Alias   string   `json:"alias,omitempty"`

	Mode       string `json:"mode,omitempty"` // of a bond: "802.3ad"
	LACPRate   string `json:"lacp_rate,omitempty"`
	Hash       string `json:"hash,omitempty"`
	Primary    string `json:"primary,omitempty"`
	Miimon     int    `json:"miimon,omitempty"`
	STP        bool   `json:"stp,omitempty"`
	VLANFilter bool   `json:"vlan_filtering,omitempty"`
}

// Made reports whether the link is ours to make and remove.
func (l Link) Made() bool { return l.Kind == VLAN || l.Kind == Bond || l.Kind == Bridge }

// Address is an address of a link.
type Address struct {
	Link   string       `json:"link"`
	Prefix netip.Prefix `json:"address"`
}

// Route is a static route.
type Route struct {
	Dst     netip.Prefix `json:"destination"`
	Type    string       `json:"type,omitempty"` // empty for unicast
	Gateway netip.Addr   `json:"gateway,omitzero"`
	Dev     string       `json:"dev,omitempty"`
	Metric  uint32       `json:"metric,omitempty"`
	Table   uint32       `json:"table"`
	Onlink  bool         `json:"onlink,omitempty"`
}

// Text is the configuration as a file: one object a line, after the word for what it is.
func (c Config) Text() []byte {
	var b bytes.Buffer
	b.WriteString("# Links, addresses and routes that gateway-apply keeps in the kernel. Edits are overwritten.\n")
	lines(&b, "link", c.Links)
	lines(&b, "address", c.Addresses)
	lines(&b, "route", c.Routes)
	return b.Bytes()
}

func lines[T any](b *bytes.Buffer, word string, all []T) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	for _, v := range all {
		b.WriteString(word + " ")
		if err := e.Encode(v); err != nil {
			panic(err) // of strings and numbers there is always a text
		}
	}
}

// Parse reads a file that Text made.
func Parse(data []byte) (c Config, err error) {
	for n, line := range strings.Split(string(data), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
		case "link":
			err = one(rest, &c.Links)
		case "address":
			err = one(rest, &c.Addresses)
		case "route":
			err = one(rest, &c.Routes)
		default:
			err = fmt.Errorf("unknown word %q", word)
		}
		if err != nil {
			return Config{}, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return c, nil
}

func one[T any](line string, all *[]T) error {
	var v T
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return err
	}
	*all = append(*all, v)
	return nil
}
