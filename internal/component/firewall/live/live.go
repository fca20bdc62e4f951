// Package live is what can be seen of the packet filter while it runs: the packet log, how
// often each rule is used, and the connections that the kernel tracks. It runs in
// gateway-apply, where the privilege is; what operators are shown of it is package firewall's.
package live

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"gateway/internal/daemon"
	"gateway/internal/netfilter"
	"gateway/internal/packetlog"
)

// Observer looks at the packet filter. It keeps the last logged packets, and when each
// counter last rose.
type Observer struct {
	table netfilter.Table
	log   *slog.Logger
	ring  *packetlog.Ring
	hits  hits
}

// New returns an observer of the table.
func New(table netfilter.Table, log *slog.Logger) *Observer {
	return &Observer{table: table, log: log, ring: packetlog.NewRing(time.Now().UnixNano())}
}

// Verbs are what it can be asked for in gateway-apply.
func (o *Observer) Verbs() map[string]daemon.Verb {
	return map[string]daemon.Verb{
		CountersVerb: o.counters, DropsVerb: o.drops, LogVerb: o.logPage, ConnectionsVerb: listConnections, CutVerb: cutConnections,
	}
}

// Run fills the log and follows the counters until ctx ends.
func (o *Observer) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return o.watchLog(ctx) })
	g.Go(func() error { return o.watchCounters(ctx) })
	return g.Wait()
}
