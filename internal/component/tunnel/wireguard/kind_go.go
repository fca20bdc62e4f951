//go:build wireguardgo

package wireguard

// linkKind is that of the links of wireguard-go. Only builds for tests on a kernel without
// WireGuard have it; somebody else makes the links there, before they are wanted.
const linkKind = "tun"
