package unbound

import (
	"strings"
	"sync/atomic"

	"gateway/internal/daemon"
)

// For the tests that need package dns too, which imports this one.

type Resolver = resolver

var (
	NewResolver = newResolver
	PrintRecord = printRecord
	Load        = load
)

const (
	MaxLines  = maxLines
	MaxPushed = maxPushed
)

func (r *resolver) Daemon() daemon.Daemon                { return r.daemon() }
func (r *resolver) Pushed() *atomic.Int64                { return &r.pushed }
func (r *resolver) RenderState(s state) daemon.Rendering { return render(s, &r.memo) }

// Records are those of a rendering, as they are told to unbound.
func Records(r daemon.Rendering) []string {
	all, _ := lines(split(r).records)
	out := make([]string, len(all))
	for i, l := range all {
		out[i] = strings.TrimSuffix(strings.TrimPrefix(l, linePrefix), lineSuffix)
	}
	return out
}
