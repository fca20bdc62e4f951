package chrony

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gateway/internal/fault"
	"gateway/internal/sys"
)

const (
	program   = "/usr/sbin/chronyd"
	checkTime = 10 * time.Second
)

// Directives are what our drop-in of chrony.service starts the daemon with, beside the folder
// that ConfFile is in. A test holds the two together.
func Directives() []string {
	return []string{
		"driftfile /var/lib/chrony/chrony.drift",
		"dumpdir /run/chrony",
		"logdir /var/log/chrony",
		"maxupdateskew 100.0",
		"leapseclist /usr/share/zoneinfo/leap-seconds.list",
	}
}

// check has chronyd read the staged file, after the same directives as when it runs.
func (c *chronyd) check(ctx context.Context, dir string) error {
	file, err := os.ReadFile(filepath.Join(dir, ConfFile))
	if err != nil {
		return fmt.Errorf("read the staged file: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	// By standard input: Debian's AppArmor profile keeps the daemon from reading our folders.
	_, err = c.exec(ctx, sys.Command{
		Path: program, Args: []string{"-p", "-U", "-f", "/dev/stdin"}, Confined: true,
		Stdin: []byte(strings.Join(Directives(), "\n") + "\n" + string(file)),
	})
	var refused *sys.ExitError
	switch {
	case errors.As(err, &refused):
		return errors.Join(refusal(file, refused.Stderr), err)
	case errors.Is(err, fs.ErrNotExist):
		return errors.Join(fault.New(fault.Unavailable, "chrony is not installed on this node; install the package chrony").WithCode("ntp_unavailable"), err)
	case err != nil:
		return fmt.Errorf("check the NTP configuration: %w", err)
	}
	return nil
}

var refusedLine = regexp.MustCompile(`\bat line (\d+) in file /dev/stdin\b`)

// refusal words what chronyd said, of which only the number of the line is of use: the
// rest may quote other files.
func refusal(file []byte, said string) *fault.Fault {
	if m := refusedLine.FindStringSubmatch(said); m != nil {
		lines := strings.Split(string(file), "\n")
		if n, err := strconv.Atoi(m[1]); err == nil && n > len(Directives()) && n <= len(Directives())+len(lines) {
			return fault.New(fault.Invalid, "chrony rejected the line %q; correct the setting it comes from", lines[n-len(Directives())-1]).WithCode("refused_by_daemon")
		}
	}
	return fault.New(fault.Invalid, "chrony rejected this configuration; check the time sources and the NTP settings").WithCode("refused_by_daemon")
}
