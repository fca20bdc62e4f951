package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// Every wait of a node ends: these are far above what a loaded machine takes.
const (
	bootTimeout     = 90 * time.Second
	powerOffTimeout = 60 * time.Second
	fileTimeout     = 60 * time.Second
)

// Node is an appliance: Debian 13 with systemd, a disk and its own network stack.
type Node struct {
	*host
	guest *guest // nil while the node is off; guarded by host.mu
}

// Node starts a node and returns when its systemd is up. It fails the test when
// that does not happen.
func (l *Lab) Node(name string, opts ...Option) *Node {
	if l.t != nil {
		l.t.Helper()
	}
	n, err := l.StartNode(context.Background(), name, opts...)
	l.Must(err)
	return n
}

// StartNode is Node for labs without a test.
func (l *Lab) StartNode(ctx context.Context, name string, opts ...Option) (*Node, error) {
	n, err := l.addNode(ctx, name, opts)
	if err != nil {
		return nil, err
	}
	return n, n.boot(ctx)
}

// StartNodes boots several nodes at once. They get their addresses in the order
// of their names.
func (l *Lab) StartNodes(ctx context.Context, names []string, opts ...Option) ([]*Node, error) {
	var nodes []*Node
	for _, name := range names {
		n, err := l.addNode(ctx, name, opts)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.NumCPU()) // booting is bound by the processor
	for _, n := range nodes {
		group.Go(func() error { return n.boot(ctx) })
	}
	return nodes, group.Wait()
}

// addNode makes a node that is off.
func (l *Lab) addNode(ctx context.Context, name string, opts []Option) (*Node, error) {
	h, err := l.join(name, opts)
	if err != nil {
		return nil, err
	}
	d, err := l.newDisk(ctx, name, h.image, "")
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	h.disk = d
	n := &Node{host: h}
	l.nodes = append(l.nodes, n)
	return n, nil
}

// Boot starts a node that is off, with the disk it had.
func (n *Node) Boot() error { return n.boot(context.Background()) }

func (n *Node) boot(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, bootTimeout)
	defer cancel()
	if n.running() != nil {
		return fmt.Errorf("boot %s: it is running", n.name)
	}
	if err := n.plug(ctx); err != nil {
		n.unplug()
		return fmt.Errorf("boot %s: %w", n.name, err)
	}
	g, err := n.startGuest()
	if err != nil {
		n.unplug()
		return fmt.Errorf("boot %s: %w", n.name, err)
	}
	n.mu.Lock()
	n.guest = g
	n.mu.Unlock()
	if err := g.waitRunning(ctx); err != nil {
		return fmt.Errorf("boot %s: %w", n.name, err)
	}
	return n.lab.saveState()
}

func (n *Node) running() *guest {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.guest
}

// Kill ends the node as a power cut does: nothing on it gets to say goodbye.
// What it had written stays written, for the host's kernel goes on.
func (n *Node) Kill() error {
	g := n.running()
	if g == nil {
		return fmt.Errorf("kill %s: it is off", n.name)
	}
	g.kill()
	n.off()
	return n.lab.saveState()
}

// PowerOff shuts the node down in order, and kills it when it does not get there.
func (n *Node) PowerOff() error {
	g := n.running()
	if g == nil {
		return fmt.Errorf("power off %s: it is off", n.name)
	}
	err := g.powerOff()
	n.off()
	return errors.Join(err, n.lab.saveState())
}

// off takes the ended system's traces away, so that the next boot starts clean.
func (n *Node) off() {
	n.mu.Lock()
	g := n.guest
	n.guest = nil
	n.mu.Unlock()
	if g != nil {
		<-g.done
		_ = removeCgroup(g.cgroup)
		n.unplug()
	}
}

// Run runs a command on the node and returns all it printed. The error of a
// command that ran and failed is an *exec.ExitError.
func (n *Node) Run(ctx context.Context, command ...string) (string, error) {
	return n.RunInput(ctx, nil, command...)
}

// RunInput is Run with something to read for the command.
func (n *Node) RunInput(ctx context.Context, stdin io.Reader, command ...string) (string, error) {
	g := n.running()
	if g == nil {
		return "", fmt.Errorf("run on %s: it is off", n.name)
	}
	prefix, err := g.enter()
	if err != nil {
		return "", fmt.Errorf("run on %s: %w", n.name, err)
	}
	out, err := run(ctx, stdin, append(prefix, command...))
	if err != nil {
		return out, fmt.Errorf("%s on %s: %w", strings.Join(command, " "), n.name, err)
	}
	return out, nil
}

// MustRun is Run for a command that has to succeed; it returns what it printed.
func (n *Node) MustRun(t testing.TB, command ...string) string {
	t.Helper()
	out, err := n.Run(t.Context(), command...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// onDisk runs a command where the node's files are, whether it is on or off.
// Only a running node has its /run and /tmp.
func (n *Node) onDisk(ctx context.Context, stdin io.Reader, command ...string) (string, error) {
	if n.running() != nil {
		return n.RunInput(ctx, stdin, command...)
	}
	return run(ctx, stdin, append(n.disk.enter(), command...))
}

// CopyIn copies a file of the host onto the node, which may be off.
func (n *Node) CopyIn(hostPath, nodePath string, mode os.FileMode) error {
	f, err := os.Open(hostPath)
	if err != nil {
		return fmt.Errorf("copy to %s: %w", n.name, err)
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(context.Background(), fileTimeout)
	defer cancel()
	return writeFile(ctx, n.onDisk, nodePath, f, mode)
}

// WriteFile writes a file of the node, which may be off, and the folders above it.
func (n *Node) WriteFile(path string, data []byte, mode os.FileMode) error {
	ctx, cancel := context.WithTimeout(context.Background(), fileTimeout)
	defer cancel()
	return writeFile(ctx, n.onDisk, path, bytes.NewReader(data), mode)
}

// HostPath is where this machine finds a path of the running node: for sockets, which no
// copy replaces.
func (n *Node) HostPath(path string) (string, error) {
	g := n.running()
	if g == nil {
		return "", fmt.Errorf("%s is off", n.Name())
	}
	pid, err := g.pid1()
	if err != nil {
		return "", err
	}
	return filepath.Join(fmt.Sprintf("/proc/%d/root", pid), path), nil
}

// ReadFile reads a file of the node, which may be off.
func (n *Node) ReadFile(path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), fileTimeout)
	defer cancel()
	out, err := n.onDisk(ctx, nil, "cat", path)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w: %s", path, n.name, err, strings.TrimSpace(out))
	}
	return []byte(out), nil
}

// Journal returns what a unit wrote to the journal since the node booted.
func (n *Node) Journal(unit string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), fileTimeout)
	defer cancel()
	return n.Run(ctx, "journalctl", "--no-pager", "--boot", "--unit", unit)
}

// signalPowerOff is what systemd as PID 1 takes as an order to shut down.
const signalPowerOff = unix.Signal(34 + 4) // SIGRTMIN+4
