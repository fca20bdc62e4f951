package unbound

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestValues(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tc := range []struct{ name, typ, value, stored, file string }{
		{"an address stays", "A", "192.0.2.1", "192.0.2.1", "192.0.2.1"},
		{"an IPv6 address is shortened", "AAAA", "2001:DB8:0::1", "2001:db8::1", "2001:db8::1"},
		{"a word is in the zone", "CNAME", "www", "www.example.com.", "www.example.com."},
		{"the at sign is the zone", "CNAME", "@", "example.com.", "example.com."},
		{"a name with a dot is complete", "CNAME", "www.Example.org", "www.example.org.", "www.example.org."},
		{"a name with a dot at its end is complete", "PTR", "host.", "host.", "host."},
		{"a name server in the zone", "NS", "ns1", "ns1.example.com.", "ns1.example.com."},
		{"a pointer leads out of its zone", "PTR", "host.lan", "host.lan.", "host.lan."},
		{"mail in the zone", "MX", "10 mail", "10 mail.example.com.", "10 mail.example.com."},
		{"mail elsewhere, with spaces", "MX", "  010  mail.example.org ", "10 mail.example.org.", "10 mail.example.org."},
		{"no mail at all", "MX", "0 .", "0 .", "0 ."},
		{"a service", "SRV", "1 2 65535 sip", "1 2 65535 sip.example.com.", "1 2 65535 sip.example.com."},
		{"no such service", "SRV", "0 0 0 .", "0 0 0 .", "0 0 0 ."},
		{"text", "TXT", "v=spf1 ip4:192.0.2.0/24 -all", "v=spf1 ip4:192.0.2.0/24 -all", `v\061spf1\032ip4\058192.0.2.0\04724\032-all`},
		{"quoted text", "TXT", `"v=spf1 -all"`, "v=spf1 -all", `v\061spf1\032-all`},
		{"two strings", "TXT", `"a b"  "c"`, `"a b" "c"`, `a\032b c`},
		{"quotes and backslashes", "TXT", `say "hi" \ bye`, `say "hi" \ bye`, `say\032\034hi\034\032\092\032bye`},
		{"a quote first", "TXT", `"\"hi\""`, `"\"hi\""`, `\034hi\034`},
		{"escapes by number", "TXT", `"\097\098\\"`, `ab\`, `ab\092`},
		{"long text is cut", "TXT", long, long, strings.Repeat("x", 255) + " " + strings.Repeat("x", 45)},
		{"long text, cut elsewhere", "TXT", `"` + long[:45] + `" "` + long[:255] + `"`, `"` + long[:45] + `" "` + long[:255] + `"`, long[:45] + " " + long[:255]},
		{"other scripts", "TXT", "grüß", "grüß", `gr\195\188\195\159`},
		{"spaces around text", "TXT", " a ", " a ", `\032a\032`},
		{"what a shell or unbound might like", "TXT", `$(id); #'`, `$(id); #'`, `\036\040id\041\059\032\035\039`},
		{"an authority", "CAA", `0 Issue letsencrypt.org`, `0 issue "letsencrypt.org"`, `0 issue letsencrypt.org`},
		{"an authority with parameters", "CAA", `128 issue "ca.example; account=1"`, `128 issue "ca.example; account=1"`, `128 issue ca.example\059\032account\0611`},
		{"no authority", "CAA", `0 issue ";"`, `0 issue ";"`, `0 issue \059`},
		{"where to complain", "CAA", `0 iodef "mailto:a@example.com"`, `0 iodef "mailto:a@example.com"`, `0 iodef mailto\058a\064example.com`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rr, err := parseValue(tc.typ, tc.value, "example.com.")
			if err != nil {
				t.Fatal(err)
			}
			if got := OperatorValue(rr); got != tc.stored {
				t.Errorf("stored %s, want %s", got, tc.stored)
			}
			if got := fileValue(rr); got != tc.file {
				t.Errorf("in the file %s, want %s", got, tc.file)
			}
			e, err := newEntry("a.example.com.", tc.typ, tc.stored, 60)
			if err != nil {
				t.Fatal(err)
			}
			if back, ok := parseLine(linePrefix + e.text + lineSuffix); !ok || OperatorValue(back.rr) != tc.stored {
				t.Errorf("read back as %+v, %t", back.rr, ok)
			}
		})
	}
}

