package qemutest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/lab"
)

// wholeNode gives the node in $out/disk the kernel's modules, which it loads by kmod as it needs
// them, and what runs the test's commands; in memory there is only what mounts its disk.
const wholeNode = `mkdir -p "$out/disk/usr/lib/modules" "$out/disk/usr/bin" "$out/disk/usr/sbin" "$out/root/bin" "$out/root/dev" "$out/root/mnt"
cp -a "/usr/lib/modules/$version" "$out/disk/usr/lib/modules"
cp -a --parents /usr/bin/kmod /usr/lib/x86_64-linux-gnu/libkmod.so.2* "$out/disk"
ln -s ../bin/kmod "$out/disk/usr/sbin/modprobe"
cp /usr/bin/busybox "$out/root/bin"`

const mountDisk = `#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
for m in /modules/*.ko; do /bin/busybox insmod "$m"; done
until [ -b /dev/vda ]; do /bin/busybox sleep 0.1; done
/bin/busybox mount -t ext4 /dev/vda /mnt
exec /bin/busybox switch_root /mnt /usr/lib/systemd/systemd
`

// agent runs each line that it reads from the second serial port, and ends what that prints by its exit code.
const agent = `exec <>/dev/ttyS1 >&0 2>&0
stty raw -echo
ip -batch /etc/lab-network
echo; echo '=== 0'
while read -r line; do
	sh -c "$line" </dev/null
	printf '\n=== %s\n' $?
done
`

// agentUnit is there before what loads modules, and so before all that is there before the network.
const agentUnit = `[Unit]
DefaultDependencies=no
Before=systemd-modules-load.service network-pre.target
Wants=network-pre.target
[Service]
ExecStart=/bin/sh /etc/lab-agent
[Install]
WantedBy=sysinit.target
`

// slower has the machine's clock go at a tenth of the speed, since its processor does: what gives up after ten seconds does
// not do so after less work than elsewhere. Counting instructions (-icount) would do so too, but on one core, and slower.
const slower = "+0x0.1"

// Node is a node of the lab, in its place in the lab's networks, that runs in an emulated machine.
type Node struct {
	t       testing.TB
	console string
	mu      sync.Mutex
	in      io.Writer
	out     *bufio.Reader
}

// Boot runs a node that is off, and from then on belongs to the machine, and returns when it runs commands.
func Boot(t testing.TB, of *lab.Node, limit time.Duration) *Node {
	t.Helper()
	dir := t.TempDir()
	cards, err := of.Cards()
	must(t, err)
	equip(t, dir, cards)
	must(t, of.WriteDisk(t.Context(), filepath.Join(dir, "disk"), filepath.Join(dir, "image")))
	n := &Node{t: t, console: filepath.Join(dir, "console")}
	n.start(lab.InRootWith(t, packages, node(dir, cards)...), cards)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if out, err := n.answer(ctx); err != nil {
		t.Fatalf("boot the emulated node: %v\n%s\n%s", err, out, n.lastWords())
	}
	return n
}

// equip makes in a folder what the emulator and its node need beside what is on the node's disk.
func equip(t testing.TB, dir string, cards []lab.Card) {
	t.Helper()
	var network []string
	for _, c := range cards {
		network = append(network, c.Setup...)
	}
	for name, text := range map[string]string{
		"root/init":            mountDisk,
		"disk/etc/lab-network": strings.Join(network, "\n") + "\n",
		"disk/etc/lab-agent":   agent,
		"disk/etc/systemd/system/lab-agent.service": agentUnit,
	} {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o755))
	}
	wanted := filepath.Join(dir, "disk/etc/systemd/system/sysinit.target.wants")
	must(t, os.MkdirAll(wanted, 0o755))
	must(t, os.Symlink("../lab-agent.service", filepath.Join(wanted, "lab-agent.service")))
	kernel(t, dir, wholeNode, "virtio_blk", "virtio_net")
}

// node is the command line of the emulator. Without udev, a getty would wait for its terminal for 90 seconds.
func node(dir string, cards []lab.Card) []string {
	argv := []string{
		"env", "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", "FAKETIME=" + slower,
		"qemu-system-x86_64", "-accel", "tcg,thread=multi", "-smp", "2", "-m", "4096", "-display", "none", "-monitor", "none", "-no-reboot", "-nic", "none",
		"-serial", "file:" + filepath.Join(dir, "console"), "-serial", "stdio",
		"-kernel", filepath.Join(dir, "vmlinuz"), "-initrd", filepath.Join(dir, "initrd"),
		"-append", "console=ttyS0 quiet panic=-1 net.ifnames=0 systemd.show_status=0 systemd.mask=serial-getty@ttyS0.service",
		"-drive", "file=" + filepath.Join(dir, "image") + ",format=raw,if=virtio,cache=unsafe",
	}
	for i, c := range cards {
		argv = append(argv, "-netdev", fmt.Sprintf("tap,id=n%d,fd=%d", i, 3+i), // as exec.Cmd numbers its extra files
			"-device", fmt.Sprintf("virtio-net-pci,netdev=n%d,mac=%s,romfile=", i, c.Hardware))
	}
	return argv
}

// start starts the emulator, which ends with the test.
func (n *Node) start(argv []string, cards []lab.Card) {
	n.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	for _, c := range cards {
		cmd.ExtraFiles = append(cmd.ExtraFiles, c.File)
	}
	in, err := cmd.StdinPipe()
	must(n.t, err)
	out, err := cmd.StdoutPipe()
	must(n.t, err)
	n.in, n.out = in, bufio.NewReader(out)
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // whose end the kernel takes for that of this process
		started <- cmd.Start()
		_ = cmd.Wait()
		close(ended)
	}()
	must(n.t, <-started)
	for _, c := range cards {
		_ = c.File.Close() // the emulator has it now
	}
	n.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
}

// Run runs a line of shell as root, and returns what it printed.
func (n *Node) Run(ctx context.Context, line string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, err := fmt.Fprintln(n.in, line); err != nil {
		return "", fmt.Errorf("write to the emulated node: %w", err)
	}
	out, err := n.answer(ctx)
	if err != nil {
		return out, fmt.Errorf("%s on the emulated node: %w", line, err)
	}
	return out, nil
}

// MustRun is Run for what has to succeed.
func (n *Node) MustRun(line string) string {
	n.t.Helper()
	out, err := n.Run(n.t.Context(), line)
	if err != nil {
		n.t.Fatalf("%v\n%s\n%s", err, out, n.lastWords())
	}
	return out
}

var ending = regexp.MustCompile(`^=== ([0-9]+)\r?\n$`)

// answer reads until a command ends. After a context that ended, there is no other.
func (n *Node) answer(ctx context.Context) (string, error) {
	type read struct {
		text string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		var all strings.Builder
		for {
			line, err := n.out.ReadString('\n')
			if m := ending.FindStringSubmatch(line); m != nil {
				if m[1] != "0" {
					err = errors.New("exit code " + m[1])
				}
				done <- read{strings.TrimSpace(all.String()), err}
				return
			}
			all.WriteString(line)
			if err != nil {
				done <- read{all.String(), err}
				return
			}
		}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (n *Node) lastWords() string {
	text, _ := os.ReadFile(n.console)
	return string(text[max(0, len(text)-2000):])
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
