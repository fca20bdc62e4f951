package freeradius

import (
	"context"
	"errors"
	"path/filepath"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// reloadUnit has the daemon read its users again, and signs in as the canary until that is true:
// the daemon drops a reload within three seconds of another one, and says that it was done. addUnit
// tells the daemon of new clients. Both run as the daemon's own user: nobody else reaches its
// control socket, and gateway-apply speaks no IP.
const (
	reloadUnit = "gateway-radius-reload.service"
	addUnit    = "gateway-radius-clients.service"
)

// difference is what there is to do.
type difference struct {
	conf    bool // what only a restart brings
	clients bool // one changed or gone, which the daemon can only forget by a restart
	added   bool // one is new
	users   bool
}

func compare(old, now daemon.Rendering) (d difference) {
	for _, f := range now.Files {
		client := isClient(f.Path)
		switch {
		case old.Same(f) || f.Path == ClientsFile || f.Path == CanaryFile:
		case f.Path == UsersFile:
			d.users = true
		case client && !old.Has(f.Path):
			d.added = true
		case client:
			d.clients = true
		default:
			d.conf = true
		}
	}
	for _, f := range old.Files {
		if !now.Has(f.Path) {
			d.clients = d.clients || isClient(f.Path)
			d.conf = d.conf || !isClient(f.Path)
		}
	}
	return d
}

// isClient reports whether a file is that of a client.
func isClient(path string) bool { return filepath.Dir(path) == ClientsFolder }

// apply makes the daemon run on what is installed by the gentlest way there is: users it reads
// again beside its work, a new client it is told; for all else it is restarted, which is a silence
// of a fifth of a second that clients bridge by asking again.
func (s *server) apply(ctx context.Context, old, now daemon.Rendering) error {
	if now.Off() {
		return nil
	}
	probed := now.Has(SecretFile)
	d := compare(old, now)
	switch {
	case len(old.Files) > 0 && old.Hash() == now.Hash():
		return inWords(s.units.Start(ctx, Unit), fault.Said("the RADIUS server did not start; see the log of %s", Unit))
	case len(old.Files) == 0 || old.Off() || d.conf || d.clients || d.users && !probed:
		return s.restart(ctx)
	}
	if d.added {
		if err := s.units.Start(ctx, addUnit); err != nil {
			return s.orRestart(ctx, err)
		}
	}
	if d.users {
		if err := s.units.Start(ctx, reloadUnit); err != nil {
			return s.orRestart(ctx, err)
		}
	}
	return nil
}

// orRestart is for a daemon that did not do what it was told: it may not run at all.
func (s *server) orRestart(ctx context.Context, err error) error {
	var job *sys.JobError
	if !errors.As(err, &job) || ctx.Err() != nil {
		return err
	}
	return s.restart(ctx)
}

func (s *server) restart(ctx context.Context) error {
	return inWords(s.units.Restart(ctx, Unit), fault.Said("the RADIUS server did not restart; see the log of %s", Unit))
}

// inWords puts what the operator can look into as a fault, and leaves the rest to the log.
func inWords(err error, words fault.Sentence) error {
	var job *sys.JobError
	if !errors.As(err, &job) {
		return err
	}
	return errors.Join(fault.With(fault.Unavailable, words).WithCode("radius_unavailable"), err)
}
