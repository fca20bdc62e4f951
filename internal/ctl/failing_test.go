package ctl

import (
	"bytes"
	"strings"
	"testing"
)

// A daemon that hangs runs, as far as systemd can tell.
func TestAServiceThatDoesNotWorkIsNotCalledRunning(t *testing.T) {
	on := func(id, severity string) problem {
		return problem{Severity: severity, Subject: subject{Kind: "service", ID: id}, Message: "it does not answer"}
	}
	for _, tc := range []struct {
		name  string
		found []problem
		want  string
	}{
		{"nothing is wrong", nil, "all 2 required services are running"},
		{"one hangs", []problem{on("dns", "error")}, "dns runs and does not work: it does not answer"},
		{"one is only slow", []problem{on("dns", "warning")}, "all 2 required services are running"},
		{"one is not required", []problem{on("lamp", "error")}, "all 2 required services are running"},
		{"one is stopped", []problem{on("ntp", "error")}, "ntp is not running"},
	} {
		s := status{Services: &services{Required: 2, names: []string{"dns", "ntp"}}}
		if tc.name == "one is stopped" {
			s.Services.NotRunning = []service{{Name: "ntp"}}
		}
		s.Services.judge(tc.found)
		var out bytes.Buffer
		s.print(&out)
		if !strings.Contains(out.String(), tc.want) || strings.Contains(out.String(), "does not work") != strings.Contains(tc.want, "does not work") {
			t.Errorf("%s:\n%s", tc.name, out.String())
		}
	}
}
