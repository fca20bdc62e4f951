package kea

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

const (
	program   = "/usr/sbin/kea-dhcp4"
	checkTime = 10 * time.Second
)

// check has another Kea read the staged file, beside the server: the server's own check would
// keep it from its clients.
func (s *server) check(ctx context.Context, dir string) error {
	file, err := os.ReadFile(filepath.Join(dir, ConfFile))
	if err != nil {
		return fmt.Errorf("read the staged file: %w", err)
	}
	text, err := aside(file)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	// By standard input: AppArmor keeps Kea from reading our folders.
	_, err = s.Exec(ctx, sys.Command{
		Path: program, Args: []string{"-t", "/dev/stdin"}, Confined: true, Stdin: text,
		Env: []string{"KEA_LOCKFILE_DIR=none"},
	})
	var refused *sys.ExitError
	switch {
	case errors.As(err, &refused):
		// What Kea says about it is not passed on: such texts may quote other files.
		return errors.Join(fault.New(fault.Invalid, "Kea rejected this configuration; check the subnets and their options").WithCode("refused_by_daemon"), err)
	case errors.Is(err, fs.ErrNotExist):
		return errors.Join(fault.New(fault.Unavailable, "Kea is not installed on this node; install the package kea-dhcp4-server").WithCode(Unavailable), err)
	case err != nil:
		return fmt.Errorf("check the DHCP configuration: %w", err)
	}
	return nil
}

// aside is the file without what the checker cannot see: it runs without a network, and its
// hooks are judged when they are loaded. Both are ours and not the operator's.
func aside(file []byte) ([]byte, error) {
	c, err := parse(daemon.Rendering{Files: []daemon.File{{Path: ConfFile, Data: file}}})
	if err != nil {
		return nil, fmt.Errorf("read the staged file: %w", err)
	}
	c.Interfaces.Names, c.Hooks = []string{}, []hook{}
	nowhere := func(list []subnetConf) {
		for i := range list {
			list[i].Interface = ""
		}
	}
	nowhere(c.Subnets)
	for i := range c.Shared {
		c.Shared[i].Interface = ""
		nowhere(c.Shared[i].Subnets)
	}
	return document{c}.text()
}

// plain reports whether nothing but reservations differs. Their values are typed and no two of a
// subnet are the same client or address, so Kea takes them beside whatever it takes without them.
func (s *server) plain(old, now daemon.Rendering) bool {
	if old.None() {
		return false
	}
	was, err := s.parsed.parse(old)
	is, errIs := s.parsed.parse(now)
	return err == nil && errIs == nil && reflect.DeepEqual(was.unreserved(), is.unreserved())
}

// unreserved is the configuration without the reservations.
func (c config) unreserved() config {
	bare := func(list []subnetConf) []subnetConf {
		list = slices.Clone(list)
		for i := range list {
			list[i].Reservations = nil
		}
		return list
	}
	c.Subnets, c.Shared = bare(c.Subnets), slices.Clone(c.Shared)
	for i := range c.Shared {
		c.Shared[i].Subnets = bare(c.Shared[i].Subnets)
	}
	return c
}
