package logship

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gateway/internal/value"
)

var at = time.Date(2026, 2, 3, 4, 5, 6, 789000, time.UTC)

func TestALineInTheFormOfRFC5424(t *testing.T) {
	good := Line{At: at, Host: "gw1", Facility: 3, Severity: 4, Program: "unbound", PID: 12, Unit: "unbound.service", Cursor: "s=1;i=2", Message: "hello"}
	edit := func(change func(*Line)) Line { l := good; change(&l); return l }
	const head = `<28>1 2026-02-03T04:05:06.000789Z gw1 unbound 12 - [gateway@32473 unit="unbound.service" cursor="s=1;i=2"] `
	for name, tc := range map[string]struct {
		line Line
		want string
	}{
		"plain":               {good, head + "hello"},
		"empty":               {edit(func(l *Line) { l.Message = "" }), head},
		"a newline":           {edit(func(l *Line) { l.Message = "a\n<13>1 - - forged\r\x00" }), head + "a#012<13>1 - - forged#015#000"},
		"a terminal's escape": {edit(func(l *Line) { l.Message = "\x1b[31mred\x7f" }), head + "#033[31mred#177"},
		"turned around":       {edit(func(l *Line) { l.Message = "a\u202eb\u0085c" }), head + "a\uFFFDb\uFFFDc"},
		"no UTF-8":            {edit(func(l *Line) { l.Message = "a\xff\xfeb" }), head + "a\uFFFDb"},
		"umlauts":             {edit(func(l *Line) { l.Message = "grün" }), head + "grün"},
		"out of range":        {edit(func(l *Line) { l.Facility, l.Severity = 99, -1 }), strings.Replace(head, "<28>", "<184>", 1) + "hello"},
		"no program, no pid":  {edit(func(l *Line) { l.Program, l.PID = "", 0 }), strings.Replace(head, "unbound 12", "- -", 1) + "hello"},
		"a program's spaces":  {edit(func(l *Line) { l.Program = "a b\nü" }), strings.Replace(head, "unbound 12", "a_b__ 12", 1) + "hello"},
		"hostile data":        {edit(func(l *Line) { l.Unit = `a"] b\` + "\n" }), strings.Replace(head, "unbound.service", `a\"\] b\\#012`, 1) + "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := string(tc.line.Append(nil)), fmt.Sprintf("%d %s", len(tc.want), tc.want); got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestALongLineIsCut(t *testing.T) {
	l := Line{At: at, Program: strings.Repeat("p", 1000), Host: strings.Repeat("h", 1000), Unit: strings.Repeat("]", 1000), Cursor: strings.Repeat("é", 1000), Message: strings.Repeat("é", 10000)}
	frames := frames(t, l.Append(nil))
	if len(frames) != 1 || len(frames[0]) > maxFrame || len(frames[0]) < maxFrame-1 || !utf8.Valid(frames[0]) {
		t.Errorf("%d frames, the first of %d bytes", len(frames), len(frames[0]))
	}
}

// frames reads what was sent as a receiver does.
func frames(t testing.TB, data []byte) (out [][]byte) {
	t.Helper()
	for len(data) > 0 {
		length, rest, found := bytes.Cut(data, []byte(" "))
		n, err := strconv.Atoi(string(length))
		if !found || err != nil || n > len(rest) {
			t.Fatalf("no frame begins with %.60q", data)
		}
		out, data = append(out, rest[:n]), rest[n:]
	}
	return out
}

var shape = regexp.MustCompile(`^<(\d{1,3})>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z ([!-~]{1,255}) ([!-~]{1,48}) (-|\d+) - \[gateway@32473 unit="((?:[^"\\\]]|\\["\\\]])*)" cursor="((?:[^"\\\]]|\\["\\\]])*)"\] (.*)$`)

// Whatever is in a line, it is one frame of the one shape, and no more.
func FuzzLine(f *testing.F) {
	f.Add("unbound", "unbound.service", "s=1", "hello", 3, 6)
	f.Add("", `"]\`, "\n", "a\n13 <13>1 - - - - - - x", -1, 99)
	f.Add("\xff", "\u202e", "]", strings.Repeat("\xf0\x9f", 9000), 1<<40, -1<<40)
	f.Fuzz(func(t *testing.T, program, unit, cursor, message string, facility, severity int) {
		one := Line{At: at, Host: program, Facility: facility, Severity: severity, Program: program, Unit: unit, Cursor: cursor, Message: message}
		marked := one
		marked.Message = "end"
		got := frames(t, marked.Append(one.Append(nil)))
		if len(got) != 2 || !bytes.HasSuffix(got[1], []byte("] end")) {
			t.Fatalf("two lines are %d frames: %q", len(got), got)
		}
		if len(got[0]) > maxFrame || !utf8.Valid(got[0]) || !shape.Match(got[0]) || bytes.ContainsFunc(got[0], value.Unprintable) {
			t.Errorf("%q is not of the shape", got[0])
		}
	})
}

func TestTheConfigurationIsReadBack(t *testing.T) {
	for _, c := range []Config{
		{Host: "logs.example.com", Port: 6514, ServerName: "logs.example.com", OwnCA: true, Level: "info", Units: []string{"a.service", "b@1.service"}, AccessLog: "gateway-access"},
		{Host: "2001:db8::1", Port: 1, Level: "debug"},
		{Port: 6514, Level: "error"},
	} {
		got, err := ParseConfig(append(c.Text(), "# gw-sha256 0\n"...))
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c) {
			t.Errorf("%+v came back as %+v (%v)", c, got, err)
		}
	}
	for _, bad := range []string{"host", "host=a b\n", "port=0\n", "port=x\n", "ca=none\n", "level=2\n", "unit=--file=/etc/shadow\n", "unit=a*.service\n", "access_log=/\n", "more=1\n"} {
		if c, err := ParseConfig([]byte(bad)); err == nil {
			t.Errorf("%q was read as %+v", bad, c)
		}
	}
}

func TestTheStatusIsReplacedAsAWhole(t *testing.T) {
	path := t.TempDir() + "/status.json"
	if _, found, err := ReadStatus(path); found || err != nil {
		t.Errorf("without a file: %t, %v", found, err)
	}
	want := Status{At: at, Streams: []Stream{{Journal: "system", AwaySince: &at, Error: NotTrusted}}}
	if err := WriteFile(path, want, 0o644, false); err != nil {
		t.Fatal(err)
	}
	got, found, err := ReadStatus(path)
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if !found || err != nil || !bytes.Equal(a, b) {
		t.Errorf("%s (%t, %v), want %s", a, found, err, b)
	}
}
