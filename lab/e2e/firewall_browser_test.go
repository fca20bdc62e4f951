package e2e

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
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
	b.sql("gateway", fmt.Sprintf(`begin; `+asChange+`;
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

// shop puts a policy there such as an operator has, so that the pages show something.
func (b *border) shop() {
	b.t.Helper()
	b.c.post("/firewall/zones", object{"name": "guest", "description": "Visitors"}).want(201)
	mail := b.c.post("/firewall/services", object{"name": "Mail submission", "protocol": "tcp", "port": 587}).want(201).id()
	server := b.c.post("/firewall/address-objects", object{"name": "shop-server", "kind": "host", "value": "10.99.30.10"}).want(201).id()
	backup := b.c.post("/firewall/address-objects", object{"name": "backup", "kind": "host", "value": "10.99.30.11"}).want(201).id()
	both := b.c.post("/firewall/address-groups", object{"name": "Servers", "members": []string{server, backup}}).want(201).id()
	b.c.rule("Servers send mail", "dmz", "wan", "accept", object{"src_kind": "group", "src_group_id": both, "service_object_id": mail, "log": true})
	b.c.rule("The office manages the servers", "lan", "dmz", "accept", object{"dst_kind": "group", "dst_group_id": both, "comment": "until the new rack is in"})
	b.c.rule("The office stores backups", "lan", "dmz", "accept", object{"dst_kind": "object", "dst_object_id": backup}) // the rule before takes all of it
	b.c.rule("Guests only reach the internet", "guest", "wan", "accept", nil)
	b.c.rule("Nobody asks the old printer", "any", "lan", "reject", object{"dst_kind": "cidr", "dst_cidr": "10.99.1.77/32", "labels": []string{"printer"}})
	b.c.post("/nat-rules", object{"name": "The shop behind our address", "kind": "dnat", "in_zone": "wan", "protocol": "tcp", "dest_port": 8080, "target_address": "10.99.30.10", "target_port": 80}).want(201).live()
	b.c.post("/firewall/services", object{"name": "Card payments", "protocol": "tcp", "port": 7001}).want(201)
	smtp := b.c.post("/firewall/services", object{"name": "Mail between servers", "protocol": "tcp", "port": 25}).want(201).id()
	b.c.post("/firewall/assertions", object{"name": "The office never sends mail by itself", "expect": "never", "src_zone": "lan", "dst_zone": "wan", "service_object_id": smtp}).want(201)
	b.c.post("/firewall/assertions", object{"name": "Guests never reach the servers", "expect": "never", "src_zone": "guest", "dst_zone": "dmz"}).want(201)
}

// An operator at a browser, and packets of real hosts beside the node.
func TestFirewallInTheBrowser(t *testing.T) {
	webFolder(t)
	b := between(t)
	b.shop()
	bank, other := b.echo(b.far, 7001), b.echo(b.far, 7002)
	reaches := func(at netip.AddrPort) deed {
		return func(json.RawMessage) (any, error) {
			got, _ := b.seen(b.client, at)
			return got != "", nil
		}
	}
	do := b.accounts()
	do["reach"], do["reachOther"], do["refused"] = reaches(bank), reaches(other), reaches(other)
	do["addresses"] = ask(func(struct{}) (any, error) {
		return map[string]string{"near": b.client.IP().String(), "far": bank.Addr().String()}, nil
	})
	var out struct {
		Reached struct{ Before, Created, FromLog bool }
		Shown   struct {
			Trace, From, Refusal string
			Order                []string
		}
		Findings, Sights []string
	}
	b.browse("firewall_story", do, &out, shots(t)...)
	if r := out.Reached; r.Before || !r.Created || !r.FromLog {
		t.Errorf("reached before, with the rule, and with one from the log: %+v", r)
	}
	if s := out.Shown; len(s.Order) == 0 || s.Order[0] != "The till reaches the bank" || !strings.HasPrefix(s.From, b.client.IP().String()) || !strings.Contains(s.Refusal, "The office never sends mail by itself") {
		t.Errorf("the pages show %+v", s)
	}
	for _, f := range out.Findings {
		t.Errorf("axe: %s", f)
	}
	t.Logf("%+v; looked at %v", out.Shown, out.Sights)
	b.settles(b.c, patience)
}
