// Package proxy measures what a request costs on the product's configuration of HAProxy
// with many sites, beside a configuration that an engineer would write by hand for one
// site, and beside other reverse proxies with as many. What a change takes from the API to
// HAProxy is left to the end-to-end tests.
//
// Engines run one by one on a core of their own, in turns of a fraction of a second, so that
// whatever else the machine does meets all of them. CPU is the kernel's count of the engine.
package proxy

import (
	"fmt"
	"testing"
	"time"

	"gateway/tools/bar"
)

const (
	many  = 10_000
	conns = 64
)

func TestBarProxy02(t *testing.T) {
	stay(t)
	origin := newOrigin(t)
	few := newOurs(t, "10 pools", sites{many, 10, false}, origin)
	each := newOurs(t, "10,000 pools", sites{many, many, false}, origin)
	rich := newOurs(t, "features", sites{many, 10, true}, origin)
	s := size{rounds: bar.Size(60, 1000), keep: 10, turn: 40 * time.Millisecond}
	one := newHand(t, "one site", few, "", origin)
	plain := compare(t, one, []*engine{newHand(t, "the same", few, "", origin), &few.engine, &each.engine}, s)
	oneRich := newHand(t, "one, features", rich, handFeatures, origin)
	full := compare(t, oneRich, []*engine{newHand(t, "the same", rich, handFeatures, origin), &rich.engine}, s)
	figure := fmt.Sprintf("%.3f on 10 pools, %.3f on 10,000, %.3f with features (A/A %.3f, %.3f; one site %.1f us, %.1f us with features)",
		plain[1], plain[2], full[1], plain[0], full[0], one.each(), oneRich.each())
	bar.Report(t, "proxy", 2, figure, "<= 1.05, <= 1.10, <= 1.20 of the CPU per request of a hand-written one-host configuration",
		plain[1] <= 1.05 && plain[2] <= 1.10 && full[1] <= 1.20)
}
