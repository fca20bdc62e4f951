package packetfilter

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"gateway/lab"
)

// counterReader reads and resets named counters, after each packet: a socket that stays
// open makes that some twenty microseconds.
type counterReader struct {
	fd     int
	buffer []byte
}

func newCounterReader(t testing.TB, space *lab.Space) *counterReader {
	t.Helper()
	c := &counterReader{buffer: make([]byte, 1<<18)}
	err := space.Do(func() (err error) {
		c.fd, err = unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_NETFILTER)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(c.fd) })
	return c
}

// rose is the names of the counters, of whatever inet table, that rose since the last call.
func (c *counterReader) rose() ([]string, error) {
	request := make([]byte, 20)
	binary.NativeEndian.PutUint32(request, 20)
	binary.NativeEndian.PutUint16(request[4:], unix.NFNL_SUBSYS_NFTABLES<<8|unix.NFT_MSG_GETOBJ_RESET)
	binary.NativeEndian.PutUint16(request[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	request[16] = unix.NFPROTO_INET
	if err := unix.Sendto(c.fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, fmt.Errorf("ask for counters: %w", err)
	}
	var names []string
	for {
		n, _, err := unix.Recvfrom(c.fd, c.buffer, 0)
		if err != nil {
			return nil, fmt.Errorf("read counters: %w", err)
		}
		done, err := messages(c.buffer[:n], &names)
		if done || err != nil {
			slices.Sort(names)
			return names, err
		}
	}
}

func messages(b []byte, names *[]string) (done bool, err error) {
	for len(b) >= 16 {
		length := int(binary.NativeEndian.Uint32(b))
		switch binary.NativeEndian.Uint16(b[4:]) {
		case unix.NLMSG_DONE:
			return true, nil
		case unix.NLMSG_ERROR:
			return true, fmt.Errorf("read counters: %w", unix.Errno(-int32(binary.NativeEndian.Uint32(b[16:]))))
		}
		if err := object(b[20:length], names); err != nil {
			return true, err
		}
		b = b[min(len(b), (length+3)&^3):]
	}
	return false, nil
}

// object reads one counter.
func object(b []byte, names *[]string) error {
	attributes, err := nl.ParseRouteAttr(b)
	if err != nil {
		return fmt.Errorf("read a counter: %w", err)
	}
	var name string
	var packets uint64
	for _, a := range attributes {
		switch a.Attr.Type &^ unix.NLA_F_NESTED {
		case unix.NFTA_OBJ_NAME:
			name = strings.TrimRight(string(a.Value), "\x00")
		case unix.NFTA_OBJ_DATA:
			values, err := nl.ParseRouteAttr(a.Value)
			if err != nil {
				return fmt.Errorf("read a counter: %w", err)
			}
			for _, v := range values {
				if v.Attr.Type&^unix.NLA_F_NESTED == unix.NFTA_COUNTER_PACKETS {
					packets = binary.BigEndian.Uint64(v.Value)
				}
			}
		}
	}
	if packets > 0 {
		*names = append(*names, name)
	}
	return nil
}
