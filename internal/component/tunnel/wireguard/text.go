package wireguard

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gateway/internal/linefile"
	"gateway/internal/secret"
)

// Text is the configuration as a file: one object a line, after the word for what it is. A
// peer is of the tunnel above it.
func (c Config) Text() []byte {
	var b bytes.Buffer
	b.WriteString("# Tunnels that gateway-apply keeps in the kernel. Edits are overwritten.\n")
	for _, t := range c.Tunnels {
		linefile.Append(&b, "tunnel", t)
		for _, p := range t.Peers {
			linefile.Append(&b, "peer", p)
		}
	}
	return b.Bytes()
}

// Parse reads a file that Text made.
func Parse(data []byte) (c Config, err error) {
	err = linefile.Read(data, map[string]func(string) error{
		"tunnel": linefile.Into(&c.Tunnels),
		"peer": func(object string) error {
			if len(c.Tunnels) == 0 {
				return fmt.Errorf("a peer without a tunnel")
			}
			return linefile.Into(&c.Tunnels[len(c.Tunnels)-1].Peers)(object)
		},
	})
	if err != nil {
		return Config{}, err
	}
	return c, nil
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
