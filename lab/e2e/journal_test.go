package e2e

import (
	"strings"
	"testing"
)

// What an operator filters by: an error is an error for journalctl too.
func TestTheJournalHasThePriorityOfALine(t *testing.T) {
	a := installed(t)
	// As a unit of its own, so that its standard error is the journal.
	a.fails("systemd-run", "--quiet", "--wait", "--collect", "--unit", "gateway-probe",
		"/usr/sbin/gateway-api", "--state-dir", "/proc/nowhere")
	a.run("journalctl", "--sync")
	errors := a.run("journalctl", "--no-pager", "-o", "cat", "-p", "err", "_SYSTEMD_UNIT=gateway-probe.service")
	if !strings.Contains(errors, "/proc/nowhere") || strings.Contains(errors, "<3>") {
		t.Errorf("with priority err the journal has %q, want why it did not start, without the prefix", errors)
	}
	info := a.run("journalctl", "--no-pager", "-o", "cat", "-p", "info..info", "-u", "gateway-api")
	if !strings.Contains(info, "level=INFO") || strings.Contains(info, "level=WARN") || strings.Contains(info, "level=ERROR") {
		t.Errorf("with priority info the journal has\n%s", info)
	}
}
