// Package netstate is the daemon side of the network: it renders links, addresses, routes and
// the sysctls of a router from the rows, and brings the kernel there by differences, leaving
// alone what it did not make. What operators see of it is left to package network, and the
// messages to the kernel to package rtnl.
package netstate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/linefile"
	"gateway/internal/longtext"
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
	skipped   []daemon.Problem // rows that are in none of them
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
	for _, r := range c.Routes {
		b.Write(r.line(b.AvailableBuffer()))
	}
	return b.Bytes()
}

// line is what lines would make of a route, in a tenth of the time: there are ten thousand.
func (r Route) line(b []byte) []byte {
	text := func(name, value string) {
		if value != "" {
			quoted, err := json.Marshal(value)
			if err != nil {
				panic(err) // of a string there is always a text
			}
			b = append(append(b, `,"`+name+`":`...), quoted...)
		}
	}
	number := func(name string, n uint32) { b = strconv.AppendUint(append(b, `,"`+name+`":`...), uint64(n), 10) }
	b = append(r.Dst.AppendTo(append(b, `route {"destination":"`...)), '"')
	text("type", r.Type)
	if r.Gateway.IsValid() {
		b = append(r.Gateway.AppendTo(append(b, `,"gateway":"`...)), '"')
	}
	text("dev", r.Dev)
	if r.Metric != 0 {
		number("metric", r.Metric)
	}
	number("table", r.Table)
	if r.Onlink {
		b = append(b, `,"onlink":true`...)
	}
	return append(b, "}\n"...)
}

func lines[T any](b *bytes.Buffer, word string, all []T) {
	for _, v := range all {
		linefile.Append(b, word, v)
	}
}

// words are what the lines of a file begin with.
var words = []string{"link", "address", "route"}

// parsed is a file that was read. One of ten thousand lines is read again in a millisecond when
// one of them is another.
type parsed struct {
	text []byte
	Config
	// gone and come are what the lines between the first and the last that differ from the file
	// before said, and say.
	gone, come Config
}

// next is the file after this one.
func (p parsed) next(text []byte) (parsed, error) {
	from, end, to := longtext.Differing(p.text, text)
	changed, err := Parse(text[from:to])
	if err != nil {
		return parsed{}, err
	}
	gone, err := Parse(p.text[from:end])
	if err != nil {
		return parsed{}, err
	}
	before, after := text[:from], text[to:] // which are as they were
	c := Config{
		Links:     splice(p.Links, changed.Links, count(before, words[0]), count(after, words[0])),
		Addresses: splice(p.Addresses, changed.Addresses, count(before, words[1]), count(after, words[1])),
		Routes:    splice(p.Routes, changed.Routes, count(before, words[2]), count(after, words[2])),
	}
	return parsed{text, c, gone, changed}, nil
}

// splice is the first and the last of what there was, and what changed between them.
func splice[T any](old, changed []T, first, last int) []T {
	return slices.Concat(old[:first], changed, old[len(old)-last:])
}

// count is how many lines begin with a word.
func count(lines []byte, word string) int {
	n := bytes.Count(lines, []byte("\n"+word+" "))
	if bytes.HasPrefix(lines, []byte(word+" ")) {
		n++
	}
	return n
}

// Parse reads a file that Text made.
func Parse(data []byte) (c Config, err error) {
	for word, take := range map[string]func([]byte) error{
		"link": taker(&c.Links), "address": taker(&c.Addresses), "route": taker(&c.Routes),
	} {
		if err := take(all(data, word)); err != nil {
			return Config{}, fmt.Errorf("read a %s: %w", word, err)
		}
	}
	if len(c.Links) != count(data, "link") || len(c.Addresses) != count(data, "address") || len(c.Routes) != count(data, "route") {
		return Config{}, errors.New("a line is not one object")
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		switch word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); {
		case word == "" || word == "#":
		case !slices.Contains(words, word) || rest == "":
			return Config{}, fmt.Errorf("line %d: unknown word %q, or nothing after it", n, word)
		}
	}
	return c, nil
}

// all are the lines that begin with a word, as one list: to read them one by one takes twice
// as long, and there are ten thousand.
func all(data []byte, word string) []byte {
	out := []byte("[")
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte(word)); ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\n') {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, rest...)
		}
	}
	return append(out, ']')
}

func taker[T any](to *[]T) func([]byte) error {
	return func(list []byte) error {
		if len(list) == 2 {
			return nil
		}
		d := json.NewDecoder(bytes.NewReader(list))
		d.DisallowUnknownFields()
		return d.Decode(to)
	}
}
