package netfilter

import "testing"

const marked = `add table inet gateway
add chain inet gateway input { type filter hook input priority filter; policy drop; }
add set inet gateway a4_1 { type ipv4_addr; flags interval; }
add map inet gateway pairs { type ifname . ifname : verdict; }
flush chain inet gateway input
flush set inet gateway a4_1
flush map inet gateway pairs
add element inet gateway a4_1 { 192.0.2.0/24, 198.51.100.7 }
add element inet gateway pairs { "eth0" . "eth1" : accept }
add rule inet gateway input ip saddr @a4_1 accept
add rule inet gateway input tcp dport 22 accept
`

func TestAMarkHoldsUntilSomebodyTouchesTheTable(t *testing.T) {
	r := newRig(t)
	m := &Marker{Table: r.table}
	mark := func() (out string) {
		t.Helper()
		r.must(func() (err error) { out, err = m.Mark(t.Context()); return err })
		return out
	}
	if got := mark(); got != "" {
		t.Errorf("the mark of no table is %q", got)
	}
	r.replace(marked)
	was := mark()
	if was == "" || mark() != was {
		t.Fatalf("the mark is %q, then %q", was, mark())
	}
	r.nft("add table inet other\nadd chain inet other x\n", "-f", "-")
	if got := mark(); got != was {
		t.Errorf("another tool's table changed the mark from %q to %q", was, got)
	}
	for _, touch := range []string{
		"add rule inet gateway input accept",
		"insert rule inet gateway input drop",
		"flush chain inet gateway input",
		"add chain inet gateway input { policy accept; }",
		"add element inet gateway a4_1 { 203.0.113.9 }",
		"delete element inet gateway a4_1 { 198.51.100.7 }",
		`delete element inet gateway pairs { "eth0" . "eth1" }`,
		"add chain inet gateway more",
	} {
		r.replace(marked)
		was := mark()
		r.nft(touch+"\n", "-f", "-")
		if got := mark(); got == was {
			t.Errorf("%s: not noticed", touch)
		}
		r.nft("delete table inet gateway\n", "-f", "-")
		if got := mark(); got != "" {
			t.Errorf("the mark of a table that was deleted is %q", got)
		}
	}
}

func TestAMarkFollowsOurOwnChanges(t *testing.T) {
	r := newRig(t)
	m := &Marker{Table: r.table}
	mark := func(m *Marker) (out string) {
		t.Helper()
		r.must(func() (err error) { out, err = m.Mark(t.Context()); return err })
		return out
	}
	r.replace(marked, "add set inet gateway a6_1 { type ipv6_addr; flags interval; }\nadd set inet gateway peers4 { type ipv4_addr; }\n")
	mark(m)
	for _, batch := range []string{
		"add element inet gateway a4_1 {\n203.0.113.9,\n203.0.113.20-203.0.113.30,\n}\nadd element inet gateway a6_1 {\n2001:db8::/32,\n}\n",
		"delete element inet gateway a4_1 {\n203.0.113.9,\n198.51.100.7,\n}\nadd element inet gateway peers4 {\n192.0.2.1,\n}\n",
		"add element inet gateway a4_1 {\n255.255.255.0/24,\n0.0.0.0/8,\n}\n",
	} {
		r.must(func() error { return m.Change(t.Context(), []byte(batch)) })
		if known := m.sums; known.chains == 0 || known.String() != mark(&Marker{Table: r.table}) {
			t.Errorf("after %sthe mark is worked out as %s, and read as %s", batch, known, mark(&Marker{Table: r.table}))
		}
	}
	was := mark(m)
	r.nft("delete element inet gateway a4_1 { 203.0.113.20-203.0.113.30 }\n", "-f", "-")
	r.must(func() error {
		return m.Change(t.Context(), []byte("add element inet gateway a4_1 {\n203.0.113.99,\n}\n"))
	})
	if m.sums.chains != 0 || mark(m) == was || mark(m) != mark(&Marker{Table: r.table}) {
		t.Error("what somebody else did was not noticed by a change of our own")
	}
}
