package netfilter

import (
	"context"
	"net"
	"net/netip"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// tracking makes the kernel track connections, which it does only when a rule asks.
const tracking = `add table inet gateway
add chain inet gateway input { type filter hook input priority filter; }
add chain inet gateway output { type nat hook output priority dstnat; }
add rule inet gateway input ct state established accept
`

// open makes a TCP connection to a listener, which has a port of its own, by an address.
func (r *rig) open(listener net.Listener, to string) net.Conn {
	r.t.Helper()
	var c net.Conn
	r.must(func() (err error) {
		c, err = net.Dial("tcp", to)
		return err
	})
	r.t.Cleanup(func() { c.Close() })
	other, err := listener.Accept()
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { other.Close() })
	return c
}

func (r *rig) listen(address string) net.Listener {
	r.t.Helper()
	var l net.Listener
	r.must(func() (err error) {
		l, err = net.Listen("tcp", address)
		return err
	})
	r.t.Cleanup(func() { l.Close() })
	return l
}

func (r *rig) connections(f Filter, limit int) (list []Connection, total int) {
	r.t.Helper()
	r.must(func() (err error) {
		list, total, err = Connections(r.t.Context(), f, limit)
		return err
	})
	return list, total
}

func port(a net.Addr) uint16 { return netip.MustParseAddrPort(a.String()).Port() }

func TestConnectionsListsWhatIsMeant(t *testing.T) {
	r := newRig(t)
	r.nft(tracking, "-f", "-")
	l4, l6 := r.listen("127.0.0.1:0"), r.listen("[::1]:0")
	c4 := r.open(l4, l4.Addr().String())
	r.open(l4, l4.Addr().String())
	r.open(l6, l6.Addr().String())
	localhost := netip.MustParsePrefix("127.0.0.0/8")
	for _, tc := range []struct {
		name   string
		filter Filter
		want   int
	}{
		{"all", Filter{}, 3},
		{"by source", Filter{Source: localhost}, 2},
		{"by destination", Filter{Destination: netip.MustParsePrefix("::1/128")}, 1},
		{"by port", Filter{Port: port(l4.Addr())}, 2},
		{"by protocol", Filter{Protocol: 17}, 0},
		{"by mark", Filter{Mark: 1, MarkMask: 1}, 0},
		{"by two of them", Filter{Source: localhost, Port: port(l6.Addr())}, 0},
		{"by a function", Filter{Match: func(c Connection) bool { return c.SourcePort == port(c4.LocalAddr()) }}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list, total := r.connections(tc.filter, 1)
			if total != tc.want || len(list) != min(1, tc.want) {
				t.Errorf("%d listed of %d, want %d of %d", len(list), total, min(1, tc.want), tc.want)
			}
		})
	}
}

func TestConnectionsSeesTranslation(t *testing.T) {
	r := newRig(t)
	l := r.listen("127.0.0.1:0")
	// Counting is off by default, and belongs to the network.
	r.must(func() error { return os.WriteFile("/proc/sys/net/netfilter/nf_conntrack_acct", []byte("1"), 0) })
	local := netip.MustParseAddrPort(l.Addr().String())
	r.nft(tracking+"add rule inet gateway output ip daddr 127.0.0.2 tcp dport 80 ct mark set 0x10000000 dnat ip to "+local.String()+"\n", "-f", "-")
	c := r.open(l, "127.0.0.2:80")
	from := netip.MustParseAddrPort(c.LocalAddr().String())
	list, _ := r.connections(Filter{Port: local.Port()}, 10)
	want := []Connection{{
		Protocol: 6, State: "established", Answered: true, Mark: 0x10000000,
		Direction: Direction{Source: from.Addr(), SourcePort: from.Port(), Destination: netip.MustParseAddr("127.0.0.2"), Port: 80, Type: -1},
		Reply:     Direction{Source: local.Addr(), SourcePort: local.Port(), Destination: from.Addr(), Port: from.Port(), Type: -1},
	}}
	if diff := cmp.Diff(want, list, addresses, cmpopts.IgnoreFields(Connection{}, "Timeout", "Sent", "Received", "ID")); diff != "" {
		t.Errorf("connections (-want +got):\n%s", diff)
	}
	if n := list[0]; n.Timeout == 0 || n.ID == 0 || n.Sent.Packets != 2 || n.Received.Packets != 1 || n.Received.Bytes == 0 {
		t.Errorf("connection = %+v, want its time, its number and a handshake counted", n)
	}
}

func TestCutEndsOnlyWhatIsMeant(t *testing.T) {
	r := newRig(t)
	r.nft(tracking, "-f", "-")
	l := r.listen("127.0.0.1:0")
	c := r.open(l, l.Addr().String())
	r.open(l, l.Addr().String())
	mine := Filter{Match: func(n Connection) bool { return n.SourcePort == port(c.LocalAddr()) }}
	var cut int
	r.must(func() (err error) {
		cut, err = Cut(t.Context(), mine)
		return err
	})
	_, left := r.connections(Filter{}, 0)
	if _, still := r.connections(mine, 0); cut != 1 || still != 0 || left != 1 {
		t.Errorf("cut %d, %d of them left, %d in all, want 1, 0, 1", cut, still, left)
	}
}

func TestConnectionsEndsWithItsContext(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := r.Do(func() error {
		_, _, err := Connections(ctx, Filter{}, 1)
		return err
	})
	if err == nil {
		t.Error("no error")
	}
}
