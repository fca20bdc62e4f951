package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// guest is one boot of a node: the systemd-nspawn that runs its systemd.
type guest struct {
	name    string
	cmd     *exec.Cmd // nsenter, with nspawn below it and PID 1 below that
	console string
	cgroup  string
	done    chan struct{} // closed when all of it is gone
}

// startGuest starts nspawn on the node's disk and in its network namespace.
func (n *Node) startGuest() (*guest, error) {
	cgroup, err := makeCgroup(n.lab.id, n.name)
	if err != nil {
		return nil, err
	}
	defer cgroup.Close()
	g := &guest{name: n.name, cgroup: cgroup.Name(), done: make(chan struct{})}
	g.console = filepath.Join(n.lab.dir, n.name, "console")
	console, err := os.Create(g.console)
	if err != nil {
		return nil, fmt.Errorf("open the console: %w", err)
	}
	defer console.Close()
	net, err := n.netPath()
	if err != nil {
		return nil, err
	}
	argv := n.nspawn(net)
	g.cmd = exec.Command(argv[0], argv[1:]...)
	// A gateway sets its own network's sysctls; the rest belong to the host.
	g.cmd.Env = append(cleanEnv(), "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1", "SYSTEMD_NSPAWN_API_VFS_WRITABLE=network")
	g.cmd.Stdout, g.cmd.Stderr = console, console
	// nspawn makes its groups below the one it starts in. Each node needs its own:
	// two systemds in one would end each other's services.
	g.cmd.SysProcAttr = &unix.SysProcAttr{UseCgroupFD: true, CgroupFD: int(cgroup.Fd())}
	if err := g.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start nspawn: %w", err)
	}
	go func() {
		_ = g.cmd.Wait()
		close(g.done)
	}()
	return g, nil
}

// nspawn is the command line of a boot.
func (n *Node) nspawn(net string) []string {
	argv := append(n.disk.holder.enter("--mount", "--pid", "--net="+net),
		"systemd-nspawn", "--directory="+n.disk.top, "--machine="+n.lab.id+"-"+n.name, "--hostname="+n.name,
		"--boot", "--register=no", "--keep-unit", "--console=pipe", "--capability=all",
		"--network-namespace-path=/proc/self/ns/net",
		"--resolv-conf=off", "--timezone=off", "--link-journal=no")
	if exists("/dev/net/tun") {
		argv = append(argv, "--bind=/dev/net/tun") // for wireguard-go
	}
	return argv
}

// pid1 finds the node's PID 1. It is looked for each time, because a node that
// reboots itself gets a new one under the same nspawn.
func (g *guest) pid1() (int, error) { return systemdBelow(g.cmd.Process.Pid) }

func systemdBelow(nsenter int) (int, error) {
	for _, nspawn := range children(nsenter) {
		for _, pid := range children(nspawn) {
			// Before it is systemd, the process still has the host's files in view.
			if exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); exe == "/usr/lib/systemd/systemd" {
				return pid, nil
			}
		}
	}
	return 0, errors.New("no systemd is running")
}

// enter is the command prefix that runs something inside the guest.
func (g *guest) enter() ([]string, error) {
	pid, err := g.pid1()
	if err != nil {
		return nil, err
	}
	return enterSystem(pid), nil
}

func enterSystem(pid int) []string {
	return []string{
		"nsenter", fmt.Sprintf("--target=%d", pid),
		// Without a value, --root and --wd are those of the target, not the host's.
		"--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root", "--wd",
	}
}

// waitRunning returns when the boot is over. "degraded" counts: a host kernel
// without loadable modules always fails one unit.
func (g *guest) waitRunning(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	state := "no systemd yet"
	for {
		if prefix, err := g.enter(); err == nil {
			out, _ := run(ctx, nil, append(prefix, "systemctl", "is-system-running", "--wait"))
			if state = strings.TrimSpace(out); state == "running" || state == "degraded" {
				return nil
			}
		}
		select {
		case <-g.done:
			return fmt.Errorf("nspawn ended: %s", g.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("%w, state %q: %s", ctx.Err(), state, g.lastWords())
		case <-tick.C:
		}
	}
}

func (g *guest) lastWords() []byte {
	b, _ := os.ReadFile(g.console)
	return tail(b, 10)
}

// kill ends PID 1, and the kernel all that runs below it.
func (g *guest) kill() {
	if pid, err := g.pid1(); err == nil {
		_ = unix.Kill(pid, unix.SIGKILL)
	} else {
		killBelow(g.cmd.Process.Pid)
	}
	select {
	case <-g.done:
	case <-time.After(10 * time.Second): // nspawn itself hangs
		killBelow(g.cmd.Process.Pid)
		<-g.done
	}
}

func (g *guest) powerOff() error {
	pid, err := g.pid1()
	if err == nil {
		err = unix.Kill(pid, signalPowerOff)
	}
	if err != nil {
		g.kill()
		return fmt.Errorf("power off %s: %w", g.name, err)
	}
	select {
	case <-g.done:
		return nil
	case <-time.After(powerOffTimeout):
		g.kill()
		return fmt.Errorf("power off %s: still up after %v, killed", g.name, powerOffTimeout)
	}
}
