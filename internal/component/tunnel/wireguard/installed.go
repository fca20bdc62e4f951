package wireguard

import (
	"os"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"gateway/internal/fault"
	"gateway/internal/secret"
)

// A master key that is lost must not take tunnels down, nor the last copy of their keys with it: what is installed, and can
// be read, stays in use, one by one, until it is generated anew. Only gateway-apply can read it; who judges a change does
// without. The preshared key of a peer does not follow a tunnel to another name.

// installed reads the keys that were installed last.
func (d *tunnels) installed() Keys {
	if data, err := os.ReadFile(d.Installed); err == nil {
		if keys, err := ParseKeys(data); err == nil {
			return keys
		}
	}
	return newKeys()
}

// rescued is the installed private key of a tunnel, which may have had another name.
func (s *state) rescued(r tunnelRow) (secret.Text, bool) {
	for _, k := range s.installed().Private {
		key, err := ParseKey(k.Reveal())
		if err == nil && Key(wgtypes.Key(key).PublicKey()).String() == r.PublicKey {
			s.skip("the stored key of tunnel "+r.Name, inUse)
			return k, true
		}
	}
	s.sealed++
	return "", false
}

// rescuedShared is the installed preshared key of a peer.
func (s *state) rescuedShared(at PeerKey, peer string) (secret.Text, bool) {
	k, is := s.installed().Preshared[at]
	if is {
		s.skip("the stored key of peer "+peer+" of tunnel "+at.Tunnel, inUse)
	}
	return k, is
}

var inUse = fault.Said("cannot be decrypted; the installed one stays in use. Generate a new one")
