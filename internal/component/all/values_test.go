package all_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway/internal/app"
	"gateway/internal/component"
	"gateway/internal/series"
)

var (
	seriesName = regexp.MustCompile(`^[a-z]+(\.\*)?\.[a-z]+$`)
	metricName = regexp.MustCompile(`^gateway(_[a-z0-9]+)+$`)
)

// What components measure has a name of its own, and names for Prometheus as its conventions want them:
// the base unit last, then _total for what only counts up. Half of the places stays for things that
// there are many of.
func TestEveryValueIsNamedWell(t *testing.T) {
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	seen, single := map[string]bool{}, 0
	for from, kinds := range a.Values() {
		for _, v := range kinds {
			if !seriesName.MatchString(v.Name) || seen[v.Name] || seen[v.Metric] {
				t.Errorf("%s: the series %q or the metric %q is there twice, or not named as the others", from, v.Name, v.Metric)
			}
			seen[v.Name], seen[v.Metric] = true, true
			several := strings.Contains(v.Name, "*")
			if several != (v.Label != "") || !strings.HasSuffix(v.Help, ".") {
				t.Errorf("%s: %s has the label %q and means %q", from, v.Name, v.Label, v.Help)
			}
			if !several {
				single++
			}
			checkMetric(t, v)
		}
	}
	if single < 15 || single > series.Columns/2 {
		t.Errorf("there are %d values that there is one of, and %d places", single, series.Columns)
	}
}

func checkMetric(t *testing.T, v component.Value) {
	t.Helper()
	name, total := strings.CutSuffix(v.Metric, "_total")
	if !metricName.MatchString(name) || total != v.Counter {
		t.Errorf("%s: the metric is called %s", v.Name, v.Metric)
	}
	ends := map[component.Unit]string{
		component.Bytes: "_bytes", component.BytesPerSecond: "_bytes", component.PacketsPerSecond: "_packets", component.Seconds: "_seconds", component.Percent: "_seconds",
	}
	if !strings.HasSuffix(name, ends[v.Unit]) {
		t.Errorf("%s is shown in %s, and its metric is called %s", v.Name, v.Unit, v.Metric)
	}
	rates := []component.Unit{component.BytesPerSecond, component.PacketsPerSecond, component.PerSecond, component.Percent}
	if v.Counter != slices.Contains(rates, v.Unit) {
		t.Errorf("%s is shown in %s, counter: %v", v.Name, v.Unit, v.Counter)
	}
}
