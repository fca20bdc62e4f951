package firewall

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/packetfilter"
	"gateway/tools/bar"
)

// loads is the CPU of rendering and applying, against that of nft alone with the same text.
func loads(t *testing.T) float64 {
	g, table := loaded(t, many)
	policy := estate(many)
	text := packetfilter.Compile(policy)
	whole := slices.Concat(text.Rules, text.Elements)
	ours, bare := alternate(bar.Size(6, 40),
		func() {
			now := packetfilter.Compile(policy)
			must(t, g.Do(func() error { return table.Replace(t.Context(), now.Rules, now.Elements) }))
		},
		func() {
			_, err := g.Nft(t.Context(), whole, "-f", "-")
			must(t, err)
		})
	t.Logf("render and apply %d rules: %s of CPU, bare nft %s", many, ours, bare)
	return float64(ours) / float64(bare)
}

// polls is the CPU of reading all counters, against that of nft telling the table.
func polls(t *testing.T) float64 {
	g, table := loaded(t, many)
	ours, theirs := alternate(bar.Size(6, 40),
		func() {
			must(t, g.Do(func() error {
				counts, err := table.Counters()
				if len(counts) < many {
					t.Errorf("%d counters of %d rules", len(counts), many)
				}
				return err
			}))
		},
		func() {
			_, err := g.Nft(t.Context(), nil, "-j", "list", "table", "inet", "gateway")
			must(t, err)
		})
	t.Logf("poll %d counters: %s of CPU, nft -j %s", many, ours, theirs)
	return float64(ours) / float64(theirs)
}

// alternate is the CPU that each of two steps takes at the median, this process and its
// children together.
func alternate(rounds int, a, b func()) (costA, costB time.Duration) {
	var costs [2][]float64
	for range rounds {
		for i, step := range []func(){a, b} {
			before := processTime()
			step()
			costs[i] = append(costs[i], float64(processTime()-before))
		}
	}
	return time.Duration(quantile(costs[0], 0.5)), time.Duration(quantile(costs[1], 0.5))
}

func processTime() time.Duration {
	var sum int64
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var use unix.Rusage
		if err := unix.Getrusage(who, &use); err != nil {
			panic(err) // a number that every Linux has
		}
		sum += use.Utime.Nano() + use.Stime.Nano()
	}
	return time.Duration(sum)
}
