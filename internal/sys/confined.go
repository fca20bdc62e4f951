package sys

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/dbus"
	godbus "github.com/godbus/dbus/v5"
	"golang.org/x/sys/unix"
)

// confinedTime bounds a confined program, should its caller forget to.
const confinedTime = 30 * time.Second

var confinedNumber atomic.Uint64

// Confine returns a runner that has systemd run what asks for it in a throw-away unit: as a
// user made up for it, without a capability, a network, or a file that it may write. A daemon's
// checker reads configuration, and some configuration is a program. The rest goes to run.
func (u *Units) Confine(run Runner) Runner {
	return func(ctx context.Context, c Command) (Result, error) {
		if !c.Confined {
			return run(ctx, c)
		}
		start := time.Now()
		res, err := u.runConfined(ctx, c)
		res.Duration = time.Since(start)
		return res, c.explainConfined(ctx, res, err)
	}
}

func (c Command) explainConfined(ctx context.Context, res Result, err error) error {
	var job *JobError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("run %s: %w", c.Path, context.Cause(ctx))
	case errors.As(err, &job) && job.Result == "failed" && res.ExitCode > 0:
		return &ExitError{Path: c.Path, Code: res.ExitCode, Stderr: firstBytes(res.Stderr)}
	}
	return fmt.Errorf("run %s: %w", c.Path, err)
}

func (u *Units) runConfined(ctx context.Context, c Command) (res Result, err error) {
	res.ExitCode = -1
	if _, err := os.Stat(c.Path); err != nil {
		return res, err // as exec would: the daemon is not installed
	}
	if c.Reads != "" {
		if err := readable(c.Reads); err != nil {
			return res, err
		}
	}
	io, err := newConfinedIO(c.Stdin)
	if err != nil {
		return res, err
	}
	defer io.close()
	name := fmt.Sprintf("gateway-check-%d-%d.service", os.Getpid(), confinedNumber.Add(1))
	err = u.job(ctx, "run", name, func(bus *dbus.Conn, ctx context.Context, name, mode string, done chan<- string) (int, error) {
		return bus.StartTransientUnitContext(ctx, name, mode, c.unit(io), done)
	})
	res.Stdout, res.Stderr = io.read(io.stdout, c.MaxOutput), io.read(io.stderr, c.MaxOutput)
	if err == nil {
		res.ExitCode = 0
		return res, nil
	}
	// One that failed stays until somebody has looked at it; one that was given up on, until it is stopped.
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return u.lookAfter(after, name, res), err
}

// lookAfter reads how a unit ended, and lets systemd forget it.
func (u *Units) lookAfter(ctx context.Context, name string, res Result) Result {
	bus, err := u.bus.get(ctx)
	if err != nil {
		return res
	}
	if p, err := bus.GetUnitTypePropertyContext(ctx, name, "Service", "ExecMainStatus"); err == nil {
		if code, ok := p.Value.Value().(int32); ok {
			res.ExitCode = int(code)
		}
	}
	_, _ = bus.StopUnitContext(ctx, name, "replace", nil) // one that has ended needs none
	_ = bus.ResetFailedUnitContext(ctx, name)             // one that did not fail either
	return res
}

type bindMount struct {
	Source, Target string
	Missing        bool
	Flags          uint64
}

// unit is all that the program has.
func (c Command) unit(io *confinedIO) []dbus.Property {
	p := []dbus.Property{
		dbus.PropExecStart(append([]string{c.Path}, c.Args...), false),
		dbus.PropDescription("Edge gateway: check of a configuration"),
	}
	add := func(name string, value any) {
		p = append(p, dbus.Property{Name: name, Value: godbus.MakeVariant(value)})
	}
	for name, value := range map[string]any{
		"Type": "oneshot", "DynamicUser": true, "NoNewPrivileges": true, "CapabilityBoundingSet": uint64(0), "AmbientCapabilities": uint64(0),
		"PrivateNetwork": true, "PrivateTmp": true, "PrivateDevices": true, "ProtectSystem": "strict", "ProtectHome": "yes", "ProtectProc": "invisible",
		"ProtectKernelTunables": true, "RestrictSUIDSGID": true, "RestrictNamespaces": uint64(0), "UMask": uint32(0o077),
		"TimeoutStartUSec": uint64(confinedTime.Microseconds()), "TasksMax": uint64(64), "LimitCORE": uint64(0), "MemoryMax": uint64(1 << 30),
		"WorkingDirectory": "/", "Environment": append([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"}, c.Env...),
		// No socket of anybody is there to speak to.
		"TemporaryFileSystem": []struct{ Path, Options string }{{"/run", "mode=0755"}},
	} {
		add(name, value)
	}
	if c.Reads != "" {
		add("BindReadOnlyPaths", []bindMount{{Source: c.Reads, Target: c.Reads}})
	}
	add("StandardInputFileDescriptor", godbus.UnixFD(io.stdin.Fd()))
	add("StandardOutputFileDescriptor", godbus.UnixFD(io.stdout.Fd()))
	add("StandardErrorFileDescriptor", godbus.UnixFD(io.stderr.Fd()))
	return p
}

// confinedIO are the three files of the program.
type confinedIO struct{ stdin, feed, stdout, stderr *os.File }

func newConfinedIO(stdin []byte) (io *confinedIO, err error) {
	io = &confinedIO{}
	if io.stdin, io.feed, err = os.Pipe(); err != nil {
		return nil, err
	}
	if io.stdout, err = memoryFile("stdout"); err == nil {
		io.stderr, err = memoryFile("stderr")
	}
	// Some open it again, by name, as the user they are.
	if err = errors.Join(err, io.stdin.Chmod(0o444)); err != nil {
		io.close()
		return nil, err
	}
	go func() { // ends at the latest when the other end is closed
		_, _ = io.feed.Write(stdin)
		_ = io.feed.Close()
	}()
	return io, nil
}

func memoryFile(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make a file in memory: %w", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// read takes as much as there is. A buffer of the limit, where that is 64 MiB, would also let
// the heap grow to twice it before anything is collected.
func (io *confinedIO) read(f *os.File, limit int) []byte {
	if limit <= 0 {
		limit = defaultMaxOutput
	}
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	data := make([]byte, min(int64(limit), info.Size()))
	n, _ := f.ReadAt(data, 0)
	return data[:n]
}

func (io *confinedIO) close() {
	for _, f := range []*os.File{io.stdin, io.stdout, io.stderr} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// readable lets a confined program read a staged folder. Its parent keeps everybody else out:
// the program gets the folder without it.
func readable(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if e.IsDir() {
			mode = 0o755
		}
		return os.Chmod(path, mode)
	})
}
