// Package ship is gateway-logship: it reads the journal and sends its lines to the receiver that the operator named, by
// syslog over TLS (RFC 5424, RFC 5425). Each line is sent at least once: how far it came is remembered only
// when lines have been with the receiver for a while. The journal itself is what buffers them meanwhile.
package ship

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"time"

	"gateway/internal/journal"
	"gateway/internal/logship"
)

// Options are what the sender works with.
type Options struct {
	Config logship.Config
	// Roots are the authorities that are trusted; nil for the system's.
	Roots func() (*x509.CertPool, error)
	Lines journal.Lines // sys.Lines
	Dial  func(ctx context.Context, network, address string) (net.Conn, error)
	Host  string // this node's name
	// StateDir is where it remembers how far it came, StatusFile where it says how it is doing.
	StateDir, StatusFile string
	Timing               Timing
	Log                  *slog.Logger
}

// Timing is how long things take.
type Timing struct {
	// Settle is how long ago a line was acknowledged by the receiver's kernel before it counts as arrived:
	// its program may not have read it yet. What is younger is sent again after a break.
	Settle time.Duration
	// Stall is how long a receiver may take nothing.
	Stall time.Duration
	// First and Most are the waits between two attempts, each twice the one before.
	First, Most time.Duration
	// Tick is how often it looks at what has arrived and writes how it is doing.
	Tick time.Duration
	// Late is how old a line is that counts as waiting.
	Late time.Duration
	// Skim is how long nothing is sent until it goes on to what is newest.
	Skim time.Duration
}

// DefaultTiming is that of a node.
func DefaultTiming() Timing {
	return Timing{
		Settle: 3 * time.Second, Stall: 30 * time.Second, First: time.Second, Most: time.Minute, Tick: time.Second, Late: 10 * time.Second,
		Skim: 2 * time.Minute,
	}
}

// The journals, as the status names them.
const (
	System = "system"
	Access = "access"
)

// Run sends until ctx ends. It returns no error: whatever goes wrong is tried again, and told.
func Run(ctx context.Context, o Options) {
	reader := &journal.Reader{Lines: o.Lines, Now: time.Now}
	list := []*stream{newStream(o, reader, System, journal.Query{Level: journal.Level(o.Config.Level), Units: o.Config.Units})}
	if o.Config.AccessLog != "" {
		list = append(list, newStream(o, reader, Access, journal.Query{Namespace: o.Config.AccessLog}))
	}
	var running sync.WaitGroup
	for _, s := range list {
		running.Go(func() { s.run(ctx) })
	}
	tell(ctx, o, list)
	running.Wait()
}

func newStream(o Options, r *journal.Reader, name string, q journal.Query) *stream {
	now := time.Now().UTC()
	return &stream{
		Options: o, journal: r, query: q, file: filepath.Join(o.StateDir, name+".json"), log: o.Log.With("journal", name),
		told: logship.Stream{Journal: name, AwaySince: &now},
	}
}

// tell writes how the streams are doing, again and again: what is old is no longer true.
func tell(ctx context.Context, o Options, list []*stream) {
	tick := time.NewTicker(o.Timing.Tick)
	defer tick.Stop()
	failed := false
	for {
		status := logship.Status{At: time.Now().UTC()}
		for _, s := range list {
			status.Streams = append(status.Streams, s.status())
		}
		err := logship.WriteFile(o.StatusFile, status, 0o644, false)
		if err != nil && !failed {
			o.Log.Error("tell how it is going", "err", err)
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
