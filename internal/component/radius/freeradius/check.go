package freeradius

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

const (
	program   = "/usr/sbin/freeradius"
	checkTime = 20 * time.Second
)

// check has FreeRADIUS read the staged files. It opens no socket and no log for that.
func (s *server) check(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	_, err := s.exec(ctx, sys.Command{
		Path: program, Args: []string{"-C", "-l", "stdout", "-d", filepath.Join(dir, Folder), "-n", "radiusd"}, Reads: dir, Confined: true,
	})
	var refused *sys.ExitError
	switch {
	case errors.As(err, &refused):
		// What it said is not passed on: it quotes lines, and those have secrets.
		return errors.Join(fault.New(fault.Invalid, "FreeRADIUS rejected this configuration; check the RADIUS settings and clients").WithCode("refused_by_daemon"), err)
	case errors.Is(err, fs.ErrNotExist):
		return errors.Join(fault.New(fault.Unavailable, "FreeRADIUS is not installed on this node; install the package freeradius").WithCode("radius_unavailable"), err)
	case err != nil:
		return fmt.Errorf("check the RADIUS configuration: %w", err)
	}
	return nil
}

// plain lets a step pass unchecked that is about users alone: their entries are of one form, each
// value of which was checked, so FreeRADIUS has nothing to say about them that we do not know.
func plain(old, now daemon.Rendering) bool {
	d := compare(old, now)
	return len(old.Files) > 0 && !d.conf && !d.added && !d.clients
}
