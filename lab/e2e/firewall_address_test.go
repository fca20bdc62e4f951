package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

const manyAddresses = 100_000

// fill puts many addresses into a group, past the API, which is about something else:
// 10.0.0.1, 10.0.0.3 and so on, so that none can be written together with its neighbour.
func (b *border) fill(group string, n int) {
	b.t.Helper()
	b.sql("gateway", fmt.Sprintf(`begin; `+asChange+`;
		with o as (insert into firewall_address_objects (id, revision, created_at, updated_at, name, kind, value, description)
			select gen_random_uuid(), 1, now(), now(), 'h' || n, 'host', '10.' || n * 2 / 65536 || '.' || n * 2 / 256 %% 256 || '.' || n * 2 %% 256 + 1, ''
			from generate_series(0, %d) n returning id)
		insert into firewall_address_members (id, revision, created_at, updated_at, group_id, object_id)
			select gen_random_uuid(), 1, now(), now(), '%s', id from o; commit; analyze`, n-1, group))
	b.c.post("/system/render-configs", nil).want(200)
	b.eventually(2*patience, "the last of many is in the kernel", func() bool {
		last := 2 * (n - 1)
		return b.holds(group, fmt.Sprintf("10.%d.%d.%d", last/65536, last/256%256, last%256+1))
	})
}

// holds reports whether the kernel has an address in a group.
func (b *border) holds(group, address string) bool {
	_, err := b.node.Run(b.t.Context(), "nft", "get", "element", "inet", "gateway", "a4_"+group, "{ "+address+" }")
	return err == nil
}

// inSet counts which of the addresses the kernel has in a group.
func (b *border) inSet(group string, addresses []string) (there int) {
	b.t.Helper()
	all := b.run("nft", "list", "set", "inet", "gateway", "a4_"+group)
	for _, a := range addresses {
		there += strings.Count(all, " "+a+",") + strings.Count(all, " "+a+" ")
	}
	return there
}

// rules are all chains and rules with the kernel's number for each, which a replacement changes.
func (b *border) rules() string {
	b.t.Helper()
	return b.run("nft", "-a", "-s", "-t", "list", "table", "inet", "gateway")
}

func TestBarFirewall04OneAddress(t *testing.T) {
	b := between(t)
	group := b.c.post("/firewall/address-groups", object{"name": "crowd"}).want(201).id()
	b.c.rule("the crowd goes out", "lan", "wan", "accept", object{"src_kind": "group", "src_group_id": group})
	many := bar.GateSize(20_000, manyAddresses, manyAddresses)
	b.fill(group, many)
	b.settles(b.c, 2*patience)
	before := b.rules()
	var took []time.Duration
	var addresses []string
	n := 20
	var objects []string
	for i := range n {
		addresses = append(addresses, fmt.Sprintf("172.16.%d.1", i))
		objects = append(objects, b.c.post("/firewall/address-objects", object{"name": fmt.Sprintf("new%d", i), "kind": "host", "value": addresses[i]}).want(201).id())
	}
	used := b.cpu()
	for i, one := range objects {
		r := b.c.post("/firewall/address-members", object{"group_id": group, "object_id": one}).want(201).live()
		took = append(took, r.took)
		if i == 0 && !b.holds(group, addresses[i]) { // nft reads all of them for that, so not each time
			t.Errorf("%s is said to be live, and is not in the kernel", addresses[i])
		}
	}
	t.Logf("each takes %v of the processor", b.cpu().since(used, n))
	there := b.inSet(group, addresses)
	same := b.rules() == before
	b.c.rule("another", "lan", "wan", "accept", nil) // the control: this replaces the rules
	control := b.rules() != before
	median := percentile(took, 0.5)
	figure := fmt.Sprintf("%.1f ms at the median of %d at %d addresses, slowest %.1f ms; %d in the kernel, rules untouched %v; control by another rule seen %v",
		ms(median), n, many, ms(percentile(took, 1)), there, same, control)
	bar.ReportTimed(t, "firewall", 4, figure, "<=100.0 ms, no full replace", there == n && same && control && !t.Failed(), median <= 100*time.Millisecond)
}
