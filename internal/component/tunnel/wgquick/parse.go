// Package wgquick reads the files of wg-quick, which other tools and people write. It takes
// over what describes a tunnel and lists the rest; commands in such a file are never run.
// Whether the values make sense is left to package tunnel.
package wgquick

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gateway/internal/fault"
	"gateway/internal/secret"
)

// MaxSize is how long a file may be.
const MaxSize = 1 << 20

// maxPeers is more than anybody writes into a file.
const maxPeers = 10000

// Config is what a file says.
type Config struct {
	PrivateKey secret.Text
	Addresses  []string // with their networks
	ListenPort int
	DNS        []string
	MTU        int
	Peers      []Peer
	Left       []Left
}

// Peer is one of the file.
type Peer struct {
	Name         string // by a comment; may be empty
	PublicKey    string
	PresharedKey secret.Text
	AllowedIPs   []string
	Endpoint     string
	Keepalive    int
	line         int
}

// Left is a line that is not taken over.
type Left struct {
	Line int    `json:"line" doc:"Number of the line in the file"`
	Name string `json:"name" doc:"What it sets" example:"PostUp"`
}

// reader is where we are in a file.
type reader struct {
	Config
	line    int
	section string
	comment string // the last one, while nothing came after it
}

// Parse reads a file. Its errors name the line.
func Parse(text string) (Config, error) {
	var r reader
	if len(text) > MaxSize || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return r.Config, fault.Say("is not a text file of at most %d KiB", MaxSize>>10)
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r", "\n"), "\n") {
		r.line++
		if err := r.read(line); err != nil {
			return r.Config, err
		}
	}
	return r.Config, r.complete()
}

// read takes one line. As for wg, a # begins a comment wherever it is.
func (r *reader) read(line string) error {
	line, comment, commented := strings.Cut(line, "#")
	line = strings.TrimSpace(line)
	switch {
	case line == "" && commented:
		r.remark(comment)
		return nil
	case line == "":
		return nil
	case strings.HasPrefix(line, "["):
		return r.begin(line)
	}
	name, value, ok := strings.Cut(line, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || name == "" {
		return fault.Say("line %d is not NAME = VALUE", r.line)
	}
	r.comment = ""
	switch r.section {
	case "interface":
		return r.own(name, value)
	case "peer":
		return r.peer(&r.Peers[len(r.Peers)-1], name, value)
	}
	return fault.Say("line %d is outside of a section", r.line)
}

// remark keeps a comment that may name the peer: before its section, or first in it.
func (r *reader) remark(comment string) {
	comment = nameIn(comment)
	if comment == "" {
		return
	}
	if r.section == "peer" {
		if p := &r.Peers[len(r.Peers)-1]; p.Name == "" && p.PublicKey == "" && p.AllowedIPs == nil && p.Endpoint == "" {
			p.Name = comment
			return
		}
	}
	r.comment = comment
}

// nameIn is the name in a comment, as usual tools write it.
func nameIn(comment string) string {
	comment = strings.TrimSpace(strings.Trim(comment, "# \t"))
	for _, word := range []string{"friendly_name", "name", "client", "begin_peer", "peer"} {
		if len(comment) > len(word) && strings.EqualFold(comment[:len(word)], word) && strings.ContainsRune(" \t=:", rune(comment[len(word)])) {
			comment = strings.TrimSpace(strings.TrimLeft(comment[len(word):], " \t=:"))
			break
		}
	}
	printable := !strings.ContainsFunc(comment, func(c rune) bool { return c < ' ' || c == 0x7f })
	if !printable || utf8.RuneCountInString(comment) > 60 || strings.Contains(comment, "=") { // a line that somebody switched off
		return ""
	}
	return comment
}

func (r *reader) begin(line string) error {
	r.section = strings.ToLower(line)
	switch r.section {
	case "[interface]":
		r.section = "interface"
	case "[peer]":
		if len(r.Peers) == maxPeers {
			return fault.Say("has more than %d peers", maxPeers)
		}
		r.section = "peer"
		r.Peers = append(r.Peers, Peer{Name: r.comment, line: r.line})
	default:
		return fault.Say("line %d is not a section of wg-quick", r.line)
	}
	r.comment = ""
	return nil
}

func (r *reader) own(name, value string) (err error) {
	switch strings.ToLower(name) {
	case "privatekey":
		r.PrivateKey = secret.Text(value)
	case "address":
		r.Addresses = append(r.Addresses, list(value)...)
	case "listenport":
		r.ListenPort, err = r.number(name, value)
	case "dns":
		r.DNS = append(r.DNS, list(value)...)
	case "mtu":
		r.MTU, err = r.number(name, value)
	default:
		r.leave(r.line, name)
	}
	return err
}

func (r *reader) peer(p *Peer, name, value string) (err error) {
	switch strings.ToLower(name) {
	case "publickey":
		p.PublicKey = value
	case "presharedkey":
		p.PresharedKey = secret.Text(value)
	case "allowedips":
		p.AllowedIPs = append(p.AllowedIPs, list(value)...)
	case "endpoint":
		p.Endpoint = value
	case "persistentkeepalive":
		if !strings.EqualFold(value, "off") {
			p.Keepalive, err = r.number(name, value)
		}
	default:
		r.leave(r.line, name)
	}
	return err
}

// maxName is how much of a name that nobody knows is shown.
const maxName = 40

func (r *reader) leave(line int, name string) {
	if utf8.RuneCountInString(name) > maxName {
		name = string([]rune(name)[:maxName])
	}
	r.Left = append(r.Left, Left{line, name})
}

func (r *reader) number(name, value string) (int, error) {
	n, err := strconv.ParseUint(value, 0, 16)
	if err != nil {
		return 0, fault.Say("line %d: %s is not a number from 0 to 65535", r.line, name)
	}
	return int(n), nil
}

func list(value string) []string {
	var out []string
	for w := range strings.SplitSeq(value, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// complete looks at what every tunnel has, and leaves out peers that can be reached by nothing.
func (r *reader) complete() error {
	if r.PrivateKey == "" {
		return fault.Say("has no PrivateKey")
	}
	if len(r.Addresses) == 0 {
		return fault.Say("has no Address")
	}
	for i, a := range r.Addresses {
		if !strings.Contains(a, "/") {
			r.Addresses[i] += map[bool]string{true: "/128", false: "/32"}[strings.Contains(a, ":")]
		}
	}
	for _, p := range r.Peers {
		if p.PublicKey == "" {
			return fault.Say("line %d: the peer has no PublicKey", p.line)
		}
		if len(p.AllowedIPs) == 0 {
			r.leave(p.line, "[Peer] without AllowedIPs")
		}
	}
	r.Peers = slices.DeleteFunc(r.Peers, func(p Peer) bool { return len(p.AllowedIPs) == 0 })
	return nil
}

// Client reports whether the file is that of somebody who dials: then every peer says where.
func (c Config) Client() bool {
	return c.ListenPort == 0 && len(c.Peers) > 0 && !slices.ContainsFunc(c.Peers, func(p Peer) bool { return p.Endpoint == "" })
}
