package unbound

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// checker is unbound's own. It reads what it is given on standard input.
const checker = "/usr/sbin/unbound-checkconf"

// aside keeps the checker from looking for users, folders and files that only the
// running unbound needs, and that whoever checks may not see.
const aside = "server: username: \"\" chroot: \"\" directory: \"\" pidfile: \"\"\n"

// check has unbound judge the staged file.
func (r *resolver) check(ctx context.Context, dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, Path))
	if err != nil {
		return fmt.Errorf("read the staged file: %w", err)
	}
	res, err := r.exec(ctx, sys.Command{Path: checker, Args: []string{"/proc/self/fd/0"}, Stdin: append([]byte(aside), data...), Confined: true})
	var refusal *sys.ExitError
	if errors.As(err, &refusal) {
		return refused(data, res.Stderr)
	}
	if err != nil {
		return fmt.Errorf("check the resolver's configuration: %w", err)
	}
	return nil
}

var complaint = regexp.MustCompile(`(?m)^/proc/self/fd/0:([0-9]+): `)

// refused points at our own line. What unbound says about it is not passed on: such texts
// may quote other files.
func refused(data, stderr []byte) error {
	if m := complaint.FindSubmatch(stderr); m != nil {
		lines := bytes.Split(data, []byte("\n"))
		if n, err := strconv.Atoi(string(m[1])); err == nil && n >= 2 && n-2 < len(lines) {
			return fault.New(fault.Invalid, "the resolver would reject line %d of its configuration: %s", n-1, bytes.TrimSpace(lines[n-2])).WithCode("refused_by_unbound")
		}
	}
	return fault.New(fault.Invalid, "the resolver would reject its configuration with this change; see the preview").WithCode("refused_by_unbound")
}

// plain lets a step pass unchecked that only adds or takes records, each of which reads back as
// itself: unbound has nothing to say about them that we do not know.
func plain(old, now daemon.Rendering) bool {
	was, is := split(old), split(now)
	if !was.good || !is.good || was.settings != is.settings || was.zones != is.zones {
		return false
	}
	all, ok := steps(was.records, is.records)
	for _, s := range all {
		_, readable := entries(s.is)
		ok = ok && readable
	}
	return ok
}
