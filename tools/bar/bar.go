// Package bar reports a measured figure beside its target. A test that measures
// something the product promises is named TestBar<Area>..., calls Report or
// ReportTimed, and so becomes a line of docs/measured.md. Running those tests and
// collecting their lines is left to command bars.
//
// Tests that report a bar must not be parallel: they measure, and the line is
// credited to the test that was running when it was printed.
package bar

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// TortureEnv is the variable that selects the long sizes.
const TortureEnv = "GATEWAY_TORTURE"

// GateEnv is the variable that says that the machine is shared: there a stopwatch
// tells about the neighbours too, so it decides nothing.
const GateEnv = "GATEWAY_GATE"

// Report prints one BAR line to standard output and fails the test when ok is
// false. The line starts at column 0, so that it is found in any test output.
func Report(tb testing.TB, area string, row int, figure, target string, ok bool) {
	tb.Helper()
	report(tb, os.Stdout, Line{Area: area, Row: row, Figure: figure, Target: target, OK: ok}, false)
}

// ReportTimed is Report for a figure with a stopwatch in it. What must hold on any
// machine is right; what a time, or a ratio of times, decided is inTime. Both must
// hold, except at the gate: there a figure that is only late is short as anywhere,
// and the test goes on.
func ReportTimed(tb testing.TB, area string, row int, figure, target string, right, inTime bool) {
	tb.Helper()
	report(tb, os.Stdout, Line{Area: area, Row: row, Figure: figure, Target: target, OK: right && inTime}, right)
}

// Relay reports what a test printed elsewhere, such as in an emulated machine, which must be something.
func Relay(tb testing.TB, output string) {
	tb.Helper()
	found := false
	for text := range strings.Lines(output) {
		if l, err := Parse(strings.TrimSpace(text)); err == nil {
			found = true
			report(tb, os.Stdout, l, false)
		}
	}
	if !found {
		tb.Errorf("there is no line of a bar in\n%s", output)
	}
}

// report prints the line; onlyLate says that nothing but the clock can have made it short.
func report(tb testing.TB, w io.Writer, l Line, onlyLate bool) {
	tb.Helper()
	if _, err := Parse(l.String()); err != nil {
		tb.Errorf("%v", err)
		return
	}
	fmt.Fprintln(w, l)
	switch {
	case l.OK:
	case onlyLate && os.Getenv(GateEnv) != "":
		tb.Logf("%s.%d is late, which this machine does not decide: %s, target %s", l.Area, l.Row, l.Figure, l.Target)
	default:
		tb.Errorf("%s.%d is short: %s, target %s", l.Area, l.Row, l.Figure, l.Target)
	}
}

// Size answers ci in an ordinary run and torture when GATEWAY_TORTURE is set: the
// same test then serves both the gate and the long campaign.
func Size(ci, torture int) int { return GateSize(ci, ci, torture) }

// GateSize is Size for a row that would hold up the gate: there it has the smallest
// size at which it still shows what it says, and the promised one elsewhere.
func GateSize(gate, ci, torture int) int {
	switch {
	case os.Getenv(TortureEnv) != "":
		return torture
	case os.Getenv(GateEnv) != "":
		return gate
	}
	return ci
}

// NotShort skips a bar that needs no lab, which would skip it, when -short is given.
func NotShort(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("a bar takes seconds or minutes: skipped by -short")
	}
}
