package sys

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// maxLine is the longest line that is handed on; what is longer is left out, so that one
// writer cannot fill our memory.
const maxLine = 1 << 20

// Lines runs a program and hands on each line it prints, until it ends, each returns an error,
// or ctx ends. Then the program is killed with everything it started.
func Lines(ctx context.Context, c Command, each func(line []byte) error) error {
	if !filepath.IsAbs(c.Path) {
		return fmt.Errorf("run %q: the path is not absolute", c.Path)
	}
	life, end := context.WithCancel(ctx)
	defer end()
	stderr := &capped{limit: defaultMaxOutput}
	cmd, err := c.prepare(life, nil, stderr)
	if err != nil {
		return err
	}
	cmd.Stdout = nil // a pipe instead
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run %s: %w", c.Path, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run %s: %w", c.Path, err)
	}
	readErr := eachLine(bufio.NewReaderSize(pipe, 64<<10), each)
	if readErr != nil {
		end()
	}
	waitErr := cmd.Wait()
	if readErr != nil {
		return readErr
	}
	return c.explain(ctx, Result{ExitCode: cmd.ProcessState.ExitCode(), Stderr: stderr.data}, waitErr)
}

func eachLine(r *bufio.Reader, each func([]byte) error) error {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > 0 && !long {
			if err := each(line); err != nil {
				return err
			}
		}
		line, long = line[:0], false
		if err != nil {
			// A closed pipe is the program's end; Wait tells how it ended.
			return nil
		}
	}
}
