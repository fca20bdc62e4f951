// Package haproxytest runs Debian 13's HAProxy for tests that need no node: a master and
// its workers, with sockets in a folder of the test. What the configuration says is left
// to the test. It is imported by tests only.
package haproxytest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/haproxy"
	"gateway/lab"
)

// Daemon is an HAProxy in master-worker mode.
type Daemon struct {
	Dir     string // has the same name inside and outside
	Runtime haproxy.Runtime
	Master  haproxy.Master

	t   testing.TB
	cmd *exec.Cmd
	log *record
}

// record keeps what a process says.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// New prepares a daemon that is not running yet. What the test puts below etc/gateway in
// its folder before the start, HAProxy sees below /etc/gateway.
func New(t testing.TB) *Daemon {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "hap") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	return NewIn(t, dir)
}

// NewIn is New in a folder of the test's below /tmp, whose path must be short.
func NewIn(t testing.TB, dir string) *Daemon {
	t.Helper()
	d := &Daemon{Dir: dir, t: t, log: &record{}}
	d.Runtime.Path, d.Master.Path = d.Path("admin.sock"), d.Path("master.sock")
	t.Cleanup(func() {
		d.Stop()
		if t.Failed() {
			t.Logf("HAProxy said:\n%s", d.log)
		}
		_ = os.RemoveAll(dir)
	})
	return d
}

// Path is where a file of the daemon is.
func (d *Daemon) Path(name string) string { return filepath.Join(d.Dir, name) }

// Write makes a file of the daemon and returns its path.
func (d *Daemon) Write(name, text string) string {
	d.t.Helper()
	if err := os.WriteFile(d.Path(name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return d.Path(name)
}

// Start runs HAProxy on a configuration and waits until it serves. The global section may
// be left out, or say more. A prefix is put before the command: taskset, for example.
func (d *Daemon) Start(config string, prefix ...string) {
	d.t.Helper()
	base := d.Write("base.cfg", fmt.Sprintf("global\n\tstats socket %s mode 600 level admin\n", d.Runtime.Path))
	args := append(prefix, lab.InRoot(d.t, d.Dir, "/usr/sbin/haproxy", "-W", "-S", d.Master.Path, "-f", base, "-f", d.Write("haproxy.cfg", config))...)
	d.cmd = exec.Command(args[0], args[1:]...)
	d.cmd.Stdout, d.cmd.Stderr = d.log, d.log
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.cmd.Wait() }()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	for !d.serves(ctx) {
		select {
		case err := <-ended:
			d.t.Fatalf("HAProxy ended: %v\n%s", err, d.log)
		case <-ctx.Done():
			d.t.Fatalf("HAProxy does not serve\n%s", d.log)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (d *Daemon) serves(ctx context.Context) bool {
	workers, err := d.Master.Workers(ctx)
	if err != nil || len(workers) == 0 {
		return false
	}
	_, err = d.Runtime.Servers(ctx)
	return err == nil
}

// Stop ends the master; its workers end with it.
func (d *Daemon) Stop() {
	if d.cmd == nil || d.cmd.Process == nil {
		return
	}
	_ = d.cmd.Process.Signal(unix.SIGTERM)
	for range 1000 {
		if unix.Kill(d.cmd.Process.Pid, 0) != nil {
			break
		}
		<-time.After(5 * time.Millisecond)
	}
	_ = d.cmd.Process.Kill()
	d.cmd = nil
}

// Worker is the process that serves.
func (d *Daemon) Worker() haproxy.Worker {
	d.t.Helper()
	workers, err := d.Master.Workers(d.t.Context())
	if err != nil || len(workers) == 0 || workers[0].Old {
		d.t.Fatalf("workers = %+v, %v, want one that serves", workers, err)
	}
	return workers[0]
}

// Dial connects to a socket in the daemon's folder.
func (d *Daemon) Dial(name string) net.Conn {
	d.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(d.t.Context(), "unix", d.Path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = conn.Close() })
	return conn
}
