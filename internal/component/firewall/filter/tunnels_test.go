package filter_test

import (
	"net/http"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/firewall/firewalltest"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/daemon"
)

// What operators do to tunnels is in the kernel's packet filter when their request is answered.
//
// shows FW-14, FW-15, FW-16, FW-28
func TestWhatTunnelsNeedIsInTheKernel(t *testing.T) {
	r := firewalltest.NewWith(t, firewalltest.Options{
		Live: true, Others: []daemon.Daemon{wireguard.New(wireguard.Options{})},
	})
	tunnels := apitest.New(t, "tunnel", tunnel.New(tunnel.Options{DB: r.Pool, Run: r.Run, Box: r.Box}).Routes)
	lines := func(name, port string) map[string]int {
		kernel, out := r.Kernel(), map[string]int{}
		for _, want := range []string{
			`iifname "` + name + `" accept`, `oifname "` + name + `" ip saddr 10.8.0.0/24 masquerade`, `oifname "` + name + `" ip6 saddr fd08::/64 masquerade`,
			"udp dport " + port + " accept",
		} {
			out[want] = strings.Count(kernel, want)
		}
		return out
	}
	is := func(when, name, port string, want int) {
		t.Helper()
		for line, n := range lines(name, port) {
			if n != want {
				t.Errorf("%s: %q is there %d times, want %d", when, line, n, want)
			}
		}
	}
	is("before", "wg7", "51820", 0)
	server := object{"name": "wg7", "mode": "server", "address_cidr": "10.8.0.1/24,fd08::1/64", "listen_port": 51820, "endpoint": "vpn.example.com", "active": true}
	made := tunnels.Do("POST", "/tunnel/interfaces", server).Want(http.StatusCreated)
	is("a server", "wg7", "51820", 1)
	server["listen_port"] = 51999
	edit := func() {
		t.Helper()
		tunnels.Do("PUT", "/tunnel/interfaces/"+made.ID(), server).Want(http.StatusOK)
	}
	edit()
	is("another port", "wg7", "51999", 1)
	server["active"] = false
	edit()
	is("switched off", "wg7", "51999", 0)
	tunnels.Do("POST", "/tunnel/interfaces", object{"name": "wg8", "mode": "client", "address_cidr": "10.8.0.2/24,fd08::2/64", "listen_port": 51888, "active": true}).Want(http.StatusCreated)
	is("one that we dial", "wg8", "51888", 0)
}
