package e2e

import (
	"fmt"
	"strings"
	"testing"

	"gateway/tools/bar"
)

// An operator at a browser builds a bridge with an address and a route, and the kernel has them;
// adds a device to a tunnel; and moves the address of the management, which comes back. This
// kernel has no bonds, no VLANs and no WireGuard: the tunnel is not active.
func TestBarNetwork13Browser(t *testing.T) {
	webFolder(t)
	a, c := alone(t)
	eth0 := c.post("/network-interfaces", object{"name": "eth0", "type": "ethernet", "role": "lan"}).want(201).live().id()
	c.post("/ip-addresses", object{"interface_id": eth0, "address": "10.79.0.1", "prefix": 24}).want(201).live()
	a.client.MustRun(t, "ip", "addr", "add", "10.79.0.9/24", "dev", "eth0")
	c.post("/tunnel/interfaces", object{"name": "wg0", "mode": "server", "address_cidr": "10.8.0.1/24", "endpoint": "vpn.example.com", "active": false}).want(201)
	a.sh("ip link add story0 type veth peer name story1 && ip link set story1 up && ip link set story0 up")
	names := map[string]string{
		"port": "story0", "name": "br9", "address": "10.77.0.1", "destination": "198.51.100.0/24", "gateway": "10.77.0.2",
		"client": a.client.IP().String(), "management": "10.79.0.1", "moved": "10.79.0.2",
	}
	do := a.accounts()
	do["names"] = ask(func(struct{}) (any, error) { return names, nil })
	do["ip"] = ask(func(in struct{ Line string }) (any, error) { return a.sh("ip " + in.Line), nil })
	var out struct {
		Shown            struct{ Box, Refusal, Code, Countdown string }
		Kernel           struct{ Link, Address, Route, Stray, Moved, Back string }
		Findings, Sights []string
		BackAfter        float64 // seconds beyond the wait
	}
	a.browse("network", do, &out, shots(t)...)
	if k := out.Kernel; !strings.Contains(k.Link, "bridge") || !strings.Contains(k.Address, "10.77.0.1/24") ||
		!strings.Contains(k.Route, "via 10.77.0.2 dev br9") || k.Stray != "" {
		t.Errorf("the kernel has %+v", k)
	}
	if s := out.Shown; !strings.Contains(s.Box, "lan") || !strings.Contains(s.Refusal, names["client"]) {
		t.Errorf("the pages show %+v", s)
	}
	device := strings.Contains(out.Shown.Code, "[Interface]") && strings.Contains(out.Shown.Code, "Endpoint = vpn.example.com:51820")
	if !device {
		t.Errorf("the QR code says %q", out.Shown.Code)
	}
	if k := out.Kernel; !strings.Contains(k.Moved, "10.79.0.2/24") || strings.Contains(k.Moved, "10.79.0.1/24") ||
		!strings.Contains(k.Back, "10.79.0.1/24") || strings.Contains(k.Back, "10.79.0.2/24") || out.Shown.Countdown == "" {
		t.Errorf("moved %q, back %q, countdown %q", k.Moved, k.Back, out.Shown.Countdown)
	}
	for _, f := range out.Findings {
		t.Errorf("axe: %s", f)
	}
	out.Shown.Code = "" // it has a private key
	t.Logf("%+v; looked at %v", out.Shown, out.Sights)
	a.settles(c, patience)
	figure := fmt.Sprintf("bridge, address and route built and drawn, refused route named, device added by its QR code, management address moved at %s of the countdown and back %.0f s after it; axe %d findings on %d pages; no bond, VLAN or active tunnel: this kernel has none",
		out.Shown.Countdown, out.BackAfter, len(out.Findings), len(out.Sights))
	bar.Report(t, "network", 13, figure, "passes, axe clean", !t.Failed() && device && len(out.Findings) == 0 && len(out.Sights) > 0)
}
