package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gateway/tools/bar"
)

// It is in the last file, so that it counts what all scenarios saw; alone it has its own visit.
func TestBarWeb03Policy(t *testing.T) {
	a := site(t)
	var out struct {
		Pages, Control, Ran int
		Header              string
	}
	a.browse("policy", a.accounts(), &out)
	if !strings.Contains(out.Header, "default-src 'self'") || strings.Contains(out.Header, "unsafe") {
		t.Errorf("the policy is %q, which is not strict", out.Header)
	}
	if out.Control == 0 || out.Ran > 0 {
		t.Errorf("the control was noticed %d times and ran %d times: nothing can be said about the others", out.Control, out.Ran)
	}
	policy.Lock()
	defer policy.Unlock()
	slices.Sort(policy.scenarios)
	figure := fmt.Sprintf("%d violations in %d scenarios (%s); control %d", len(policy.broken), len(policy.scenarios), strings.Join(slices.Compact(policy.scenarios), ", "), out.Control)
	bar.Report(t, "web", 3, figure, "0 violations", !t.Failed() && len(policy.broken) == 0)
}
