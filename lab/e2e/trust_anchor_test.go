package e2e

import (
	"fmt"
	"strings"
	"testing"

	"gateway/tools/bar"
)

// gateway-ctl audit-verify finds on a node, by what gateway-apply wrote down, what the chain alone does not tell. Package app
// has more ways to rewrite the log.
func TestBarTrust05OnANode(t *testing.T) {
	a, c := alone(t)
	zones := func(from, to int) {
		for i := from; i < to; i++ {
			c.post("/dns/zones", object{"name": fmt.Sprintf("z%d.arpa", i), "forward_to": []string{}}).want(201)
		}
	}
	zones(0, 6)
	a.eventually(patience, "gateway-apply has anchored the log", func() bool {
		out, err := a.node.Run(t.Context(), "gateway-ctl", "audit-verify", "--json")
		return err == nil && strings.Contains(out, `"not_anchored":0`) && !strings.Contains(out, `"anchors":0`)
	})
	const cut = `set session_replication_role = replica; delete from audit_entries where seq > (select max(seq) - 4 from audit_entries);
		update audit_heads set (seq, hash) = (select seq, hash from audit_entries order by seq desc limit 1)`
	forgeries := []struct {
		name, says string
		do         func()
	}{
		{"cut at its end", "the end was truncated", func() { a.sql("gateway", cut) }},
		{"cut, and written on until it is longer", "the log was rewritten", func() { zones(6, 12) }},
	}
	found, without := 0, 0
	for _, f := range forgeries {
		f.do()
		if out := a.fails("gateway-ctl", "audit-verify"); strings.Contains(out, f.says) {
			found++
		} else {
			t.Errorf("%s: %s", f.name, out)
		}
		if out := a.run("gateway-ctl", "audit-verify", "--anchors", "/nonexistent"); strings.Contains(out, "every chain is intact") {
			without++ // the control
		}
	}
	figure := fmt.Sprintf("on a node, with what gateway-apply wrote: %d of %d found by gateway-ctl audit-verify; control: %d of %d pass without the anchors",
		found, len(forgeries), without, len(forgeries))
	bar.Report(t, "trust", 5, figure, "all, control all", found == len(forgeries) && without == len(forgeries) && !t.Failed())
}