func TestValuesThatAreRefused(t *testing.T) {
	for _, tc := range []struct{ name, typ, value string }{
		{"an IPv6 address as A", "A", "::1"},
		{"a mapped address as A", "A", "::ffff:192.0.2.1"},
		{"an octal address", "A", "192.0.02.1"},
		{"a name as A", "A", "example.com"},
		{"an address with a line break", "A", "192.0.2.1\n"},
		{"a network", "A", "192.0.2.0/24"},
		{"an IPv4 address as AAAA", "AAAA", "192.0.2.1"},
		{"a mapped address as AAAA", "AAAA", "::ffff:192.0.2.1"},
		{"an address with an interface", "AAAA", "fe80::1%eth0"},
		{"an alias of nothing", "CNAME", ""},
		{"an alias of the root", "CNAME", "."},
		{"an alias of a wildcard", "CNAME", "*.example.com"},
		{"an alias with a space", "CNAME", "a b"},
		{"an alias with a second record", "CNAME", "a.example.com.\" local-data: \"x"},
		{"mail without a preference", "MX", "mail"},
		{"mail with a negative preference", "MX", "-1 mail"},
		{"mail with too much preference", "MX", "65536 mail"},
		{"mail with two targets", "MX", "10 a b"},
		{"mail to an escape", "MX", `10 a\032b`},
		{"a service without a port", "SRV", "1 2 sip"},
		{"a service with a port beyond all", "SRV", "1 2 65536 sip"},
		{"a service on a signed port", "SRV", "1 2 +5 sip"},
		{"no text", "TXT", ""},
		{"no quoted text", "TXT", `""`},
		{"an open quote", "TXT", `"abc`},
		{"an escaped closing quote", "TXT", `"abc\"`},
		{"text after a quote", "TXT", `"a" b`},
		{"a quoted string that is too long", "TXT", `"` + strings.Repeat("a", 256) + `"`},
		{"text that is too long", "TXT", strings.Repeat("a", maxText+1)},
		{"a line break in text", "TXT", "a\nb"},
		{"a line break by number", "TXT", `"a\010b"`},
		{"a zero byte in text", "TXT", "a\x00b"},
		{"a C1 control", "TXT", "a\u0085b"},
		{"a line separator", "TXT", "a\u2028b"},
		{"text that reads backwards", "TXT", "a\u202eb"},
		{"broken UTF-8", "TXT", "a\xffb"},
		{"broken UTF-8 by number", "TXT", `"\255"`},
		{"an authority without a value", "CAA", "0 issue"},
		{"an authority with flags beyond all", "CAA", "256 issue x"},
		{"an authority without a tag", "CAA", "0"},
		{"an authority with a strange tag", "CAA", "0 is-sue x"},
		{"an authority with a strange letter", "CAA", "0 ıssue x"},
		{"an authority with two values", "CAA", `0 issue "a" "b"`},
		{"an authority in another script", "CAA", "0 issue bücher.example"},
		{"an empty authority", "CAA", `0 issue ""`},
		{"an authority with a line break", "CAA", "0 issue a\nb"},
		{"an unknown type", "LOC", "1 2 3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if rr, err := parseValue(tc.typ, tc.value, "example.com."); err == nil {
				t.Errorf("taken as %v", rr)
			}
		})
	}
}

// What is stored is read again as the same, whatever it came from.
func TestStoredValuesAreStable(t *testing.T) {
	shapes := map[string]*rapid.Generator[string]{
		"A": rapid.StringMatching(`[12]?[0-9]\.0\.0\.[12]?[0-9]`), "AAAA": rapid.StringMatching(`[0-9A-F]{1,4}::[0-9a-f]{1,4}`),
		"CNAME": rapid.StringMatching(`[a-zA-Z_]{1,5}(\.[a-z]{1,3}){0,3}\.?`), "MX": rapid.StringMatching(` ?[0-9]{1,5}  ?[a-z]{1,9}\.?`),
		"SRV": rapid.StringMatching(`[0-9]{1,4} 0[0-9] 1 (\.|@|[a-z]{1,4}\.[a-z])`), "CAA": rapid.StringMatching(`0?[0-9]{1,2} [a-zA-Z0-9]{1,9}  ?("[^"\\]{1,9}"|[ -~]{1,20})`),
		"TXT": rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~äöü"\\]{1,300}`), rapid.StringMatching(`("([ -!#-\[\]-~ß]|\\["\\0-9]){1,99}" ?){1,4}`)),
	}
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(slices.Sorted(maps.Keys(shapes))).Draw(t, "type")
		rr, err := parseValue(typ, shapes[typ].Draw(t, "value"), "example.com.")
		if err != nil {
			return
		}
		taken++
		stored := OperatorValue(rr)
		again, err := parseValue(typ, stored, "example.net.")
		if err != nil || OperatorValue(again) != stored || fileValue(again) != fileValue(rr) {
			t.Fatalf("%q is stored as %q, then read as %v, %v", rr, stored, again, err)
		}
		if strings.ContainsAny(fileValue(rr), "\"'\n\r;#(){}$") {
			t.Fatalf("%q is dangerous", fileValue(rr))
		}
	})
	least := 30
	if testing.Short() {
		least = 4 // a fifth of the values is tried
	}
	if taken < least {
		t.Errorf("only %d values were taken", taken)
	}
}

func TestLinesThatAreNoRecord(t *testing.T) {
	for _, line := range []string{
		"", "x", "\tlocal-data: \"\"", "\tlocal-data: \"a.example.com. 60 IN A 192.0.2.1", "\taccess-control: 0.0.0.0/0 allow",
		"\tlocal-data: \"a.example.com. 60 IN A 192.0.2.1\" access-control: 0.0.0.0/0 allow\"", "\tlocal-data: \"a.example.com. 60 CH A 192.0.2.1\"",
		"\tlocal-data: \"a.example.com. IN A 192.0.2.1\"", "\tlocal-data: \"a.example.com. 60 IN A 192.0.2.1 \"", "\tlocal-data: \"A.example.com. 60 IN A 192.0.2.1\"x",
		"\tlocal-data: \"a.example.com. 60 IN A 192.000.2.1\"", "\tlocal-data: \"a.example.com. 60 IN TXT a b\nserver:\"", "\tlocal-data: \"a.example.com. 60 IN TXT 'a'\"",
		"\tlocal-data: \"a.example.com. 60 IN TXT a(b\"", "\tlocal-data: \"$ORIGIN a.\"", "\tlocal-data: \"; a\"",
	} {
		if e, ok := parseLine(line); ok {
			t.Errorf("%q reads as %+v", line, e)
		}
	}
}
