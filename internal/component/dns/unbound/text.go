package unbound

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gateway/internal/fault"

	mdns "github.com/miekg/dns"
)

const (
	maxText   = 2000 // bytes of a TXT record
	maxString = 255  // of each string in it, by the protocol
)

// parseText reads text as it is, or, when it begins with a quote, as quoted strings one
// after the other, the way zone files have them. Only the latter can say where one string
// ends and the next begins.
func parseText(value string) (mdns.RR, error) {
	strs := chunks(value)
	if strings.HasPrefix(value, `"`) {
		var err error
		if strs, err = unquoteAll(value); err != nil {
			return nil, err
		}
	}
	total := 0
	for _, s := range strs {
		if total += len(s); len(s) > maxString {
			return nil, fault.Say("must not have a quoted string of more than %d bytes", maxString)
		}
	}
	if total == 0 || total > maxText {
		return nil, fault.Say("must have 1 to %d bytes, not %d", maxText, total)
	}
	if err := checkText(strings.Join(strs, "")); err != nil {
		return nil, err
	}
	rr := &mdns.TXT{}
	for _, s := range strs {
		rr.Txt = append(rr.Txt, escape(s))
	}
	return rr, nil
}

// checkText refuses what is invisible or breaks lines: nobody would know what was stored.
func checkText(s string) error {
	if !utf8.ValidString(s) {
		return fault.Say("must be valid UTF-8")
	}
	for _, r := range s {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			return fault.Say("must not contain control characters (U+%04X)", r)
		}
	}
	return nil
}

// textValue is the plain text wherever that says it all.
func textValue(rr *mdns.TXT) string {
	strs := make([]string, len(rr.Txt))
	for i, s := range rr.Txt {
		strs[i] = unescape(s)
	}
	plain := strings.Join(strs, "")
	if slices.Equal(strs, chunks(plain)) && !strings.HasPrefix(plain, `"`) {
		return plain
	}
	for i, s := range strs {
		strs[i] = quote(s)
	}
	return strings.Join(strs, " ")
}

// chunks cuts text into as few strings as it takes.
func chunks(s string) []string {
	var strs []string
	for len(s) > maxString {
		strs, s = append(strs, s[:maxString]), s[maxString:]
	}
	return append(strs, s)
}

// parseCAA reads "0 issue letsencrypt.org", with or without quotes around the end.
func parseCAA(value string) (mdns.RR, error) {
	flags, rest, _ := strings.Cut(strings.TrimSpace(value), " ")
	tag, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	rest = strings.TrimSpace(rest)
	n, err := strconv.ParseUint(flags, 10, 8)
	tag = strings.ToLower(tag)
	if err != nil || rest == "" {
		return nil, fault.Say(`must be: flags tag value, for example 0 issue "letsencrypt.org"`)
	}
	if len(tag) == 0 || len(tag) > 15 || strings.ContainsFunc(tag, func(r rune) bool { return r > '~' || !isAlphanumeric(byte(r)) }) {
		return nil, fault.Say("must have a tag of up to 15 letters and digits, for example issue")
	}
	if strings.HasPrefix(rest, `"`) {
		strs, err := unquoteAll(rest)
		if err != nil || len(strs) != 1 {
			return nil, fault.Say("must end with one quoted string")
		}
		rest = strs[0]
	}
	if rest == "" || len(rest) > maxString || strings.ContainsFunc(rest, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, fault.Say(`must have a value of 1 to %d plain characters; ";" allows nobody`, maxString)
	}
	return &mdns.CAA{Flag: uint8(n), Tag: tag, Value: escape(rest)}, nil
}

// unquoteAll reads quoted strings with spaces between them.
func unquoteAll(s string) ([]string, error) {
	var strs []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimLeft(s, " ") {
		end := closingQuote(s)
		if end < 0 {
			return nil, fault.Say("must have a closing quote for every opening one, and nothing but spaces between quoted strings")
		}
		one := unescape(s[1:end])
		if one == "" {
			return nil, fault.Say("must not have an empty quoted string")
		}
		strs, s = append(strs, one), s[end+1:]
	}
	return strs, nil
}

// closingQuote is where the string that s begins with ends, or -1.
func closingQuote(s string) int {
	if s[0] != '"' {
		return -1
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// quote is how quoted strings are shown; unescape undoes what it does inside.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1: // a character that two strings share
			fmt.Fprintf(&b, `\%03d`, s[i])
		case r == '"' || r == '\\':
			b.WriteString(`\` + s[i:i+1])
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	b.WriteByte('"')
	return b.String()
}

// escape keeps what no parser minds and writes every other byte as its number.
func escape(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if isAlphanumeric(c) || c == '.' || c == '_' || c == '-' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03d`, c)
		}
	}
	return b.String()
}

func escapeAll(strs []string) []string {
	out := make([]string, len(strs))
	for i, s := range strs {
		out[i] = escape(unescape(s))
	}
	return out
}

// unescape reads \" and \034 as one byte each.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		if i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 10, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		i++
		b.WriteByte(s[i])
	}
	return b.String()
}
