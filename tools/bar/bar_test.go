package bar

import (
	"fmt"
	"strings"
	"testing"
)

// recorder stands in for the test that Report would fail.
type recorder struct {
	testing.TB
	errs []string
}

func (r *recorder) Helper() {}

func (r *recorder) Logf(string, ...any) {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errs = append(r.errs, fmt.Sprintf(format, args...))
}

func TestReport(t *testing.T) {
	for _, tc := range []struct {
		name     string
		line     Line
		want     string
		failures int
	}{
		{
			"a figure that reaches its target passes",
			Line{"foundation", 3, "1.2 ms", "<= 5 ms", true},
			"BAR foundation.3 1.2 ms target <= 5 ms ok\n", 0,
		},
		{
			"a figure that falls short fails the test and is still printed",
			Line{"proxy", 12, "0.7", ">= 0.8", false},
			"BAR proxy.12 0.7 target >= 0.8 short\n", 1,
		},
		{"a figure of two lines is refused", Line{"proxy", 1, "a\nb", "c", true}, "", 1},
		{"a line without a figure is refused", Line{"proxy", 1, "", "c", true}, "", 1},
		{"an area is a lower-case word", Line{"Proxy", 1, "1", "2", true}, "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out strings.Builder
			rec := &recorder{TB: t}
			report(rec, &out, tc.line, false)
			if got := out.String(); got != tc.want {
				t.Errorf("printed %q, want %q", got, tc.want)
			}
			if got := len(rec.errs); got != tc.failures {
				t.Errorf("failures = %d, want %d: %q", got, tc.failures, rec.errs)
			}
		})
	}
}

func TestALateFigure(t *testing.T) {
	for _, tc := range []struct {
		name          string
		gate          string
		right, inTime bool
		verdict       string
		failures      int
	}{
		{"right and in time is ok", "", true, true, "ok", 0},
		{"late fails on a machine to itself", "", true, false, "short", 1},
		{"wrong fails on a machine to itself", "", false, true, "short", 1},
		{"right and in time is ok at the gate", "1", true, true, "ok", 0},
		{"late is short at the gate, and does not fail", "1", true, false, "short", 0},
		{"wrong fails at the gate", "1", false, true, "short", 1},
		{"wrong and late fails at the gate", "1", false, false, "short", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv(GateEnv, tc.gate)
			var out strings.Builder
			rec := &recorder{TB: t}
			report(rec, &out, Line{"web", 6, "117 ms", "<=100 ms", tc.right && tc.inTime}, tc.right)
			if got, want := out.String(), "BAR web.6 117 ms target <=100 ms "+tc.verdict+"\n"; got != want {
				t.Errorf("printed %q, want %q", got, want)
			}
			if got := len(rec.errs); got != tc.failures {
				t.Errorf("failures = %d, want %d: %q", got, tc.failures, rec.errs)
			}
		})
	}
}

func TestReportFailsAtTheGateToo(t *testing.T) {
	t.Setenv(GateEnv, "1")
	rec := &recorder{TB: t}
	report(rec, &strings.Builder{}, Line{"proxy", 12, "0.7", ">= 0.8", false}, false)
	if got := len(rec.errs); got != 1 {
		t.Errorf("failures = %d, want 1: %q", got, rec.errs)
	}
}

func TestParseReadsWhatStringWrote(t *testing.T) {
	want := Line{"dns", 7, "0 of 1,000 lost (target practice)", "0 lost", true}
	got, err := Parse(want.String())
	if err != nil || got != want {
		t.Errorf("Parse = %+v, %v, want %+v", got, err, want)
	}
}

func TestSize(t *testing.T) {
	for _, tc := range []struct {
		name           string
		gate, torture  string
		size, gateSize int
	}{
		{"an ordinary run", "", "", 30, 30},
		{"the gate", "1", "", 30, 3},
		{"torture", "", "1", 3000, 3000},
		{"torture at the gate", "1", "1", 3000, 3000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv(GateEnv, tc.gate)
			t.Setenv(TortureEnv, tc.torture)
			if got := Size(30, 3000); got != tc.size {
				t.Errorf("Size = %d, want %d", got, tc.size)
			}
			if got := GateSize(3, 30, 3000); got != tc.gateSize {
				t.Errorf("GateSize = %d, want %d", got, tc.gateSize)
			}
		})
	}
}
