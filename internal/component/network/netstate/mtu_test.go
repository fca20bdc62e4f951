package netstate

import (
	"path/filepath"
	"strings"
	"testing"
)

// A change that is taken back leaves no MTU behind, and no link without IPv6. The process that
// takes it back may be another one.
func TestAnMTUThatIsNoLongerSetGoesBack(t *testing.T) {
	space, n := newKernel(t)
	path := filepath.Join(t.TempDir(), "mtu.json")
	n.mtus.path = path
	run(t, space, "link set p2 mtu 9000")
	was := Config{Links: []Link{{Name: "p1", Kind: Ethernet}}, Addresses: []Address{{"p1", prefix("fd00:1::1/64")}}}
	n.become(t, Config{}, was)
	for _, kill := range []bool{false, true} {
		small := Config{Links: []Link{{Name: "p1", Kind: Ethernet, MTU: 1200}, {Name: "p2", Kind: Ethernet, MTU: 1400}}}
		n.become(t, was, small)
		if all := strings.Join(seen(t, space), "\n"); strings.Contains(all, "fd00:1::1/64") || !strings.Contains(all, "mtu 1200") || !strings.Contains(all, "mtu 1400") {
			t.Fatalf("the small ones are not there:\n%s", all)
		}
		if kill {
			n.mtus = mtus{path: path}
		}
		n.become(t, small, was) // the row of p2 is gone with the change
		all := strings.Join(seen(t, space), "\n")
		if !strings.Contains(all, "fd00:1::1/64") || !strings.Contains(all, "mtu 9000") || strings.Contains(all, "mtu 1200") || strings.Contains(all, "mtu 1400") {
			t.Errorf("killed %v: afterwards\n%s", kill, all)
		}
		// Somebody else's is left alone.
		run(t, space, "link set p2 mtu 8000")
		n.become(t, was, was)
		if all := strings.Join(seen(t, space), "\n"); !strings.Contains(all, "mtu 8000") {
			t.Errorf("another's MTU was changed:\n%s", all)
		}
		run(t, space, "link set p2 mtu 9000")
	}
}
