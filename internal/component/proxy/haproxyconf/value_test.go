package haproxyconf

import (
	"fmt"
	"strings"
	"testing"

	"gateway/internal/value"
)

func TestNamesAreStoredInOneForm(t *testing.T) {
	for in, want := range map[string]string{
		"example.com": "example.com", " WWW.Example.com. ": "www.example.com", "*.Example.com": "*.example.com", "bücher.example": "xn--bcher-kva.example",
		"_dmarc.example.com": "_dmarc.example.com", "a-b.example.com": "a-b.example.com", "-a.example.com": "", "a-.example.com": "", "a..example.com": "",
		".example.com": "", "*.": "", "": "", "a b.example.com": "", "a.example.com:443": "", "[::1].example": "", "1.2.3.4": "", "example.66": "", "a/b.example.com": "",
		strings.Repeat("a.", 126) + "a": strings.Repeat("a.", 126) + "a", strings.Repeat("a.", 127) + "a": "",
	} {
		if got, err := DomainName(in); got != want || (err == nil) != (want != "") {
			t.Errorf("%q becomes %q, %v, want %q", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "2001:DB8::1": "2001:db8::1", "::ffff:192.0.2.1": "192.0.2.1", "Origin.example.com": "origin.example.com", "origin": "origin",
		"010.0.0.1": "", "1.2.3": "", "0x7f.1": "", "0x7f000001": "", "host.0x1": "", "host_203.0.113.66": "", "web.1": "", "fe80::1%eth0": "", "0.0.0.0": "", "::": "", "ff02::1": "", "/run/haproxy/admin.sock": "", "abns@x": "", "192.0.2.1:80": "", "a b": "", "": "",
	} {
		if got, err := value.HostOrName(in); got != want || (err == nil) != (want != "") {
			t.Errorf("address %q becomes %q, %v, want %q", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"web 1": "web_1", "web.example.com": "web_example_com", "a\tb": "a_b", "a-B_9": "a-B_9", "a\nb": "", "": "", "é": "", "a/b": "", "BACKEND": "", "FRONTEND": "",
	} {
		if got, err := ProxyName(in); got != want || (err == nil) != (want != "") {
			t.Errorf("server %q becomes %q, %v, want %q", in, got, err, want)
		}
	}
	for i, in := range []string{"10.0.0.0/33", "10.0.0.0/", "", "a", "fe80::1%eth0", "::ffff:10.0.0.0/104", "10.0.0.1 if TRUE"} {
		if got, err := value.Network(in); err == nil {
			t.Errorf("%s: network %q becomes %q", fmt.Sprint(i), in, got)
		}
	}
}
