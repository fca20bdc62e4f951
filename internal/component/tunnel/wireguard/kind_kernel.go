//go:build !wireguardgo

package wireguard

// linkKind is that of the kernel's tunnels.
const linkKind = "wireguard"
