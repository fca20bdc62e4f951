package squid

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/process"
	"gateway/internal/rtnl"
	"gateway/internal/sys"
)

const (
	// Unavailable is the code of a proxy that does not run or does not answer.
	Unavailable = "forwardproxy_unavailable"

	// reloadUnit has Squid read its file again, and asks it until it runs on that one: a signal is
	// answered by nobody. rotateUnit begins a new log of requests and removes what is too old.
	// Both run as the daemon's own user; gateway-apply speaks no IP.
	reloadUnit = "gateway-squid-reload.service"
	rotateUnit = "gateway-squid-rotate.service"
)

// apply makes Squid run on what is installed. A running one reads its file anew, for which it goes
// on with the connections that it has; new ones are refused for some hundredths of a second.
func (s *server) apply(ctx context.Context, old, now daemon.Rendering) error {
	if now.Off() {
		return nil
	}
	if len(old.Files) == 0 || old.Off() {
		// It may run on Debian's file, or on what nobody knows.
		return inWords(s.Units.Restart(ctx, Unit))
	}
	if onlyNames(old, now) {
		return inWords(s.Units.Start(ctx, Unit)) // the program that has the names sees their files
	}
	err := s.Units.Start(ctx, reloadUnit)
	var job *sys.JobError
	if errors.As(err, &job) && ctx.Err() == nil { // it may not run at all
		return inWords(s.Units.Restart(ctx, Unit))
	}
	return err
}

// onlyNames reports whether nothing but the names of lists is another one. What Squid reads is the
// same then: it neither needs to be checked nor to be read again.
func onlyNames(old, now daemon.Rendering) bool {
	if len(old.Files) == 0 {
		return false
	}
	return withoutNames(old).Hash() == withoutNames(now).Hash()
}

func withoutNames(r daemon.Rendering) daemon.Rendering {
	out := daemon.Rendering{Units: r.Units}
	for _, f := range r.Files {
		if filepath.Dir(f.Path) != ListsFolder {
			out.Files = append(out.Files, f)
		}
	}
	return out
}

// inWords puts what the operator can look into as a fault, and leaves the rest to the log.
func inWords(err error) error {
	var job *sys.JobError
	if !errors.As(err, &job) {
		return err
	}
	return errors.Join(fault.New(fault.Unavailable, "the forward proxy did not start; see the log of %s", Unit).WithCode(Unavailable), err)
}

const (
	// rotateEvery is how often old logs of requests are removed; a new one begins every day.
	rotateEvery = time.Hour
	// sizeEvery is how often the size of the log is looked at: a client may fill it with requests.
	sizeEvery = 10 * time.Second
	// mostLog is the size at which a new one begins; gateway-squid-rotate has it too, and how many are kept.
	mostLog = 64 << 20
)

// background looks at the addresses of this node, which the proxy must lead nobody to, and keeps
// the log of requests for as long as it is to be kept, also while the proxy is off.
func (s *server) background(ctx context.Context, again func()) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return rtnl.OnChange(ctx, s.Watch, func() {
			if s.changed(ctx) {
				again()
			}
		})
	})
	g.Go(func() error {
		last := time.Now()
		for process.Pause(ctx, sizeEvery) {
			if log, err := os.Lstat(AccessLog); (err != nil || log.Size() < mostLog) && time.Since(last) < rotateEvery {
				continue
			}
			last = time.Now()
			if err := s.Units.Start(ctx, rotateUnit); err != nil && ctx.Err() == nil {
				s.Log.WarnContext(ctx, "begin a new log of the forward proxy", "err", err)
			}
		}
		return nil
	})
	return g.Wait()
}

// changed reports whether this node has other addresses than when the rows were last read.
func (s *server) changed(ctx context.Context) bool {
	links, err := s.Host.Interfaces()
	if err != nil {
		s.Log.WarnContext(ctx, "look at the interfaces", "err", err)
		return false
	}
	now := sorted(sys.Addresses(links))
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listed != nil && !slices.Equal(s.listed, now)
}
