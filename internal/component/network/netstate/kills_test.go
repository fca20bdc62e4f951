package netstate

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gateway/internal/daemon"
	"gateway/lab"
	"gateway/tools/bar"
)

// applierFile says which file the process that is killed has to apply.
const applierFile = "GATEWAY_TEST_APPLIER_FILE"

// TestApplierProcess is no test but the process that is killed: it looks after the network of
// the last file as gateway-apply does, and applies another one at each line that it reads.
func TestApplierProcess(t *testing.T) {
	file := os.Getenv(applierFile)
	if file == "" {
		t.Skip("it is started by the bar about kills")
	}
	read := func() daemon.Rendering {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return daemon.Rendering{Files: []daemon.File{{Path: Path, Data: data}}}
	}
	d := New(Options{Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	last := read()
	d.Live(last)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Background(ctx, func() {}) }()
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		now := read()
		fmt.Printf("applied %v\n", d.Apply(ctx, last, now))
		last = now
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// applier is that process, from outside.
type applier struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	answered chan string
	log      bytes.Buffer
}

func startApplier(t *testing.T, space *lab.Space, file string) *applier {
	t.Helper()
	a := &applier{cmd: exec.Command(os.Args[0], "-test.run=^TestApplierProcess$"), answered: make(chan string, 1)}
	a.cmd.Env = append(os.Environ(), applierFile+"="+file)
	in, err := a.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	a.in, a.cmd.Stderr = in, &a.log
	if err := space.Do(a.cmd.Start); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(a.answered)
		for s := bufio.NewScanner(out); s.Scan(); {
			a.answered <- s.Text()
		}
	}()
	return a
}

// kill ends it at once, and says whether it had answered by then.
func (a *applier) kill() (answered bool) {
	_ = a.cmd.Process.Kill()
	_, answered = <-a.answered
	for range a.answered { // until it is gone
	}
	_ = a.cmd.Wait()
	return answered
}

// many is a configuration that takes a while: a random one, and hundreds of routes.
func many(r *rand.Rand) Config {
	c := random(r)
	i := slices.IndexFunc(c.Links, func(l Link) bool { return l.Kind == Ethernet && masterIn(c, l.Name) == "" })
	if i < 0 {
		return many(r)
	}
	link := c.Links[i].Name
	c.Addresses = append(c.Addresses, Address{link, prefix("10.77.0.1/24")})
	for j := range 300 {
		dst := netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 20, byte(j), 0}), 24)
		if j > 255 {
			dst = netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 21, byte(j), 0}), 24)
		}
		c.Routes = append(c.Routes, Route{Dst: dst, Gateway: netip.AddrFrom4([4]byte{10, 77, 0, byte(2 + r.IntN(3))}), Table: 254})
	}
	return c
}

// becomes waits until the kernel is as wanted.
func becomes(t *testing.T, space *lab.Space, c Config, within time.Duration) (time.Duration, bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for start := time.Now(); ; <-tick.C {
		why := differs(c, seen(t, space))
		took := time.Since(start)
		if why == "" {
			return took, true
		}
		if took > within {
			t.Errorf("after %s still: %s", took, why)
			return took, false
		}
	}
}

func TestBarNetwork03Kills(t *testing.T) {
	size := bar.Size(50, 1000)
	space, _ := newKernel(t)
	untouched := ofStrangers(seen(t, space))
	r := rand.New(rand.NewPCG(14, 3))
	file := filepath.Join(t.TempDir(), "network.conf")
	install := func(c Config) {
		if err := os.WriteFile(file+".new", c.Text(), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	install(Config{})
	a := startApplier(t, space, file)
	defer func() { a.kill() }()
	var slowest time.Duration
	var during int
	var slow *applier
	right := true
	for range size {
		c := many(r)
		install(c)
		if _, err := io.WriteString(a.in, "go\n"); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(r.IntN(40)) * time.Millisecond) // the apply takes about so long
		if !a.kill() {
			during++
		}
		a = startApplier(t, space, file)
		took, ok := becomes(t, space, c, 5*time.Second)
		if took > time.Second {
			slow = a
		}
		slowest, right = max(slowest, took), right && ok
		if !ok {
			break
		}
	}
	if got := ofStrangers(seen(t, space)); !slices.Equal(got, untouched) {
		t.Errorf("the strangers are %q, were %q", got, untouched)
	}
	if slow != nil && slow != a {
		t.Logf("the last slow one said: %s", slow.log.String())
	}
	if during < size/4 {
		t.Errorf("only %d of %d kills came while it applied", during, size)
	}
	bar.ReportTimed(t, "network", 3, fmt.Sprintf("%d kills of the process that applies, %d of them meanwhile: wanted = kernel after at most %.2f s; netstate in a test process, API not killed", size, during, slowest.Seconds()),
		"wanted = kernel within 5 s", right && !t.Failed(), slowest <= 5*time.Second)
}
