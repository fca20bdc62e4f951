package journal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/sys"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

func line(at time.Time, message string) string {
	return fmt.Sprintf(`{"__CURSOR":"s=%d","__REALTIME_TIMESTAMP":"%d","PRIORITY":"4","_PID":"12","SYSLOG_IDENTIFIER":"unbound","_SYSTEMD_UNIT":"unbound.service","MESSAGE":%s}`,
		at.Unix(), at.UnixMicro(), message)
}

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct{ field, want string }{
		"text":            {`"hello"`, "hello"},
		"bytes":           {`[104,105,255]`, "hi\uFFFD"},
		"several":         {`["one","two"]`, "one"},
		"too long":        {`null`, tooLong},
		"turned around":   {`"a\u202eb"`, "a\uFFFDb"},
		"control":         {`"a\u001b[31mb\u0000"`, "a\uFFFD[31mb\uFFFD"},
		"several of both": {`[[104,105],"two"]`, "hi"},
	} {
		e, ok := parse([]byte(line(noon, tc.field)))
		if !ok || e.Message != tc.want || !e.At.Equal(noon) || e.Unit != "unbound.service" || e.Level != Warn || e.PID != 12 {
			t.Errorf("%s: %+v (%v), want %q", name, e, ok, tc.want)
		}
	}
	for _, bad := range []string{"", "-- No entries --", `{"__CURSOR":1}`, `{}`} {
		if e, ok := parse([]byte(bad)); ok {
			t.Errorf("%q was read as %+v", bad, e)
		}
	}
	if e, _ := parse([]byte(line(noon, `"`+strings.Repeat("é", maxMessage)+`"`))); len(e.Message) > maxMessage+4 || !strings.HasSuffix(e.Message, "é…") {
		t.Errorf("a long message has %d bytes", len(e.Message))
	}
}

// What systemd says of a unit belongs to the unit.
func TestWhatSystemdSaysIsAboutTheUnit(t *testing.T) {
	e, _ := parse([]byte(`{"__REALTIME_TIMESTAMP":"1","_PID":"1","_SYSTEMD_UNIT":"init.scope","UNIT":"squid.service","MESSAGE":"Started"}`))
	if forged, _ := parse([]byte(`{"__REALTIME_TIMESTAMP":"1","_PID":"9","_SYSTEMD_UNIT":"evil.service","UNIT":"squid.service","MESSAGE":"Started"}`)); forged.Unit != "evil.service" {
		t.Errorf("what another one says of squid is shown as %+v", forged)
	}
	if e.Unit != "squid.service" || e.Level != Info {
		t.Errorf("entry = %+v", e)
	}
}

func TestTheWordsOfTheOperatorAreNoOptionsAndNoPattern(t *testing.T) {
	q := Query{Units: []string{"a.service"}, Level: Warn, Text: `--x .*\E(`, After: "s=1;i=2", Limit: 7}
	want := []string{
		"--unit=a.service", "--priority=4", "--case-sensitive=no", `--grep=\Q--x .*\E\\E\Q(\E`, "--reverse", "--lines=7",
		"--after-cursor=s=1;i=2",
	}
	if got := q.args(); !slices.Equal(got, want) {
		t.Errorf("args = %q, want %q", got, want)
	}
	q.Since = noon // which journalctl does not take beside a cursor
	want = append(want[:len(want)-2], "--since=@1770120000.000000")
	if got := q.args(); !slices.Equal(got, want) {
		t.Errorf("args = %q, want %q", got, want)
	}
}

// A search for text looks back in growing windows, and ends where the journal does.
func TestASearchLooksBackInWindows(t *testing.T) {
	var asked []string
	r := &Reader{Now: func() time.Time { return noon }, Lines: func(_ context.Context, c sys.Command, each func([]byte) error) error {
		if slices.Contains(c.Args, "--lines=+1") {
			return each([]byte(line(noon.Add(-100*time.Hour), `"first"`)))
		}
		for _, a := range c.Args {
			if s, ok := strings.CutPrefix(a, "--since=@"); ok {
				asked = append(asked, s)
			}
		}
		if len(asked) == 3 {
			return each([]byte(line(noon.Add(-20*time.Hour), `"found"`)))
		}
		return nil
	}}
	page, err := r.Read(t.Context(), Query{Text: "found", Limit: 5})
	if err != nil || len(page.Entries) != 1 || !page.Searched.IsZero() {
		t.Fatalf("page = %+v (%v)", page, err)
	}
	if len(asked) != 4 {
		t.Errorf("looked back %d times (%v), want 1, 7, 31 and 100 hours", len(asked), asked)
	}
	asked = nil
	page, err = r.Read(t.Context(), Query{Text: "found", Limit: 1})
	if err != nil || len(page.Entries) != 1 || len(asked) != 3 {
		t.Errorf("looked back %d times for one entry (%+v, %v), want 3", len(asked), page, err)
	}
}

// Each journal is asked by itself, also for how far back it goes.
func TestANamespaceIsAJournalOfItsOwn(t *testing.T) {
	var asked, without int
	r := &Reader{Now: func() time.Time { return noon }, Lines: func(_ context.Context, c sys.Command, each func([]byte) error) error {
		if asked++; !slices.Contains(c.Args, "--namespace=ns") {
			without++
		}
		return each([]byte(line(noon, `"found"`)))
	}}
	for _, q := range []Query{{Namespace: "ns", Limit: 1}, {Namespace: "ns", Text: "found", Limit: 1}} {
		page, err := r.Read(t.Context(), q)
		if err != nil || len(page.Entries) != 1 || page.Entries[0].Namespace != "ns" {
			t.Errorf("%+v: %+v (%v)", q, page, err)
		}
	}
	err := r.Follow(t.Context(), Query{Namespace: "ns"}, func(e Entry) error {
		if e.Namespace != "ns" {
			t.Errorf("followed %+v", e)
		}
		return nil
	})
	if err != nil || asked != 4 || without != 0 {
		t.Errorf("%d of %d questions were to another journal (%v)", without, asked, err)
	}
	if got := command("").Args; slices.ContainsFunc(got, func(a string) bool { return strings.HasPrefix(a, "--namespace") }) {
		t.Errorf("the main journal is asked by %q", got)
	}
}
