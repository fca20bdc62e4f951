package chrony

import (
	"math/rand/v2"
	"net/netip"
	"strings"
)

// Values that the API accepts, in every shape that they come in.

func randomIPv4(r *rand.Rand) string {
	return []string{"0.0.0.0", "127.0.0.1", netip.AddrFrom4([4]byte{byte(1 + r.IntN(223)), byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(256))}).String()}[min(r.IntN(6), 2)]
}

func randomIPv6(r *rand.Rand) string {
	a := [16]byte{0x20, 0x01, 0x0d, 0xb8}
	for range r.IntN(12) {
		a[4+r.IntN(12)] = byte(r.IntN(256))
	}
	text := netip.AddrFrom16(a).String()
	switch r.IntN(5) {
	case 0:
		return strings.ToUpper(text)
	case 1:
		return netip.AddrFrom16(a).StringExpanded()
	case 2:
		return []string{"::", "::1"}[r.IntN(2)]
	}
	return text
}

func randomNetwork(r *rand.Rand) string {
	a, bits := netip.MustParseAddr(randomIPv4(r)), 32
	if r.IntN(2) == 0 {
		a, bits = netip.MustParseAddr(randomIPv6(r)), 128
	}
	if r.IntN(3) == 0 {
		return a.String()
	}
	return netip.PrefixFrom(a, r.IntN(bits+1)).Masked().String()
}

func randomHost(r *rand.Rand) string {
	switch r.IntN(5) {
	case 0:
		return netip.AddrFrom4([4]byte{192, 0, 2, byte(r.IntN(256))}).String()
	case 1:
		return "2001:db8::" + randomLabel(r, "0123456789abcdef", 4)
	}
	parts := []string{}
	for range r.IntN(5) {
		parts = append(parts, randomLabel(r, "abcdefghijklmnopqrstuvwxyz0123456789-", 1+r.IntN(63)))
	}
	name := strings.Join(append(parts, "x"+randomLabel(r, "abcdefghijklmnopqrstuvwxyz0123456789-", 1+r.IntN(20))), ".")
	if len(name) > 253 {
		name = name[len(name)-50:]
		name = "x" + strings.TrimLeft(name, ".-")
	}
	if r.IntN(4) == 0 {
		return strings.ToUpper(name)
	}
	return name
}

// randomLabel is a part of a name: dashes are within it only.
func randomLabel(r *rand.Rand, letters string, length int) string {
	b := make([]byte, length)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
		if (i == 0 || i == length-1) && b[i] == '-' {
			b[i] = 'a'
		}
	}
	return string(b)
}
