package app_test

import (
	"os"
	"strings"
	"testing"

	"gateway/internal/app"
	"gateway/internal/problem"
)

// Whoever is alerted, or sees an error, finds in the guide what to do. That each code in the guide exists is tested in tools/docs.
func TestTheOperatorGuideHasEveryProblemThatMatters(t *testing.T) {
	guide, err := os.ReadFile("../../docs/operator-guide.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(guide), "| code | what happened | remedy |")
	table, _, _ = strings.Cut(table, "\n\n")
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	for _, kinds := range a.Problems() {
		for _, k := range kinds {
			matters := k.Alert != "" || k.Severity.Compare(problem.Error) <= 0
			if matters && !strings.Contains(table, "`"+k.Code+"`") {
				t.Errorf("docs/operator-guide.md does not say what to do about %s", k.Code)
			}
		}
	}
}
