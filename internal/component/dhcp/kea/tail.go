package kea

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/component/dhcp/control"
	"gateway/internal/process"
	"gateway/internal/sys"
)

const (
	// A file or a server that is not there is looked for again soon, because Kea reads its
	// configuration anew in a moment and a client's name waits meanwhile, and then ever later.
	retrySoon, retryLate = 50 * time.Millisecond, time.Second
	// eventBytes is room for some events; that there were any is all that matters.
	eventBytes = 16 << 10
	// mostAdded is what is read of the file at once, some half a million leases; beyond that Kea is
	// asked. The file is Kea's, and this process is not to fail by what Kea does.
	mostAdded = 64 << 20
)

// follow keeps the table of leases as Kea has them: all of them from Kea at first, and then
// line by line as Kea writes its file, which it does before it answers a client.
func (s *server) follow(ctx context.Context) error {
	pause := retrySoon
	for ctx.Err() == nil {
		began := time.Now()
		s.mu.Lock()
		off := s.off
		s.mu.Unlock()
		var err error
		if !off { // there is nobody to ask otherwise, and asking leaves a line in the log
			err = s.followOnce(ctx)
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, control.ErrDown) {
			s.Log.WarnContext(ctx, "follow the leases", "err", err)
		}
		s.leases.lose()
		if pause = min(2*pause, retryLate); time.Since(began) > retryLate { // it was followed for a while
			pause = retrySoon
		}
		process.Pause(ctx, pause)
	}
	return nil
}

func (s *server) followOnce(ctx context.Context) error {
	events, err := watchFolder(filepath.Dir(s.LeaseFile))
	if err != nil {
		return err
	}
	defer events.Close()
	stop := context.AfterFunc(ctx, func() { events.Close() })
	defer stop()
	t := &tail{path: s.LeaseFile}
	defer t.close()
	if err := t.open(io.SeekEnd); err != nil {
		return err
	}
	if err := s.sync(ctx); err != nil {
		return err
	}
	buf := make([]byte, eventBytes)
	for {
		if _, err := events.Read(buf); err != nil {
			return err
		}
		lines, gap, err := t.more()
		if err != nil {
			return err
		}
		changed := false
		for _, line := range lines {
			l, ok := parseLine(line)
			gap = gap || !ok
			changed = ok && s.leases.put(l) || changed
		}
		if changed {
			s.renamed()
		}
		if gap {
			if err := s.sync(ctx); err != nil {
				return err
			}
		}
	}
}

// sync asks Kea for all leases.
func (s *server) sync(ctx context.Context) error {
	all, err := s.control.Leases(ctx)
	if err != nil {
		return err
	}
	s.leases.replace(all)
	s.renamed()
	return nil
}

// watchFolder tells when something in a folder is written, made or renamed.
func watchFolder(dir string) (*os.File, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", dir, err)
	}
	f := os.NewFile(uintptr(fd), "inotify")
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_MODIFY|unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_MOVED_FROM|unix.IN_DELETE|unix.IN_ONLYDIR); err != nil {
		f.Close()
		return nil, fmt.Errorf("watch %s: %w", dir, err)
	}
	return f, nil
}

// tail reads what is added to a file, and goes on with the new one when it is replaced: Kea
// compacts its file from time to time.
type tail struct {
	path string
	file *os.File
	at   int64
	part []byte // the beginning of a line
}

func (t *tail) close() {
	if t.file != nil {
		t.file.Close()
	}
}

func (t *tail) open(from int) error {
	f, err := sys.OpenRegular(t.path)
	if err != nil {
		return fmt.Errorf("open the leases: %w", err)
	}
	at, err := f.Seek(0, from)
	if err != nil {
		f.Close()
		return fmt.Errorf("open the leases: %w", err)
	}
	t.close()
	t.file, t.at, t.part = f, at, nil
	return nil
}

// more are the lines since the last time. gap says that some may be missing.
func (t *tail) more() (lines []string, gap bool, err error) {
	lines, err = t.rest()
	if err != nil {
		return nil, false, err
	}
	was, err := t.file.Stat()
	if err != nil {
		return nil, false, fmt.Errorf("look at the leases: %w", err)
	}
	is, err := os.Lstat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return lines, true, nil // it is about to be made anew
	case err != nil:
		return nil, false, fmt.Errorf("look at the leases: %w", err)
	case os.SameFile(was, is) && is.Size() >= t.at:
		return lines, false, nil
	}
	if err := t.open(io.SeekStart); err != nil {
		return nil, false, err
	}
	fresh, err := t.rest()
	return append(lines, fresh...), true, err
}

// rest are the whole lines up to the end of the file.
func (t *tail) rest() ([]string, error) {
	data, err := io.ReadAll(io.LimitReader(t.file, mostAdded))
	if err == nil && len(data) == mostAdded {
		err = errors.New("it grew by too much at once")
	}
	if err != nil {
		return nil, fmt.Errorf("read the leases: %w", err)
	}
	t.at += int64(len(data))
	data = append(t.part, data...)
	end := bytes.LastIndexByte(data, '\n') + 1
	t.part = bytes.Clone(data[end:])
	var lines []string
	for line := range strings.Lines(string(data[:end])) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, header) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}
