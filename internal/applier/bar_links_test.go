package applier

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"gateway/tools/bar"
)

// forbidden is what the one process with privileges has no use for.
var forbidden = regexp.MustCompile(`huma|websocket|acmez|promhttp|^net/http$|^gateway/web$|^gateway/internal/(api|resource|component)$`)

// ceiling is how many packages gateway-apply links today, which docs/adr/0021-two-contracts.md
// explains. Raise it when a new one is worth it, and lower it when one is gone.
const ceiling = 296

// linked are the packages of a program as it is shipped, and those that it should not have.
func linked(t *testing.T, program string) (all, wrong []string) {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "go", "list", "-deps", program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
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
	all, wrong := linked(t, "gateway/cmd/gateway-apply")
	if len(wrong) > 0 {
		t.Errorf("gateway-apply links %v", wrong)
	}
	if len(all) > ceiling {
		t.Errorf("gateway-apply links %d packages, and %d so far", len(all), ceiling)
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
