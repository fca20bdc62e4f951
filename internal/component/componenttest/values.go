package componenttest

import (
	"slices"
	"testing"

	"gateway/internal/component"
)

// Values are what a component measures now, by series; what it did not declare is an error.
func Values(t testing.TB, v component.Values) (map[string]float64, error) {
	t.Helper()
	readings, err := v.Read(t.Context())
	out := map[string]float64{}
	for _, r := range readings {
		if !slices.Contains(v.Kinds, r.Value) {
			t.Errorf("%s is read, and not declared", r.Name)
		}
		out[r.Series()] = r.Is
	}
	return out, err
}
