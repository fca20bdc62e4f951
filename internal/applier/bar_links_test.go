package applier

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"gateway/tools/bar"
)

// forbidden is what the one process with privileges has no use for.
var forbidden = regexp.MustCompile(`huma|websocket|acmez|promhttp|^net/http$|^gateway/web$|^gateway/internal/(api|resource|component)$`)

func linked(t *testing.T, program string) (all, wrong []string) {
	t.Helper()
	out, err := exec.CommandContext(context.Background(), "go", "list", "-deps", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		all = append(all, name)
		if forbidden.MatchString(name) {
			wrong = append(wrong, name)
		}
	}
	return all, wrong
}

// The privileged process is the smaller, the less can be wrong with it.
func TestTheApplierLinksNothingOfTheAPI(t *testing.T) {
	if _, wrong := linked(t, "gateway/cmd/gateway-apply"); len(wrong) > 0 {
		t.Errorf("gateway-apply links %v", wrong)
	}
}

func TestBarCarry02Links(t *testing.T) {
	all, wrong := linked(t, "gateway/cmd/gateway-apply")
	_, control := linked(t, "gateway/cmd/gateway-api")
	own := 0
	for _, name := range all {
		if strings.Contains(strings.SplitN(name, "/", 2)[0], ".") || strings.HasPrefix(name, "gateway/") {
			own++
		}
	}
	figure := fmt.Sprintf("%d packages (%d of Go itself), %d forbidden; control gateway-api: %d forbidden", len(all), len(all)-own, len(wrong), len(control))
	bar.Report(t, "carry", 2, figure, "<=250, 0 forbidden", len(all) <= 250 && len(wrong) == 0 && len(control) > 5)
}
