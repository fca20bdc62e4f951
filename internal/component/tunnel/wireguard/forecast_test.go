package wireguard_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/sys"
	"gateway/lab"
	"gateway/tools/bar"
)

// hostIn asks the kernel of a space.
type hostIn struct{ space *lab.Space }

func (h hostIn) Route(to netip.Addr) (r sys.Route, err error) {
	err = h.space.Do(func() error { r, err = new(sys.Host).Route(to); return err })
	return r, err
}

// connects reports whether a new connection comes about, in less than it takes to ask again.
func connects(space *lab.Space, from, to string) bool {
	return space.Do(func() error {
		d := net.Dialer{Timeout: 700 * time.Millisecond, LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := d.Dial("tcp4", to+":443")
		if err == nil {
			err = c.Close()
		}
		return err
	}) == nil
}

// A tunnel that this node dials may take everything and cut nobody off, or take one network and
// cut off who is in it: the judge is a connection in the same kernel.
func TestBarNetwork04Tunnels(t *testing.T) {
	visitors := []struct{ from, to string }{
		{"203.0.113.77", "192.0.2.1"}, // from afar
		{"203.0.113.77", "10.1.0.1"},  // to an address that has no way out of its own
		{"192.0.2.254", "192.0.2.1"},  // a neighbour
	}
	var refused, made, missed, falseAlarms int
	for _, allowed := range []string{
		"0.0.0.0/0", "0.0.0.0/0 ::/0", "0.0.0.0/1 128.0.0.0/1", "203.0.113.0/24", "203.0.113.64/26", "203.0.113.77/32", "198.51.100.0/24",
		"192.0.2.0/24", "192.0.2.254/32", "192.0.2.128/25", "10.0.0.0/8", "192.0.0.0/8 203.0.113.77/32",
	} {
		t.Run(allowed, func(t *testing.T) {
			r := newRig(t, nil)
			far := beyond(r)
			for _, line := range []string{"link add e2 type bridge", "addr add 10.1.0.1/24 dev e2", "link set e2 up"} {
				r.ip(line)
			}
			far.ip("route add 10.1.0.1/32 via 192.0.2.1")
			serve(t, r.space, "0.0.0.0:443")
			c, p, k := provider(r, far, strings.Fields(allowed)...)
			guard := wireguard.GuardForTest(wireguard.Options{Host: hostIn{r.space}, Open: wireguardtest.Options(t, r.space).Open})
			alarms := map[int]bool{}
			for i, v := range visitors {
				reached := false
				for try := 0; try < 20 && !reached; try++ { // how long one waits is for those that must not come through
					reached = connects(far.space, v.from, v.to)
				}
				if !reached {
					t.Fatalf("%s does not reach %s at the beginning", v.from, v.to)
				}
				ctx := identity.WithOrigin(t.Context(), func() identity.Origin {
					return identity.Origin{Addr: netip.MustParseAddr(v.from), Local: netip.MustParseAddr(v.to), Port: 443}
				})
				err := guard(ctx, wireguard.Config{}, one(c, p))
				var f *fault.Fault
				if alarms[i] = errors.As(err, &f) && f.Code == "would_lock_out"; err != nil && !alarms[i] {
					t.Fatal(err)
				}
			}
			if err := r.try(one(c, p), k); err != nil { // a network that a link has already is in trouble, and no error
				t.Fatal(err)
			}
			for i, v := range visitors {
				works := connects(far.space, v.from, v.to) || !alarms[i] && connects(far.space, v.from, v.to)
				switch {
				case alarms[i] && works:
					falseAlarms++
					t.Errorf("false alarm: %s still reaches %s", v.from, v.to)
				case !alarms[i] && !works:
					missed++
					t.Errorf("missed: %s no longer reaches %s\n%s%s", v.from, v.to, r.ip("rule show"), r.ip("route show table all"))
				}
				if alarms[i] {
					refused++
				} else {
					made++
				}
			}
		})
	}
	figure := fmt.Sprintf("%d client tunnels under sessions, some of which take everything: %d refused, %d made, %d missed, %d false alarms", refused+made, refused, made, missed, falseAlarms)
	bar.Report(t, "network", 4, figure, "0 missed, 0 false alarms", missed+falseAlarms == 0 && refused >= 5 && made >= 5 && !t.Failed())
}
