package packaging

import (
	"strconv"
	"strings"
	"testing"
)

// The collector works harder before the kernel kills; the rest is for nft and the checkers.
func TestTheHeapStaysBelowTheMemoryLimit(t *testing.T) {
	for _, name := range []string{"gateway-apply.service", "gateway-firewall.service"} {
		u := unit(t, name)
		heap := ""
		for _, e := range u["Environment"] {
			if v, ok := strings.CutPrefix(e, "GOMEMLIMIT="); ok {
				heap = v
			}
		}
		if h, limit := mebibytes(t, heap), mebibytes(t, u["MemoryMax"][0]); h == 0 || h > limit*3/4 {
			t.Errorf("%s: the heap may have %d MiB of %d, want three quarters at most", name, h, limit)
		}
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
