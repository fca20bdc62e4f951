package logship

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gateway/internal/value"
)

// maxFrame is what receivers should take at least, by RFC 5425; a longer message is cut.
const maxFrame = 8192

// Line is a line of the log as it is sent.
type Line struct {
	At       time.Time
	Host     string
	Facility int // syslog's, 0 to 23
	Severity int // syslog's, 0 to 7
	Program  string
	PID      int
	Unit     string
	Cursor   string // the same whenever the line is sent, so that a receiver can tell that it has it
	Message  string
}

// sdID is the name of our structured data. 32473 is the enterprise number for examples (RFC 5612): the product has none of
// its own.
const sdID = "gateway@32473"

// Append adds the line in the form of RFC 5424, framed by its length as RFC 5425 says. Nothing in a line can
// begin another one: the frame has a length, and control characters are written as #012, for
// receivers that split at newlines further on.
func (l Line) Append(out []byte) []byte {
	var head strings.Builder
	fmt.Fprintf(&head, "<%d>1 %s %s %s %s - [%s unit=\"%s\" cursor=\"%s\"] ", within(l.Facility, 0, 23)*8+within(l.Severity, 0, 7),
		l.At.UTC().Format("2006-01-02T15:04:05.000000Z07:00"), word(l.Host, 255), word(l.Program, 48), number(l.PID), sdID, param(l.Unit, 255), param(l.Cursor, 255))
	message := cut(clean(l.Message), maxFrame-head.Len())
	out = strconv.AppendInt(out, int64(head.Len()+len(message)), 10)
	out = append(out, ' ')
	out = append(out, head.String()...)
	return append(out, message...)
}

func within(n, least, most int) int { return min(max(n, least), most) }

func number(pid int) string {
	if pid <= 0 {
		return "-"
	}
	return strconv.Itoa(pid)
}

// word is a field of the header: printable ASCII without spaces, and "-" where there is none.
func word(s string, most int) string {
	out := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '_'
		}
		return r
	}, s)
	if out = out[:min(len(out), most)]; out == "" {
		return "-"
	}
	return out
}

// param is the value of a parameter: quotation mark, backslash and bracket are escaped.
func param(s string, most int) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `]`, `\]`).Replace(cut(clean(s), most))
}

// clean is valid UTF-8 without control characters, and without those that turn text around.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, value.Unprintable) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !value.Unprintable(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, "#%03o", r)
		default:
			b.WriteRune('\uFFFD')
		}
	}
	return b.String()
}

// cut is the beginning of a text, of at most that many bytes.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	s = s[:max(most, 0)]
	for len(s) > 0 {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size > 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}
