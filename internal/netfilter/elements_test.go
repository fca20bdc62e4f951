package netfilter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const threeSets = `add table inet gateway
add set inet gateway a4_x { type ipv4_addr; flags interval; }
add set inet gateway a6_x { type ipv6_addr; flags interval; }
add set inet gateway peers4 { type ipv4_addr; }
`

// What the kernel is told directly has to be what nft would have told it.
func TestChangeIsWhatNftWouldDo(t *testing.T) {
	const start = `add element inet gateway a4_x {
10.0.0.0/8,
192.0.2.1-192.0.2.5,
}
add element inet gateway a6_x {
2001:db8::/32,
}
add element inet gateway peers4 {
10.0.0.1,
}
`
	for _, tc := range []struct{ name, batch string }{
		{"an address comes", "add element inet gateway a4_x {\n192.0.2.9,\n}\n"},
		{"a range grows", "delete element inet gateway a4_x {\n192.0.2.1-192.0.2.5,\n}\nadd element inet gateway a4_x {\n192.0.2.1-192.0.2.6,\n}\n"},
		{"a network goes", "delete element inet gateway a4_x {\n10.0.0.0/8,\n}\n"},
		{"the last address there is", "add element inet gateway a4_x {\n255.255.255.255,\n}\n"},
		{"the upper half of IPv6", "add element inet gateway a6_x {\n8000::/1,\n}\n"},
		{"everything", "delete element inet gateway a4_x {\n10.0.0.0/8,\n192.0.2.1-192.0.2.5,\n}\nadd element inet gateway a4_x {\n0.0.0.0/0,\n}\n"},
		{"both families at once", "add element inet gateway a4_x {\n192.0.2.9,\n}\nadd element inet gateway a6_x {\nfe80::1,\nfe80::3-fe80::7,\n}\n"},
		{"a set without ranges", "delete element inet gateway peers4 {\n10.0.0.1,\n}\nadd element inet gateway peers4 {\n10.0.0.2,\n10.0.0.3,\n}\n"},
		{"nothing", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			told, ran := newRig(t), newRig(t)
			told.nft(threeSets+start, "-f", "-")
			ran.nft(threeSets+start, "-f", "-")
			told.change(tc.batch)
			ran.nft(tc.batch, "-f", "-")
			got, want := told.nft("", "list", "ruleset"), ran.nft("", "list", "ruleset")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the sets (-by nft +by Change):\n%s", diff)
			}
		})
	}
}

func TestChangeThatDoesNotFitChangesNothing(t *testing.T) {
	for _, tc := range []struct{ name, batch string }{
		{"an element that is not there goes", "add element inet gateway a4_x {\n10.0.0.9,\n}\ndelete element inet gateway a4_x {\n10.0.0.1,\n}\n"},
		{"an element comes twice", "add element inet gateway a4_x {\n10.0.0.9,\n10.0.0.7,\n}\nadd element inet gateway a4_x {\n10.0.0.9,\n}\n"},
		{"a set that is not there", "add element inet gateway a4_x {\n10.0.0.9,\n}\nadd element inet gateway a4_y {\n10.0.0.9,\n}\n"},
		{"the other family", "add element inet gateway a4_x {\n::1,\n}\n"},
		{"a range in a set without ranges", "add element inet gateway peers4 {\n10.0.0.1-10.0.0.2,\n}\n"},
		{"another command", "flush set inet gateway a4_x\n"},
		{"another table", "add element inet other a4_x {\n10.0.0.9,\n}\n"},
		{"no address", "add element inet gateway a4_x {\nlocalhost,\n}\n"},
		{"a range backwards", "add element inet gateway a4_x {\n10.0.0.9-10.0.0.1,\n}\n"},
		{"a network with a host in it", "add element inet gateway a4_x {\n10.0.0.9/8,\n}\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			r.nft(threeSets, "-f", "-")
			want := r.nft("", "list", "ruleset")
			if err := r.Do(func() error { return r.table.Change(t.Context(), []byte(tc.batch)) }); err == nil {
				t.Error("no error")
			}
			if diff := cmp.Diff(want, r.nft("", "list", "ruleset")); diff != "" {
				t.Errorf("the sets (-before +after):\n%s", diff)
			}
		})
	}
}

func TestChangeOfManyElements(t *testing.T) {
	r := newRig(t)
	r.nft(threeSets, "-f", "-")
	const many = 20_000
	r.change(elementBatch("add", "a6_x", many))
	got := r.nft("", "list", "set", "inet", "gateway", "a6_x")
	if n := strings.Count(got, "2001:db8:"); n != many {
		t.Errorf("the set has %d elements, want %d", n, many)
	}
	r.change(elementBatch("delete", "a6_x", many))
	if got := r.nft("", "list", "set", "inet", "gateway", "a6_x"); strings.Contains(got, "2001:db8:") {
		t.Errorf("elements are left:\n%.300s", got)
	}
}

func elementBatch(verb, set string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s element inet gateway %s {\n", verb, set)
	for i := range n {
		fmt.Fprintf(&b, "2001:db8::%x:0,\n", i)
	}
	b.WriteString("}\n")
	return b.String()
}
