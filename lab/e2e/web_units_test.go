package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gateway/tools/bar"
)

// vitest runs a test file of the SPA and counts what passed.
func vitest(t *testing.T, file string) (passed, failed int) {
	t.Helper()
	if testing.Short() {
		t.Skip("starting Node takes seconds")
	}
	cmd := exec.CommandContext(t.Context(), "npx", "vitest", "run", "--reporter=json", file)
	cmd.Dir = filepath.Join("..", "..", "web")
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	var report struct {
		Passed  int `json:"numPassedTests"`
		Failed  int `json:"numFailedTests"`
		Results []struct {
			Message string
			Tests   []struct {
				Name     string   `json:"fullName"`
				Failures []string `json:"failureMessages"`
			} `json:"assertionResults"`
		} `json:"testResults"`
	}
	if json.Unmarshal(out, &report) != nil || (err != nil && report.Failed == 0) {
		t.Fatalf("vitest %s: %v: %s%s", file, err, out, complaints.String())
	}
	for _, r := range report.Results {
		for _, test := range r.Tests {
			if len(test.Failures) > 0 {
				t.Errorf("%s: %v", test.Name, test.Failures)
			}
		}
	}
	return report.Passed, report.Failed
}

func TestBarWeb09ToyFeature(t *testing.T) {
	passed, failed := vitest(t, "src/app/features.test.tsx")
	bar.Report(t, "web", 9, fmt.Sprintf("one folder: %d tests pass, %d fail", passed, failed), "page, navigation, route and palette entry appear",
		!t.Failed() && passed > 0 && failed == 0)
}

func TestBarWeb10Messages(t *testing.T) {
	passed, failed := vitest(t, "src/test/messages.test.ts")
	bar.Report(t, "web", 10, fmt.Sprintf("%d tests pass, %d fail", passed, failed), "every visible string in English and German",
		!t.Failed() && passed > 0 && failed == 0)
}
