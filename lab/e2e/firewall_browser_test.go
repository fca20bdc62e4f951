package e2e

import (
	"fmt"
	"testing"

	"gateway/tools/bar"
)

const (
	manyRules   = 10_000
	usefulPaint = 1500.0 // milliseconds
)

// order puts many rules into the policy, past the API: each about one of the objects, each
// between two of the zones.
func (b *border) order(n int) {
	b.t.Helper()
	b.sql("gateway", fmt.Sprintf(`begin; select set_config('gateway.change_id', (select id::text from changes limit 1), true);
		insert into firewall_rules (id, revision, created_at, updated_at, name, src_zone, src_kind, src_object_id, src_cidr, dst_zone, dst_kind, dst_cidr, action, log, priority, enabled, comment, note, labels)
			select gen_random_uuid(), 1, now(), now(), 'rule ' || lpad(n::text, 6, '0'), (array['lan', 'dmz', 'mgmt'])[1 + n %% 3], 'object', o.id, '',
				(array['wan', 'dmz', 'lan', 'cluster'])[1 + n %% 4], 'cidr', '198.51.' || n / 250 || '.' || n %% 250 || '/32', 'accept', false, n, true, 'for a test', '', '{}'
			from (select id, row_number() over (order by name) n from firewall_address_objects limit %d) o; commit; analyze`, n))
	b.c.post("/system/render-configs", nil).want(200)
	b.settles(b.c, 2*patience)
}

func TestBarFirewall11LongLists(t *testing.T) {
	webFolder(t)
	b := between(t)
	group := b.c.post("/firewall/address-groups", object{"name": "crowd"}).want(201).id()
	b.c.rule("the crowd goes out", "lan", "wan", "accept", object{"src_kind": "group", "src_group_id": group})
	b.fill(group, manyAddresses)
	b.order(manyRules)
	do := b.accounts()
	words := map[string]string{"rules": "rule 007777", "objects": "h77777"}
	do["words"] = ask(func(struct{}) (any, error) { return map[string]any{"words": words}, nil })
	type list struct {
		Paint, Scroll, Search, Frame float64
		Frames                       int
		Found                        string
	}
	var out struct {
		Rules, Objects list
		Control        float64
	}
	b.browse("firewall_lists", do, &out)
	t.Logf("rules %+v; objects %+v", out.Rules, out.Objects)
	if out.Rules.Found != words["rules"] || out.Objects.Found != words["objects"] {
		t.Errorf("the search found %q and %q", out.Rules.Found, out.Objects.Found)
	}
	if out.Control <= frameLimit {
		t.Errorf("a page held up for 150 ms shows %.0f ms: nothing can be said about the others", out.Control)
	}
	paint := max(out.Rules.Paint, out.Objects.Paint)
	frame := max(out.Rules.Scroll, out.Rules.Search, out.Objects.Scroll, out.Objects.Search)
	figure := fmt.Sprintf("first rows: %d rules %.0f ms, %d objects %.0f ms; longest frame: scroll %.0f and %.0f ms, search %.0f and %.0f ms; control %.0f ms",
		manyRules, out.Rules.Paint, manyAddresses, out.Objects.Paint, out.Rules.Scroll, out.Objects.Scroll, out.Rules.Search, out.Objects.Search, out.Control)
	bar.ReportTimed(t, "firewall", 11, figure, "first rows <=1500 ms, frame <=100 ms",
		!t.Failed() && min(out.Rules.Paint, out.Objects.Paint, out.Rules.Scroll, out.Objects.Scroll) > 0, paint <= usefulPaint && frame <= frameLimit)
}
