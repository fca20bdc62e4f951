package proxy

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// engine is a reverse proxy that runs.
type engine struct {
	name    string
	address string
	tls     bool
	hosts   []string
	pid     func() int // of the process above all of its others

	clients []*client
	next    int     // of the hosts
	micros  float64 // what a request costs, once compared
}

// size is how long a comparison takes.
type size struct {
	rounds int
	keep   int // rounds that connections stay
	turn   time.Duration
	conns  int
}

// used is the time that its processes have had of the core, by the kernel's count.
func (e *engine) used(t testing.TB) time.Duration {
	t.Helper()
	return cpuOf(t, e.pid())
}

func cpuOf(t testing.TB, pid int) time.Duration {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatalf("no process %d: %v", pid, err)
	}
	var sum time.Duration
	for _, task := range tasks {
		stat, _ := os.ReadFile(filepath.Join(task, "schedstat"))
		if fields := strings.Fields(string(stat)); len(fields) > 0 {
			n, _ := strconv.ParseInt(fields[0], 10, 64)
			sum += time.Duration(n)
		}
		below, _ := os.ReadFile(filepath.Join(task, "children"))
		for _, child := range strings.Fields(string(below)) {
			n, _ := strconv.Atoi(child)
			sum += cpuOf(t, n)
		}
	}
	return sum
}

// connect opens connections for other hosts each time, and asks each for a page: a pool may
// have no connection to its server yet.
func (e *engine) connect(t testing.TB, n int) {
	t.Helper()
	for _, c := range e.clients {
		_ = c.conn.Close()
	}
	e.clients = e.clients[:0]
	for range n {
		// A prime, so that neighbours in a map are not asked for together.
		host := e.hosts[e.next*7919%len(e.hosts)]
		e.next++
		c, err := e.dial(host)
		if err == nil {
			err = c.ask()
		}
		if err != nil {
			t.Fatalf("%s: ask %s: %v", e.name, host, err)
		}
		e.clients = append(e.clients, c)
	}
}

// cost is what a request takes of the engine's core, in nanoseconds.
func (e *engine) cost(t testing.TB, length time.Duration) float64 {
	t.Helper()
	before := e.used(t)
	n := load(t, e.clients, length)
	spent := e.used(t) - before
	if n == 0 || spent == 0 {
		t.Fatalf("%s: %d answers for %v", e.name, n, spent)
	}
	return float64(spent) / float64(n)
}

// compare takes turns between engines, each round in another order, and returns what each
// costs beside the first. Whatever else the machine does can only add to a turn, so it is the
// lower quartile of the turns that counts.
func compare(t testing.TB, engines []*engine, s size) []float64 {
	t.Helper()
	costs := make([][]float64, len(engines))
	for round := range s.rounds {
		if round%s.keep == 0 {
			for _, e := range engines {
				e.connect(t, s.conns)
				e.cost(t, s.turn)
			}
		}
		for i := range engines {
			k := (i + round) % len(engines)
			costs[k] = append(costs[k], engines[k].cost(t, s.turn))
		}
	}
	ratios := make([]float64, len(engines))
	for i, e := range engines {
		beside := func(q float64) float64 { return quantile(costs[i], q) / quantile(costs[0], q) }
		ratios[i], e.micros = beside(0.25), quantile(costs[i], 0.25)/1000
		t.Logf("%-14s %6.1f us a request, %.3f of %s (by the tenth %.3f, by the median %.3f, %d turns)",
			e.name, e.micros, ratios[i], engines[0].name, beside(0.1), beside(0.5), len(costs[i]))
	}
	return ratios
}

func quantile(all []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}

// start runs a program that is not HAProxy until the test ends, and waits for its port.
func start(t testing.TB, argv []string, address string) func() int {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "HOME=/tmp", "GOMAXPROCS=1")
	out := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(unix.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
		}
	})
	for {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return func() int { return cmd.Process.Pid }
		}
		select {
		case <-ended:
			t.Fatalf("%s ended:\n%s", argv[len(argv)-1], out)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// freeAddress is one of 127.0.0.1 that nobody listens at.
func freeAddress(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
