package packaging

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The collector works harder before the kernel kills; the rest is for nft, the checkers and what is no heap. A unit of a few
// lines of Go needs no bound of its own.
func TestTheHeapStaysBelowTheMemoryLimit(t *testing.T) {
	bounded, all := 0, append(slices.Collect(maps.Keys(services)), ofDaemons(t)...)
	slices.Sort(all)
	for _, name := range slices.Compact(all) {
		u := unit(t, name)
		for _, e := range u["Environment"] {
			heap, ok := strings.CutPrefix(e, "GOMEMLIMIT=")
			if !ok {
				continue
			}
			bounded++
			if len(u["MemoryMax"]) == 0 {
				t.Errorf("%s has a bound for its heap and none for its memory", name)
			} else if h, limit := mebibytes(t, heap), mebibytes(t, u["MemoryMax"][0]); h == 0 || h > limit*3/4 {
				t.Errorf("%s: the heap may have %d MiB of %d, want three quarters at most", name, h, limit)
			}
		}
	}
	if bounded < 9 {
		t.Errorf("only %d units have a bound for their heap", bounded)
	}
}

// mebibytes reads 512M, 1G and 640MiB.
func mebibytes(t *testing.T, size string) int {
	t.Helper()
	number := strings.TrimRight(size, "GMiB")
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Errorf("%q is no size", size)
	}
	if strings.HasPrefix(size[len(number):], "G") {
		n *= 1024
	}
	return n
}
