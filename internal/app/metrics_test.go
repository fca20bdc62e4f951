package app_test

import (
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"testing"

	"gateway/internal/app/apptest"
)

var (
	answered   = regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`)
	documented = regexp.MustCompile("(?m)^\\| `(\\S+)` \\| (\\S+) \\| \\S")
)

// types are the metrics that a pattern finds, with their types.
func types(pattern *regexp.Regexp, text []byte) map[string]string {
	found := map[string]string{}
	for _, m := range pattern.FindAllSubmatch(text, -1) {
		found[string(m[1])] = string(m[2])
	}
	return found
}

func TestEveryMetricIsDocumented(t *testing.T) {
	_, admin := apptest.Ready(t)
	have := types(answered, admin.Get("/metrics").Want(http.StatusOK).Body)
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := types(documented, page)
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if listed[name] != have[name] {
			t.Errorf("docs/metrics.md has %s as %q, want %q with its meaning", name, listed[name], have[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if have[name] == "" {
			t.Errorf("docs/metrics.md lists %s, which there is not", name)
		}
	}
}
