package e2e

import (
	"fmt"
	"os/exec"
	"regexp"
	"testing"

	"gateway/tools/bar"
)

// The fuzzers belong to the components; what they printed is all that is needed here.
var (
	dnsFuzzed = regexp.MustCompile(`(\d+) configurations, (\d+) objects, \d+ refused, (\d+) bad;.*without escaping (\d+) configurations broke out`)
	ntpFuzzed = regexp.MustCompile(`(\d+) states, (\d+) accepted, (\d+) bad; of the \d+ refused ones (\d+) broke out`)
)

// shows T22
func TestBarEngine05Fuzz(t *testing.T) {
	figure, ok := "", true
	for name, pattern := range map[string]*regexp.Regexp{"dns/unbound": dnsFuzzed, "ntp/chrony": ntpFuzzed} {
		out, err := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-timeout", "120m", "-run", "^TestFuzzedRowsRender$",
			"gateway/internal/component/"+name).CombinedOutput()
		m := pattern.FindStringSubmatch(string(out))
		if err != nil || m == nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		figure += fmt.Sprintf("%s %s cases, %s accepted, %s bad, control %s broke out; ", name, m[1], m[2], m[3], m[4])
		ok = ok && m[3] == "0" && m[4] != "0"
	}
	bar.Report(t, "engine", 5, figure[:len(figure)-2], fmt.Sprintf("0 bad of %d each", bar.Size(500, 20000)), ok)
}
