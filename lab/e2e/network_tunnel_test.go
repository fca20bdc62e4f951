package e2e

import (
	"net/netip"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/lab"
)

// tunnelName is that of the tunnel of a node, and tunnelAddress where the node is in it.
const (
	tunnelName    = "wg0"
	tunnelAddress = "10.8.0.1"
)

// deviceUnit makes the link of a tunnel in place of the kernel, which may have no WireGuard: as
// early as the module would be there.
const deviceUnit = `[Unit]
DefaultDependencies=no
After=systemd-modules-load.service
Before=gateway-network.service
[Service]
Type=forking
Environment=LOG_LEVEL=error
ExecStart=/usr/sbin/wireguard-go %i
ExecStartPost=/usr/bin/ip link set %i group 250
[Install]
WantedBy=sysinit.target
`

// roaming is a phone that dials the node.
type roaming struct{ key, server wgtypes.Key }

// tunnelled gives the node a tunnel with a peer. What makes it the gateway's own is set after it
// was configured: before, it would be a leftover.
func (n *legs) tunnelled() roaming {
	n.t.Helper()
	phone := wireguardtest.NewKey(n.t)
	n.lab.Must(n.node.CopyIn(wireguardtest.Program(n.t), "/usr/sbin/wireguard-go", 0o755))
	n.lab.Must(n.node.WriteFile("/etc/systemd/system/wireguard-go@.service", []byte(deviceUnit), 0o644))
	n.withApplier("wireguardgo")
	n.sh("systemctl enable wireguard-go@" + tunnelName + "; wireguard-go " + tunnelName + " </dev/null >/dev/null 2>&1")
	made := n.c.post("/tunnel/interfaces", object{"name": tunnelName, "mode": "server", "address_cidr": tunnelAddress + "/24", "listen_port": 51820, "endpoint": outerAddress}).want(201)
	server, err := wgtypes.ParseKey(data[struct {
		PublicKey string `json:"public_key"`
	}](made).PublicKey)
	n.lab.Must(err)
	n.c.post("/tunnel/peers", object{"interface_id": made.id(), "name": "phone", "public_key": phone.PublicKey().String(), "allowed_ips": []string{"10.8.0.2/32", "10.50.0.0/16"}}).want(201)
	n.c.post("/network-interfaces", object{"name": tunnelName, "type": "wireguard", "role": "lan"}).want(201)
	ping := n.c.post("/firewall/services", object{"name": "echo", "protocol": "icmp", "icmp_type": 8}).want(201).id()
	n.c.rule("ping", "any", "any", "accept", object{"service_object_id": ping})
	n.sh("ip link set " + tunnelName + " group 250")
	r := roaming{phone, server}
	n.eventually(patience, "the phone gets through the tunnel", func() bool { return r.reaches(n.t, n.far.from, 2*time.Second) })
	n.settles(n.c, patience)
	return r
}

// reaches reports whether the phone, just switched on, gets an answer through the tunnel.
func (r roaming) reaches(t testing.TB, from *lab.Client, within time.Duration) bool {
	t.Helper()
	c := wireguardtest.NewClientFor(t, from, r.key, netip.MustParseAddr("10.8.0.2"), r.server, wgtypes.Key{}, netip.MustParseAddrPort(outerAddress+":51820"), "10.8.0.0/24")
	defer c.Close()
	return c.Reach(netip.MustParseAddr(tunnelAddress), within)
}

// tunnels are what the node has of them beside its keys, as iproute2 shows it.
func (n *legs) tunnels() string {
	n.t.Helper()
	return n.sh("ip -o addr show dev " + tunnelName + " scope global proto 251 | awk '{print $2, $4}'; ip -4 route show proto 251 table all; ip -o link show " + tunnelName + " | grep -o 'mtu [0-9]*\\|group [^ ]*'")
}
