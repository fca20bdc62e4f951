package filter

import (
	"time"

	"gateway/internal/daemon"
)

// NewWithWait is New; wait is how long it is until the next rule expires.
func NewWithWait(o Options) (d daemon.Daemon, wait func() time.Duration) {
	f := newFilter(o)
	return f.daemon(), f.expiry.wait
}
