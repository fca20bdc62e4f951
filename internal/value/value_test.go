package value

import "testing"

func TestAddresses(t *testing.T) {
	text := func(s string, err error) string {
		if err != nil {
			return "-"
		}
		return s
	}
	for _, tc := range []struct{ in, address, host, listen, prefix, short string }{
		{"192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1/32", "192.0.2.1"},
		{" 2001:DB8::1 ", "2001:db8::1", "2001:db8::1", "2001:db8::1", "2001:db8::1/128", "2001:db8::1"},
		{"::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1/32", "192.0.2.1"},
		{"0.0.0.0", "0.0.0.0", "-", "0.0.0.0", "0.0.0.0/32", "0.0.0.0"},
		{"224.0.1.1", "224.0.1.1", "-", "-", "224.0.1.1/32", "224.0.1.1"},
		{"255.255.255.255", "255.255.255.255", "-", "-", "255.255.255.255/32", "255.255.255.255"},
		{"fe80::1", "fe80::1", "fe80::1", "-", "fe80::1/128", "fe80::1"},
		{"fe80::1%eth0", "-", "-", "-", "-", "-"},
		{"010.0.0.1", "-", "-", "-", "-", "-"},
		{"10.1.2.3/8", "-", "-", "-", "10.0.0.0/8", "10.0.0.0/8"},
		{"10.1.2.3/32", "-", "-", "-", "10.1.2.3/32", "10.1.2.3"},
		{"::ffff:10.0.0.0/104", "-", "-", "-", "-", "-"},
		{"10/8", "-", "-", "-", "-", "-"},
		{"", "-", "-", "-", "-", "-"},
		{"192.0.2.1\n", "192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1/32", "192.0.2.1"},
		{"192.0.2.1 192.0.2.2", "-", "-", "-", "-", "-"},
	} {
		address, errAddress := Address(tc.in)
		host, errHost := Host(tc.in)
		listen, errListen := Listen(tc.in)
		prefix, errPrefix := Prefix(tc.in)
		got := [5]string{
			text(address.String(), errAddress), text(host.String(), errHost), text(listen.String(), errListen),
			text(prefix.String(), errPrefix), text(Short(prefix), errPrefix),
		}
		if want := [5]string{tc.address, tc.host, tc.listen, tc.prefix, tc.short}; got != want {
			t.Errorf("%q is %q, want %q", tc.in, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, tc := range []struct{ in, host, full, either string }{
		{"WWW.Example.com.", "www.example.com", "www.example.com", "www.example.com"},
		{"bücher.example", "xn--bcher-kva.example", "xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"ntp", "ntp", "", "ntp"},
		{"a_b.example.com", "a_b.example.com", "", "a_b.example.com"},
		{"10.1", "", "", ""},
		{"0x7f.1", "", "", ""},
		{"192.0.2.1", "", "", "192.0.2.1"},
		{"0.0.0.0", "", "", ""},
		{"-a.example.com", "", "", ""},
		{"a..b", "", "", ""},
		{"a b", "", "", ""},
		{"", "", "", ""},
	} {
		host, _ := HostName(tc.in)
		full, _ := FullName(tc.in)
		either, _ := HostOrName(tc.in)
		if host != tc.host || full != tc.full || either != tc.either {
			t.Errorf("%q is %q, %q and %q, want %q, %q and %q", tc.in, host, full, either, tc.host, tc.full, tc.either)
		}
	}
}
