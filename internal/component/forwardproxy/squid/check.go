package squid

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"gateway/internal/fault"
	"gateway/internal/sys"
)

const (
	program   = "/usr/sbin/squid"
	checkTime = 20 * time.Second
	// mostSaid is for the echo of every line of the longest file that there may be.
	mostSaid = 64 << 20
)

// complaint is a line that is more than the echo of a directive: Squid takes much that it only
// warns of, and leaves it out.
var complaint = regexp.MustCompile(`^[0-9/]+ [0-9:]+\| *(WARNING|ERROR|FATAL|BUG|SECURITY|aclParse|Bungled|.*: (WARNING|ERROR|FATAL))`)

// check has Squid read the staged file. What it warns of is refused as well.
func (s *server) check(ctx context.Context, dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, ConfFile))
	if err != nil {
		return fmt.Errorf("read the staged file: %w", err)
	}
	// Squid says nothing of a page that is not there.
	for _, m := range pageLine.FindAllSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(dir, PagesFolder, string(m[1]))); err != nil {
			return fmt.Errorf("look for a page: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	// By standard input: AppArmor keeps Squid from reading our folders. So it cannot look for the one of
	// the pages either.
	text = bytes.Replace(text, []byte("\nerror_directory "+PagesFolder+"\n"), []byte("\n"), 1)
	out, err := s.Exec(ctx, sys.Command{Path: program, Args: []string{"-k", "parse", "-f", "/dev/stdin"}, Stdin: text, Confined: true, MaxOutput: mostSaid})
	var refused *sys.ExitError
	switch {
	case errors.As(err, &refused):
		return refusal(err)
	case errors.Is(err, fs.ErrNotExist):
		return errors.Join(fault.New(fault.Unavailable, "Squid is not installed on this node; install the package squid").WithCode(Unavailable), err)
	case err != nil:
		return fmt.Errorf("check the configuration of the forward proxy: %w", err)
	}
	for line := range bytes.Lines([]byte(out.Stderr)) {
		if complaint.Match(line) {
			return refusal(fmt.Errorf("squid says %q", line))
		}
	}
	return nil
}

var pageLine = regexp.MustCompile(`(?m)^deny_info (GATEWAY_[0-9A-F]+) `)

// refusal does not pass on what Squid says: such texts may quote other files.
func refusal(err error) error {
	return errors.Join(fault.New(fault.Invalid, "Squid rejected this configuration; check the settings and the access rules").WithCode("refused_by_daemon"), err)
}
