// Package proxy measures what a request costs on the product's configuration of HAProxy
// with many sites, beside a configuration that an engineer would write by hand for one
// site, and beside other reverse proxies with as many. What a change takes from the API to
// HAProxy is left to the end-to-end tests.
//
// Engines run one by one on a core of their own, in turns of a fraction of a second, so that
// whatever else the machine does meets all of them. CPU is the kernel's count of the engine.
package proxy

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/tools/bar"
)

const many = 10_000

func TestBarProxy02(t *testing.T) {
	bar.NotShort(t)
	stay(t)
	origin := newOrigin(t)
	few := newOurs(t, "10 pools", sites{domains: many, pools: 10}, origin)
	each := newOurs(t, "10,000 pools", sites{domains: many, pools: many}, origin)
	rich := newOurs(t, "features", sites{domains: many, pools: 10, features: true}, origin)
	s := size{rounds: bar.Size(150, 3000), keep: 50, turn: 20 * time.Millisecond, conns: 64}
	plain := compare(t, []*engine{newHand(t, "one site", few, "", origin), newHand(t, "the same", few, "", origin), &few.engine, &each.engine}, s)
	full := compare(t, []*engine{newHand(t, "one, features", rich, handFeatures, origin), newHand(t, "the same", rich, handFeatures, origin), &rich.engine}, s)
	figure := fmt.Sprintf("%.3f on 10 pools, %.3f on 10,000, %.3f with features (A/A %.3f, %.3f; %.1f, %.1f, %.1f us a request)",
		plain[2], plain[3], full[2], plain[1], full[1], few.micros, each.micros, rich.micros)
	bar.ReportTimed(t, "proxy", 2, figure, "<= 1.05, <= 1.10, <= 1.20 of the CPU per request of a hand-written one-host configuration",
		!t.Failed(), plain[2] <= 1.05 && plain[3] <= 1.10 && full[2] <= 1.20)
}

// TestBarProxy03 is by HTTPS, with a certificate for each host, as sites are.
func TestBarProxy03(t *testing.T) {
	bar.NotShort(t)
	s := sites{domains: many, pools: 10, certs: newCerts(t, hosts(many))}
	leave := stay(t)
	origin := newOrigin(t)
	us, nginx := newOurs(t, "ours", s, origin), newNginx(t, s, origin)
	caddy, grouped := newCaddy(t, "Caddy", routePerHost, s, origin), newCaddy(t, "Caddy grouped", routePerPool, s, origin)
	// A turn must be long enough for an engine that takes milliseconds.
	costs := compare(t, []*engine{&us.engine, &nginx.engine, &caddy.engine, &grouped.engine}, size{rounds: bar.Size(60, 600), keep: 30, turn: 100 * time.Millisecond, conns: 64})
	leave()
	times := bar.Size(5, 9)
	ours, theirs := us.newSite(t, 20), nginx.newSite(t, s, times)
	others := min(caddy.newSite(t, s, times), grouped.newSite(t, s, times))
	figure := fmt.Sprintf("%.2f x nginx's requests per second of a core, %.0f x Caddy's with a route for each host, %.1f x with 10 routes; a new host live in %.1f ms, %.0f x sooner than nginx (%.1f s), %.0f x than Caddy's quicker form (%.1f s, medians of %d)",
		costs[1], costs[2], costs[3], 1000*ours.Seconds(), theirs.Seconds()/ours.Seconds(), theirs.Seconds(), others.Seconds()/ours.Seconds(), others.Seconds(), times)
	bar.ReportTimed(t, "proxy", 3, figure, ">= 0.9 x nginx, >= 40 x Caddy with a route for each host; >= 100 x sooner than either",
		!t.Failed(), costs[1] >= 0.9 && costs[2] >= 40 && theirs >= 100*ours && others >= 100*ours)
}

// newSite is how long one more site takes, once its certificate is there, from the decision
// to its first page, at the median.
func (p *peer) newSite(t testing.TB, s sites, times int) time.Duration {
	return timed(times, func(n int) func() {
		host := hostName(many + n)
		s.certs.add(t, host)
		return func() {
			if err := p.add(host); err != nil {
				t.Fatal(err)
			}
			p.live(t, host)
		}
	})
}

// newSite is the same for the product, from the row in the database on: rendering, the files
// on the disk, and what HAProxy is told.
func (o *ours) newSite(t testing.TB, times int) time.Duration {
	worker := o.Worker().PID
	took := timed(times, func(n int) func() {
		host := hostName(many + n)
		pem := o.certs.add(t, host)
		return func() {
			o.hosts = append(o.hosts, host)
			o.listen()
			o.must(o.Runtime.CertAdd(t.Context(), crtList, o.certs.file(host), pem, nil))
			o.store(func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, addDomains, many+n, many+n+1, 10, false)
				return err
			})
			now := o.render()
			o.install(now)
			o.must(o.product.Apply(t.Context(), o.now, now))
			o.now = now
			o.live(t, host)
		}
	})
	if o.Worker().PID != worker {
		t.Error("a new site took a reload")
	}
	return took
}

func (o *ours) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// timed is the median of what a step takes, without its preparation.
func timed(times int, prepare func(n int) func()) time.Duration {
	var took []float64
	for n := range times {
		step := prepare(n)
		began := time.Now()
		step()
		took = append(took, time.Since(began).Seconds())
	}
	return time.Duration(quantile(took, 0.5) * float64(time.Second))
}
