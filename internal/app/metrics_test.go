package app_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"testing"

	"gateway/internal/app/apptest"
	"gateway/internal/component"
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

// declared adds the metrics of what components measure: in a test most of it cannot be read.
func declared(have map[string]string, values map[string][]component.Value) map[string]string {
	for _, kinds := range values {
		for _, v := range kinds {
			have[v.Metric] = "gauge"
			if v.Counter {
				have[v.Metric] = "counter"
			}
		}
	}
	return have
}

func TestEveryMetricIsDocumented(t *testing.T) {
	a, admin := apptest.Ready(t)
	answer := types(answered, admin.Get("/metrics").Want(http.StatusOK).Body)
	if answer["gateway_memory_used_bytes"] != "gauge" || answer["gateway_cpu_busy_seconds_total"] != "counter" {
		t.Error("what is measured of the node is not among the metrics")
	}
	have := declared(maps.Clone(answer), a.API.Values())
	for name, kind := range answer {
		if have[name] != kind {
			t.Errorf("%s is declared a %s, and answered as a %s", name, have[name], kind)
		}
	}
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
	checkDashboard(t, have, a.API.Values())
}

// dashboard is what this test reads of Grafana's.
type dashboard struct {
	Panels []struct {
		Title, Type string
		FieldConfig struct{ Defaults struct{ Unit string } }
		Targets     []struct{ Expr string }
	}
}

var (
	inQuery = regexp.MustCompile(`\b(?:gateway|process|go)_[a-z0-9_]+`)
	suffix  = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// checkDashboard holds the queries against the metrics that there are. A counter is of use as a rate
// alone, and each value that components measure is drawn somewhere.
func checkDashboard(t *testing.T, have map[string]string, values map[string][]component.Value) {
	t.Helper()
	text, err := os.ReadFile("../../docs/grafana/gateway.json")
	if err != nil {
		t.Fatal(err)
	}
	var board dashboard
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	drawn := map[string]bool{}
	for _, panel := range board.Panels {
		if panel.Type != "row" && (len(panel.Targets) == 0 || panel.Title == "" || panel.FieldConfig.Defaults.Unit == "") {
			t.Errorf("the panel %q has no query or no unit", panel.Title)
		}
		for _, target := range panel.Targets {
			for _, name := range inQuery.FindAllString(target.Expr, -1) {
				whole := name
				if have[name] == "" {
					whole = suffix.ReplaceAllString(name, "")
				}
				if have[whole] == "" {
					t.Errorf("the panel %q asks for %s, which there is not", panel.Title, name)
				}
				if rated := regexp.MustCompile(`rate\(` + name + `\b`).MatchString(target.Expr); rated != (have[whole] != "gauge") {
					t.Errorf("the panel %q has %q of a %s", panel.Title, target.Expr, have[whole])
				}
				drawn[whole] = true
			}
		}
	}
	for _, kinds := range values {
		for _, v := range kinds {
			if !drawn[v.Metric] {
				t.Errorf("no panel draws %s", v.Metric)
			}
		}
	}
}
