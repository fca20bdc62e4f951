package tunnel

import "testing"

func TestTheTunnelOfATrouble(t *testing.T) {
	for subject, want := range map[string]string{
		"tunnel wg0": "wg0", "tunnel wg0: MTU": "wg0", "address 10.8.0.1/24 on wg0": "wg0", "route 10.9.0.0/24 of tunnel wg0": "wg0",
		"tunnel tunnel": "tunnel", "route ::/0 of tunnel route": "route", "address fd00::1/64 on on": "on", "address fd00::1/64 on tunnel": "tunnel",
		"rule 30000": "",
	} {
		if got := tunnelIn(subject); got != want {
			t.Errorf("the tunnel of %q is %q, want %q", subject, got, want)
		}
	}
}
