package outbound

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
)

func TestOnlyServersElsewhereAreReached(t *testing.T) {
	own := func() ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr("198.51.100.7")}, nil }
	for _, tc := range []struct {
		name, addr string
		reached    bool
	}{
		{"a public server", "203.0.113.1", true},
		{"one in a private network", "10.1.2.3", true},
		{"one in a private network over IPv6", "fd00::1", true},
		{"this machine by its own address", "198.51.100.7", false},
		{"this machine by that address in disguise", "::ffff:198.51.100.7", false},
		{"this machine by loopback", "127.0.0.53", false},
		{"this machine by IPv6 loopback", "::1", false},
		{"this machine by no address", "0.0.0.0", false},
		{"a cloud's metadata", "169.254.169.254", false},
		{"a neighbour on the link", "fe80::1%eth0", false},
		{"a cloud's metadata over IPv6", "fd00:ec2::254", false},
		{"another cloud's metadata over IPv6", "fd20:ce::254", false},
		{"a neighbour of that metadata", "fd00:ec2::253", true},
		{"a public server by NAT64", "64:ff9b::203.0.113.1", true},
		{"one in a private network by NAT64", "64:ff9b::10.1.2.3", true},
		{"loopback by NAT64", "64:ff9b::127.0.0.1", false},
		{"a cloud's metadata by NAT64", "64:ff9b::169.254.169.254", false},
		{"this machine by NAT64", "64:ff9b::198.51.100.7", false},
		{"a public server by a network's own NAT64", "64:ff9b:1::203.0.113.1", true},
		{"a public server by such a prefix of 48 bits", "64:ff9b:1:cb00:71:100::", true},
		{"loopback by such a prefix of 96 bits", "64:ff9b:1::127.0.0.1", false},
		{"loopback by such a prefix of 64 bits", "64:ff9b:1:2:7f:0:100:0", false},
		{"loopback by such a prefix of 56 bits", "64:ff9b:1:27f:0:1::", false},
		{"loopback by such a prefix of 48 bits", "64:ff9b:1:7f00:0:100::", false},
		{"a cloud's metadata by such a prefix of 48 bits", "64:ff9b:1:a9fe:a9:fe00::", false},
		{"a public server by 6to4", "2002:cb00:7101::1", true},
		{"loopback by 6to4", "2002:7f00:1::1", false},
		{"a cloud's metadata by 6to4", "2002:a9fe:a9fe::1", false},
		{"loopback in an old form", "::127.0.0.1", false},
		{"loopback by SIIT", "::ffff:0:127.0.0.1", false},
		{"everybody", "255.255.255.255", false},
		{"a group", "ff02::1", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := check(netip.MustParseAddr(tc.addr), own)
			if (err == nil) != tc.reached {
				t.Errorf("check = %v, want reached: %t", err, tc.reached)
			}
		})
	}
}

func TestNobodyIsReachedWhileTheOwnAddressesAreUnknown(t *testing.T) {
	unknown := errors.New("netlink is out of memory")
	own := func() ([]netip.Addr, error) { return nil, unknown }
	if err := check(netip.MustParseAddr("203.0.113.1"), own); !errors.Is(err, unknown) {
		t.Errorf("check = %v, want why the addresses are unknown", err)
	}
}

func TestTheAddressIsLookedAtWhenItIsDialled(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	transport, err := Transport(func() ([]netip.Addr, error) { return nil, nil }, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&http.Client{Transport: transport}).Get(s.URL)
	var refused Refused
	if !errors.As(err, &refused) || !refused.Addr.IsLoopback() {
		t.Errorf("a server on loopback = %v, want it refused", err)
	}
}

func TestAFileOfAuthoritiesMayBeMissingButNotWrong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.pem")
	if _, err := Transport(nil, file); err != nil {
		t.Errorf("without the file: %v", err)
	}
	if err := os.WriteFile(file, []byte("not PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Transport(nil, file); err == nil {
		t.Error("a file without a certificate was taken")
	}
}
