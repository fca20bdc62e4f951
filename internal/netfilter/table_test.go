package netfilter

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/sys"
)

// base is what every text begins with.
const base = `add table inet gateway
add map inet gateway pairs { type ifname . ifname : verdict; }
add chain inet gateway input { type filter hook input priority filter; policy drop; }
flush map inet gateway pairs
flush chain inet gateway input
add rule inet gateway input iifname . oifname vmap @pairs
`

const grown = base + `add counter inet gateway r_1
add counter inet gateway r_2
add set inet gateway a4_x { type ipv4_addr; flags interval; }
add map inet gateway more { type ipv4_addr : verdict; }
add chain inet gateway pair_0
add chain inet gateway run_0
add chain inet gateway last
flush chain inet gateway pair_0
flush chain inet gateway run_0
add rule inet gateway pair_0 ip saddr @a4_x counter name r_1 accept comment "gid:1"
add rule inet gateway pair_0 jump run_0
add rule inet gateway run_0 counter name r_2 ip saddr vmap @more
add element inet gateway pairs {
"lan0" . "wan0" : goto pair_0,
}
add element inet gateway more { 192.0.2.1 : goto last }
`

const members = `flush set inet gateway a4_x
add element inet gateway a4_x {
10.0.0.0/8,
192.0.2.1-192.0.2.5,
}
`

func TestReplaceRemovesWhatIsNoLongerNamed(t *testing.T) {
	r := newRig(t)
	r.replace(base)
	want := r.nft("", "list", "table", "inet", "gateway")
	r.replace(grown, members)
	if got := r.nft("", "list", "table", "inet", "gateway"); got == want {
		t.Fatal("the larger text changed nothing")
	}
	r.replace(base)
	if diff := cmp.Diff(want, r.nft("", "list", "table", "inet", "gateway")); diff != "" {
		t.Errorf("the table afterwards (-before +after):\n%s", diff)
	}
}

func TestReplaceTwiceIsReplaceOnce(t *testing.T) {
	r := newRig(t)
	r.replace(grown, members)
	want := r.nft("", "-a", "list", "set", "inet", "gateway", "a4_x")
	r.replace(grown, members)
	if diff := cmp.Diff(want, r.nft("", "-a", "list", "set", "inet", "gateway", "a4_x")); diff != "" {
		t.Errorf("the set (-once +twice):\n%s", diff)
	}
}

func TestReplaceKeepsTheOldTableWhenTheNewOneIsWrong(t *testing.T) {
	r := newRig(t)
	r.replace(grown, members)
	want := r.nft("", "-a", "list", "ruleset")
	err := r.Do(func() error {
		return r.table.Replace(t.Context(), []byte(base), []byte("add rule inet gateway input no such thing\n"))
	})
	var exit *sys.ExitError
	if !errors.As(err, &exit) || !strings.Contains(exit.Stderr, "no such thing") {
		t.Errorf("err = %v, want nft's words about the line", err)
	}
	if diff := cmp.Diff(want, r.nft("", "-a", "list", "ruleset")); diff != "" {
		t.Errorf("the table (-before +after):\n%s", diff)
	}
}

// A newer version of the product may lay a set out differently under the same name.
func TestReplaceGivesASetAnotherType(t *testing.T) {
	r := newRig(t)
	r.replace(grown, members)
	plain := strings.ReplaceAll(grown, "type ipv4_addr; flags interval;", "type ipv4_addr;")
	r.replace(plain)
	if got := r.nft("", "list", "set", "inet", "gateway", "a4_x"); strings.Contains(got, "interval") {
		t.Errorf("the set is still one of intervals:\n%s", got)
	}
}

func TestReplaceNeverTakesABaseChainDown(t *testing.T) {
	r := newRig(t)
	r.replace(base + `add chain inet gateway old { type filter hook forward priority filter; policy drop; }
add rule inet gateway old accept
`)
	r.replace(base)
	got := r.nft("", "list", "chain", "inet", "gateway", "old")
	if !strings.Contains(got, "policy accept") || strings.Contains(got, "\t\taccept") {
		t.Errorf("the chain that is no longer named is to stay, empty and accepting:\n%s", got)
	}
}

func TestLoaded(t *testing.T) {
	r := newRig(t)
	loaded := func() (is bool) {
		t.Helper()
		r.must(func() (err error) {
			is, err = r.table.Loaded(t.Context())
			return err
		})
		return is
	}
	r.nft("table ip gateway {}\ntable inet gate {}\n", "-f", "-")
	if loaded() {
		t.Error("loaded with tables of similar names only")
	}
	r.replace(base)
	if !loaded() {
		t.Error("not loaded after it was")
	}
}

func TestInventoryTellsTablesAndKindsApart(t *testing.T) {
	r := newRig(t)
	other := strings.ReplaceAll(strings.ReplaceAll(grown, "inet gateway", "inet other"), "a4_x", "a4_y")
	r.nft(other, "-f", "-")
	r.replace(grown, members)
	var got inventory
	r.must(func() (err error) {
		got, err = r.table.inventory(t.Context())
		return err
	})
	if want := map[string]bool{"input": true, "pair_0": false, "run_0": false, "last": false}; !maps.Equal(got.chains, want) {
		t.Errorf("chains = %v, want %v", got.chains, want)
	}
	kinds := map[string]string{}
	for name, s := range got.sets {
		kinds[name] = s.kind()
	}
	if want := (map[string]string{"a4_x": "set", "pairs": "map", "more": "map"}); !maps.Equal(kinds, want) {
		t.Errorf("sets = %v, want %v", kinds, want)
	}
	if want := []string{"r_1", "r_2"}; !slices.Equal(slices.Sorted(slices.Values(got.counters)), want) {
		t.Errorf("counters = %v, want %v", got.counters, want)
	}
}
