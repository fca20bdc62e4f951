package squid

import (
	"testing"
	"time"
)

func TestTimes(t *testing.T) {
	for text, want := range map[string]string{
		"08:00-18:00": "08:00-18:00", "8:00-18:00": "08:00-18:00", "Mon-Fri 08:00-18:00": "mon,tue,wed,thu,fri 08:00-18:00", "sat,sun": "sat,sun", "fri-mon": "mon,fri,sat,sun",
		"mon-sun": "00:00-24:00", "22:00-00:00": "22:00-24:00", "mon,mon 22:00-06:00": "mon 22:00-06:00",
		"": "!", "8-18": "!", "24:00-08:00": "!", "08:00-24:01": "!", "08:00-08:60": "!", "mon fri": "!", "mon 08:00-09:00 x": "!", "+8:00-09:00": "!", "mon-": "!", "08:00": "!",
	} {
		got := "!"
		if h, err := readTime(text); err == nil {
			got = h.String()
			if again, err := readTime(got); err != nil || again != h {
				t.Errorf("%q becomes %q, which is read as %+v, %v", text, got, again, err)
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	// 2026-11-16 is a Monday.
	night, err := readTime("mon 22:00-06:00")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{
		"2026-11-16 21:59": false, "2026-11-16 22:00": true, "2026-11-16 23:59": true, "2026-11-17 00:00": true, "2026-11-17 05:59": true, "2026-11-17 06:00": false,
		"2026-11-16 00:00": false, "2026-11-17 22:30": false,
	} {
		moment, err := time.Parse("2006-01-02 15:04", at)
		if err != nil {
			t.Fatal(err)
		}
		if got := night.contains(moment); got != want {
			t.Errorf("%s: %t", at, got)
		}
	}
}

func TestTargets(t *testing.T) {
	for _, tc := range []struct{ method, text, want string }{
		{"GET", "HTTP://Example.COM:80", "http://example.com/"},
		{"GET", "http://user:secret@example.com:8080/a%20b?c", "http://example.com:8080/a b?c"},
		{"GET", "http://127.1/", "http://127.0.0.1/"},
		{"GET", "http://[2001:DB8::1]:81/", "http://[2001:db8::1]:81/"},
		{"CONNECT", "example.com:443", "example.com:443"},
		{"CONNECT", "example.com", "!"},
		{"GET", "example.com/", "!"},
		{"GET", "gopher://example.com/", "!"},
		{"GET", "http:///", "!"},
		{"GET", "http://a b/", "!"},
		{"GET", "http://a:0/", "!"},
		{"GET", "http://[::1/", "!"},
	} {
		got, err := readTarget(tc.method, tc.text)
		if err != nil {
			got.url = "!"
		}
		if got.url != tc.want {
			t.Errorf("%s %s is %q, want %q (%v)", tc.method, tc.text, got.url, tc.want, err)
		}
	}
}
