package netfilter

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gateway/internal/packetfilter"
	"gateway/tools/bar"
)

// others are tables as other programs have them: names like ours, chains on the same
// hooks, sets, maps, counters that count, and rules of their own order.
const others = `table ip nat {
	chain DOCKER {
		iifname "docker0" counter return
		tcp dport 8080 counter dnat to 172.17.0.2:80
	}
	chain PREROUTING { type nat hook prerouting priority dstnat; policy accept; fib daddr type local counter jump DOCKER; }
	chain POSTROUTING { type nat hook postrouting priority srcnat; policy accept; ip saddr 172.17.0.0/16 oifname != "docker0" counter masquerade; }
}
table ip6 filter { chain INPUT { type filter hook input priority filter; policy accept; counter; }; }
table ip gateway { chain input { type filter hook input priority 5; policy accept; counter comment "gid:not-ours"; }; }
table inet fail2ban {
	set banned { type ipv4_addr; flags interval, timeout; elements = { 203.0.113.0/24, 192.0.2.7 timeout 10d }; }
	map ways { type ifname . ifname : verdict; elements = { "a" . "b" : drop }; }
	counter r_1 { packets 17 bytes 4711 }
	chain input { type filter hook input priority -1; policy accept; ip saddr @banned counter name r_1 reject; }
}
`

// shows FW-04
func TestBarFirewall06OtherTables(t *testing.T) {
	bar.NotShort(t)
	r := newRig(t)
	r.nft(others, "-f", "-")
	want := r.listOthers()
	touched := 0
	look := func() {
		if r.listOthers() != want {
			touched++
		}
	}
	const applies = 20
	for i := range applies {
		text := packetfilter.Compile(floodPolicy(i%2, 10+i))
		r.replace(string(text.Rules), string(text.Elements))
		look()
		r.change("add element inet gateway a4_a {\n192.0.2.9,\n}\n")
		look()
	}
	r.nft("", "delete", "table", "inet", "gateway") // which is what a purge does
	look()
	text := packetfilter.Compile(floodPolicy(0, 10))
	r.replace(string(text.Rules), string(text.Elements))
	look()
	found := touched
	r.nft("", "flush", "ruleset")
	look()
	noticed := touched - found
	figure := fmt.Sprintf("4 tables of others changed %d times in %d applies, %d changes of elements, a purge and a load after it (control: a flush was noticed %d time)",
		found, applies, applies, noticed)
	bar.Report(t, "firewall", 6, figure, "never; the control is noticed", found == 0 && noticed == 1 && strings.Count(want, "\ntable") == 3)
}

// listOthers is all but the product's table, with the numbers that rules have in the
// kernel. What time is left of an element changes by itself.
func (r *rig) listOthers() string {
	r.t.Helper()
	var out strings.Builder
	for _, table := range []string{"ip nat", "ip6 filter", "ip gateway", "inet fail2ban"} {
		if !strings.Contains(r.nft("", "list", "tables"), "table "+table+"\n") {
			continue
		}
		listing := r.nft("", append([]string{"-a", "list", "table"}, strings.Fields(table)...)...)
		fmt.Fprintf(&out, "%s\n", expiry.ReplaceAllString(listing, ""))
	}
	return out.String()
}

var expiry = regexp.MustCompile(` expires [0-9a-z]+`)
