package lab

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Client is a machine beside the nodes: it has an address and Debian 13's
// tools, but runs no system of its own.
type Client struct {
	*host
}

// clientMounts is what tools expect to find, which a node's systemd-nspawn provides.
const clientMounts = ` && mount -t proc proc "$2/top/proc" && mount --rbind /dev "$2/top/dev"`

// Client starts a client, and fails the test when that does not work.
func (l *Lab) Client(name string, opts ...Option) *Client {
	if l.t != nil {
		l.t.Helper()
	}
	c, err := l.StartClient(context.Background(), name, opts...)
	l.Must(err)
	return c
}

// StartClient is Client for labs without a test.
func (l *Lab) StartClient(ctx context.Context, name string, opts ...Option) (*Client, error) {
	h, err := l.join(name, opts)
	if err != nil {
		return nil, err
	}
	d, err := l.newDisk(ctx, name, "", clientMounts)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	h.disk = d
	l.mu.Unlock()
	if err := h.plug(ctx); err != nil {
		return nil, err
	}
	return &Client{host: h}, l.saveState()
}

// Run runs one of Debian 13's programs at the client and returns all it printed.
func (c *Client) Run(ctx context.Context, command ...string) (string, error) {
	return c.RunInput(ctx, nil, command...)
}

// RunInput is Run with something to read for the command.
func (c *Client) RunInput(ctx context.Context, stdin io.Reader, command ...string) (string, error) {
	net, err := c.netPath()
	if err != nil {
		return "", err
	}
	out, err := run(ctx, stdin, append(c.disk.enter("--net="+net), command...))
	if err != nil {
		return out, fmt.Errorf("%s on %s: %w", strings.Join(command, " "), c.name, err)
	}
	return out, nil
}

// MustRun is Run for a command that has to succeed; it returns what it printed.
func (c *Client) MustRun(t testing.TB, command ...string) string {
	t.Helper()
	out, err := c.Run(t.Context(), command...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// HostCommand prepares one of the host's own programs to run at the client's
// place in the network, for servers that a test has built itself. It ends with
// the lab if the test does not end it.
func (c *Client) HostCommand(ctx context.Context, command ...string) (*exec.Cmd, error) {
	net, err := c.netPath()
	if err != nil {
		return nil, err
	}
	argv := append(c.lab.anchor.enter("--mount", "--pid", "--net="+net), command...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Cancel = func() error {
		killBelow(cmd.Process.Pid)
		return nil
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd, nil
}

// HostPath is where this process finds a file of the client.
func (c *Client) HostPath(path string) string {
	return filepath.Join(fmt.Sprintf("/proc/%d/root", c.disk.holder.pid), c.disk.top, path)
}
