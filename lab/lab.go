// Package lab gives tests a real appliance on one machine: nodes that run
// Debian 13 with systemd as PID 1, and clients beside them, joined by bridges,
// all in namespaces that the lab made itself. It also starts a PostgreSQL 17 for
// tests that need no node. What runs on a node is left to the test.
//
// A lab hangs on one process, the anchor: PID 1 of a PID namespace in which
// everything else runs, waiting for its standard input to end. When the test
// process is gone, however it went, the anchor exits, the kernel kills all that
// is in its namespace, and the mounts and networks go with the last process in
// them. Only a folder and empty control groups remain for the sweep.
package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Lab is a set of nodes and clients on networks of their own.
type Lab struct {
	t      testing.TB // nil when opened by a command
	id     string     // names the lab's folder and control group, begins with our pid
	dir    string
	root   string
	held   *os.File // the lock that tells a sweep that this lab lives
	anchor *holder

	mu       sync.Mutex
	networks []*Network
	hosts    []*host
	nodes    []*Node
	closed   bool
}

// New opens a lab that ends with the test, also when the test fails or panics.
// It skips the test where a lab cannot run, and fails it where one should but
// the host lacks a package.
func New(t testing.TB) *Lab {
	t.Helper()
	if testing.Short() {
		t.Skip("a lab takes seconds to boot: skipped by -short")
	}
	if os.Geteuid() != 0 {
		t.Skip("a lab needs root: it makes namespaces and mounts")
	}
	l, err := Open(t.Context())
	if err != nil {
		t.Fatalf("open a lab: %v", err)
	}
	l.t = t
	t.Cleanup(l.finish)
	return l
}

// finish ends the lab of a test; of a failed one it shows what the nodes said last.
func (l *Lab) finish() {
	if l.t.Failed() {
		for _, n := range l.Nodes() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			if out, err := n.Run(ctx, "journalctl", "--no-pager", "-n", "40"); err == nil {
				l.t.Logf("journal of %s:\n%s", n.Name(), out)
			}
			cancel()
		}
	}
	if err := l.Close(); err != nil {
		l.t.Errorf("close the lab: %v", err)
	}
}

// Open starts an empty lab outside of a test; the caller closes it.
func Open(ctx context.Context) (*Lab, error) {
	if err := checkHost(); err != nil {
		return nil, err
	}
	root, err := Root(ctx)
	if err != nil {
		return nil, err
	}
	l := &Lab{root: root}
	if l.dir, l.held, err = claim(ctx); err != nil {
		return nil, err
	}
	l.id = filepath.Base(l.dir)
	if l.anchor, err = drop(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, l.saveState()
}

// Must fails the test on an error, for steps of a story that cannot go wrong.
func (l *Lab) Must(err error) {
	if err == nil {
		return
	}
	if l.t == nil {
		panic(err)
	}
	l.t.Helper()
	l.t.Fatal(err)
}

// Nodes returns the nodes in the order they were started.
func (l *Lab) Nodes() []*Node {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*Node(nil), l.nodes...)
}

// Close ends everything the lab started and removes its folder. When it
// returns, no process of the lab is left.
func (l *Lab) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if l.anchor != nil {
		l.anchor.stop() // the kernel ends the rest; below it is only waited for
	}
	for _, n := range l.nodes {
		n.off()
	}
	for _, h := range l.hosts {
		h.end()
	}
	return errors.Join(removeLab(l.dir), l.held.Close())
}

// join gives a new host its name, its number and its ports.
func (l *Lab) join(name string, opts []Option) (*host, error) {
	if !validName.MatchString(name) {
		return nil, fmt.Errorf("%q cannot name a host: use up to 12 lower-case letters, digits and dashes", name)
	}
	set := settings{networks: []string{"lan"}}
	for _, opt := range opts {
		opt(&set)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errors.New("the lab is closed")
	}
	for _, h := range l.hosts {
		if h.name == name {
			return nil, fmt.Errorf("the lab already has a host %q", name)
		}
	}
	h := &host{lab: l, name: name, number: len(l.hosts) + 1, image: set.image}
	for i, name := range set.networks {
		network, err := l.network(name)
		if err != nil {
			return nil, err
		}
		h.ports = append(h.ports, newPort(h, network, i))
	}
	l.hosts = append(l.hosts, h)
	return h, nil
}
