package wireguard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gateway/internal/secret"
)

// Text is the configuration as a file: one object a line, after the word for what it is. A
// peer is of the tunnel above it.
func (c Config) Text() []byte {
	var b bytes.Buffer
	b.WriteString("# Tunnels that gateway-apply keeps in the kernel. Edits are overwritten.\n")
	for _, t := range c.Tunnels {
		line(&b, "tunnel", t)
		for _, p := range t.Peers {
			line(&b, "peer", p)
		}
	}
	return b.Bytes()
}

func line(b *bytes.Buffer, word string, v any) {
	b.WriteString(word + " ")
	if err := json.NewEncoder(b).Encode(v); err != nil {
		panic(err) // of strings and numbers there is always a text
	}
}

// Parse reads a file that Text made.
func Parse(data []byte) (c Config, err error) {
	for n, line := range strings.Split(string(data), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
		case "tunnel":
			var t Tunnel
			err = one(rest, &t)
			c.Tunnels = append(c.Tunnels, t)
		case "peer":
			var p Peer
			if err = one(rest, &p); err == nil && len(c.Tunnels) == 0 {
				err = fmt.Errorf("a peer without a tunnel")
			}
			if err == nil {
				of := &c.Tunnels[len(c.Tunnels)-1]
				of.Peers = append(of.Peers, p)
			}
		default:
			err = fmt.Errorf("unknown word %q", word)
		}
		if err != nil {
			return Config{}, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return c, nil
}

func one(line string, v any) error {
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// Text is the keys as a file.
func (k Keys) Text() []byte {
	var b bytes.Buffer
	b.WriteString("# Keys of tunnels. Edits are overwritten.\n")
	for _, name := range slices.Sorted(maps.Keys(k.Private)) {
		fmt.Fprintf(&b, "private %s %s\n", name, k.Private[name].Reveal())
	}
	peers := slices.SortedFunc(maps.Keys(k.Preshared), func(a, b PeerKey) int {
		return strings.Compare(a.Tunnel+" "+a.PublicKey, b.Tunnel+" "+b.PublicKey)
	})
	for _, p := range peers {
		fmt.Fprintf(&b, "preshared %s %s %s\n", p.Tunnel, p.PublicKey, k.Preshared[p].Reveal())
	}
	return b.Bytes()
}

// ParseKeys reads a file that Text made.
func ParseKeys(data []byte) (Keys, error) {
	k := newKeys()
	for n, line := range strings.Split(string(data), "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case len(words) == 3 && words[0] == "private":
			k.Private[words[1]] = secret.Text(words[2])
		case len(words) == 4 && words[0] == "preshared":
			k.Preshared[PeerKey{words[1], words[2]}] = secret.Text(words[3])
		default:
			return Keys{}, fmt.Errorf("line %d is no key", n+1) // without its text, which may be one
		}
	}
	return k, nil
}

func newKeys() Keys {
	return Keys{Private: map[string]secret.Text{}, Preshared: map[PeerKey]secret.Text{}}
}
