package fuzz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// texts are strings that somebody stumbles over: databases, terminals, logs, shells.
var texts = []string{
	"", " ", "\t", "\r\nSet-Cookie: a=b", "a\u2028b\u2029", "\u202egnp.exe", "\ufeffbom", "\u200d\u200b", "e\u0301", "👩‍👩‍👧‍👦",
	"' or 1=1 --", "'; drop table users; --", "%", "_", `\`, "%s%n%x", "${jndi:ldap://x}", "{{7*7}}", "<script>alert(1)</script>",
	"../../etc/passwd", "null", "true", "0", "-1", "NaN", "admin@example.com ", "ADMIN@EXAMPLE.COM", "İstanbul@example.com", "*",
	"\U0010ffff", "\ufffe", "$(id)", "`id`", "a@b@c", "\"a b\"@example.com", "a@[127.0.0.1]", "Name <a@example.com>",
}

// tokens are JSON values as nobody writes them, and some that are no JSON.
var tokens = []verbatim{
	`"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\udc00\ud800"`, `"\ud83d"`, "\"\xff\xfe\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"a\x00b\"", "\"a\nb\"",
	`1e400`, `-1e400`, `-0`, `-0.0`, `1.5`, `1e2`, `1e-400`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775809`,
	`18446744073709551616`, `0x10`, `01`, `+1`, `.5`, `NaN`, `Infinity`, `null`, `true`, `false`, `{}`, `[]`, `[null]`, `[[]]`, `{"":{}}`,
	`{"$ref":"#"}`, `{"__proto__":{"admin":true}}`, `"\x"`, `'a'`, `undefined`, ``, `"`, `,`, `"a" "b"`, `/* a */ 1`,
}

// moments are dates at the edges of calendars and of what is stored.
var moments = []string{
	"0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "99999-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
	"2016-12-31T23:59:60Z", "2023-02-29T00:00:00Z", "2024-02-30T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00+23:59",
	"2024-01-01T00:00:00-99:99", "2024-01-01", "1e9", "now", "infinity", "-infinity", "Mon, 02 Jan 2006 15:04:05 GMT", "2024-01-01t00:00:00z",
	"2024-01-01T00:00:00.000000000000000000001Z", "294277-01-01T00:00:00Z", "0000-00-00T00:00:00Z",
}

// numbers are limits and offsets that a list should not be asked with.
var numbers = []string{
	"-1", "0", "1001", "10000001", "2147483648", "9223372036854775807", "9223372036854775808", "1e3", "1.0", "0x10", "٣", "１", " 1", "+1", "", "null",
}

// broken is no UTF-8; encoded in a query it gets as far as the handler.
var broken = []string{"\xff\xfe", "\xc0\xaf", "\xed\xa0\x80", "a\x80", "\xf8\x88\x80\x80\x80"}

// garbage is what follows the question mark when nobody encoded it.
var garbage = []string{
	"%", "%zz", "%00", "q=%00", "q=%ff%fe", "q=%c0%af", "q=%ed%a0%80", "&&&", "=", "=a", ";", "limit=1;offset=2", "limit=1&limit=2", "limit[]=1",
	"limit=1&limit=abc", "q=a&q=b", "sort=-", "sort=--email", "sort=email,role", "sort=email%20desc", "sort=1", "q=%2525", "q=+", "a=b", "?", "#",
}

// long is longer than any field, by a little or by far.
func (m maker) long(lengths ...int) string {
	return strings.Repeat(pick(m, []string{"a", "é", "\u202e", "日"}), pick(m, lengths))
}

func (m maker) nested() verbatim {
	depth := pick(m, []int{31, 33, 100, 9_999, 20_000})
	if m.one(2) {
		return verbatim(strings.Repeat("[", depth) + strings.Repeat("]", depth))
	}
	return verbatim(strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth))
}

// hostile makes a value that ignores the schema.
func (m maker) hostile() any {
	switch m.IntN(8) {
	case 0:
		return m.long(255, 257, 1025, 4097, 70_000)
	case 1:
		return m.nested()
	case 2, 3, 4:
		return pick(m, texts)
	}
	return pick(m, tokens)
}

// nearly breaks exactly one constraint of a valid object.
func (m maker) nearly(o object, s *openapi3.Schema) object {
	o = slices.Clone(o)
	if len(o) == 0 || m.one(8) {
		return append(o, member{pick(m, []string{"extra", "Email", "id", "revision", "", "role ", "$schema"}), pick(m, []any{1, "a", nil, true})})
	}
	i := m.IntN(len(o))
	name, _ := o[i].key.(string)
	switch m.IntN(6) {
	case 0:
		return slices.Delete(o, i, i+1)
	case 1:
		return append(o, member{name, o[m.IntN(len(o))].value}) // the key is there twice now
	case 2:
		o[i].value = nil
	case 3:
		o[i].value = pick(m, []any{1, -1, 1.5, true, "x", []any{}, []any{o[i].value}, object{}, object{{"value", o[i].value}}})
	case 4:
		o[i].key = verbatim(encode(strings.ToUpper(name)))
	default:
		o[i].value = m.outside(s.Properties[name].Value)
	}
	return o
}

// outside is of the right type, and one step beyond what is allowed.
func (m maker) outside(s *openapi3.Schema) any {
	switch {
	case s.Max != nil && m.one(2):
		return int64(*s.Max) + 1
	case s.Min != nil:
		return int64(*s.Min) - 1
	case len(s.Enum) > 0:
		return strings.ToUpper(fmt.Sprint(s.Enum[0]))
	case s.MaxLength != nil && m.one(2):
		return strings.Repeat("é", int(*s.MaxLength)+1)
	case s.MinLength > 0:
		return strings.Repeat("x", int(s.MinLength)-1)
	}
	return pick(m, texts)
}

// mangle breaks a body as a whole.
func (m maker) mangle(body string) string {
	switch m.IntN(12) {
	case 0:
		return ""
	case 1:
		return body[:m.IntN(len(body)+1)]
	case 2:
		return "\xef\xbb\xbf" + body
	case 3:
		return body + pick(m, []string{"x", "{}", body, "\x00", "]"})
	case 4:
		return "[" + body + "]"
	case 5:
		return string(m.nested())
	case 6:
		return "\x1f\x8b\x08\x00" + body
	case 7:
		return m.bytes(m.IntN(200))
	case 8:
		return encode(m.hostile())
	case 9:
		return "\xff\xfe" + strings.Join(strings.Split(body, ""), "\x00")
	case 10:
		return "\n \t" + body + " \r\n"
	}
	// Any one byte, exchanged.
	at := m.IntN(len(body) + 1)
	return body[:at] + m.bytes(1) + body[min(at+1, len(body)):]
}

func (m maker) bytes(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(m.UintN(256))
	}
	return string(b)
}
