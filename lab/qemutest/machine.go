// Package qemutest runs tests as the first process of an emulated machine with Debian 13's own
// kernel, and whole nodes of the lab: for VLANs, bonds, WireGuard and limits of memory, which the
// kernel of the machine at hand may lack. It takes 20 to 40 times as long there, so a time means
// something only beside another one of the same machine. It is imported by tests only.
package qemutest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/lab"
)

// packages bring the emulator, the kernel, and what tests run on it beside iproute2.
var packages = []string{"qemu-system-x86", "linux-image-cloud-amd64", "wireguard-tools", "busybox-static", "cpio", "xz-utils", "faketime"}

// prepare makes the kernel and a root file system in memory from the folder $1, whose root/init
// is there. The other arguments are modules, which are loaded in the order of their files. $2 is what
// else the root file system has.
const prepare = `set -e
out=$1 more=$2; shift 2
version=$(ls /usr/lib/modules | head -n 1)
mkdir -p "$out/root/modules"
for m in "$@"; do modprobe -S "$version" --show-depends "$m"; done |
awk '$1 == "insmod" && !seen[$2]++ {print $2}' | {
n=100
while read -r file; do
	n=$((n + 1))
	xz -dc "$file" >"$out/root/modules/$n.ko"
done; }
eval "$more"
cp "/boot/vmlinuz-$version" "$out/vmlinuz"
cd "$out/root"
find . | cpio --quiet -o -H newc >"$out/initrd"`

// tools are the programs that tests run.
const tools = `ldd /usr/bin/ip /usr/bin/wg | grep -oE '/lib[^ ]*\.so[^ ]*' | sort -u | while read -r file; do cp -L --parents "$file" "$out/root"; done
cp --parents /usr/bin/ip /usr/bin/wg "$out/root"`

// inside is the variable that tells a process that it is in such a machine.
const inside = "GATEWAY_QEMU"

// Run runs tests of the package under test in a machine with the modules, and returns what they
// printed. They begin with Inside.
func Run(t testing.TB, pattern string, limit time.Duration, modules ...string) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", filepath.Join(dir, "root/init"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	do(t, build)
	kernel(t, dir, tools, modules...)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	argv := lab.InRootWith(t, packages, machine(dir, pattern)...)
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	text := strings.ReplaceAll(string(out), "\r", "")
	if err != nil || ctx.Err() != nil {
		t.Fatalf("%v\n%s", errors.Join(err, ctx.Err()), text)
	}
	// Not by the last line, PASS: what the kernel says about the end of its first process may fall into it.
	if strings.Contains(text, "--- FAIL: ") || !strings.Contains(text, "--- PASS: ") {
		t.Errorf("the tests in the machine fail:\n%s", text)
	}
	return text
}

// kernel makes what an emulator begins with in a folder.
func kernel(t testing.TB, dir, more string, modules ...string) {
	t.Helper()
	argv := lab.InRootWith(t, packages, append([]string{"sh", "-c", prepare, "sh", dir, more}, modules...)...)
	do(t, exec.CommandContext(t.Context(), argv[0], argv[1:]...))
}

func do(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd.Args[0], err, bytes.TrimSpace(out))
	}
}

// machine is the command line of the emulator. It ends with the first process, which the kernel
// takes for a reason to start anew.
func machine(dir, pattern string) []string {
	line := []string{"console=ttyS0", "quiet", "panic=-1", "rdinit=/init", "PATH=/usr/bin", inside + "=1"}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GATEWAY_TORTURE=") || strings.HasPrefix(v, "GATEWAY_GATE=") {
			line = append(line, v)
		}
	}
	line = append(line, "--", "-test.v", "-test.run="+pattern)
	return []string{
		"qemu-system-x86_64", "-accel", "tcg,thread=multi", "-smp", "2", "-m", "768", "-display", "none", "-monitor", "none", "-serial", "stdio", "-nic", "none", "-no-reboot",
		"-kernel", filepath.Join(dir, "vmlinuz"), "-initrd", filepath.Join(dir, "initrd"), "-append", strings.Join(line, " "),
	}
}

// Inside skips a test elsewhere, and makes the machine one that programs find their way in.
func Inside(t testing.TB) {
	t.Helper()
	if os.Getenv(inside) == "" {
		t.Skip("it runs in an emulated machine, started by a bar")
	}
	for _, m := range []struct{ fs, at string }{{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"tmpfs", "/tmp"}} {
		if err := os.MkdirAll(m.at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount(m.fs, m.at, m.fs, 0, ""); err != nil && !errors.Is(err, unix.EBUSY) {
			t.Fatalf("mount %s: %v", m.at, err)
		}
	}
	files, err := filepath.Glob("/modules/*.ko")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files { // in their order
		image, err := os.ReadFile(file)
		if err == nil {
			err = unix.InitModule(image, "")
		}
		if err != nil && !errors.Is(err, unix.EEXIST) {
			t.Fatalf("load %s: %v", file, err)
		}
	}
}
