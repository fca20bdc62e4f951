package lab

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// release is the Debian release the product targets.
const release = "trixie"

// recipe is raised whenever the steps below change, so that old roots are not used.
const recipe = "2"

// packages is what a node has before the product is installed. The product's
// .deb depends on some of them, and a node has no network to fetch them from.
var packages = []string{
	"systemd", "systemd-sysv", "dbus", "iproute2", "ca-certificates", "curl",
	"openssl", "procps", "iputils-ping", "bind9-dnsutils", "strace",
	"haproxy", "nftables", "postgresql-17",
	"unbound", "dns-root-data", "bind9", "chrony", "squid", "keepalived",
	"kea-dhcp4-server", "freeradius", "freeradius-utils",
}

// disabled are units that are installed but do not start at boot: daemons that
// only run once the product has configured them, and timers that would hold
// dpkg's lock or look for a network at a moment of their own choosing.
var disabled = []string{
	"unbound.service", "named.service", "chrony.service", "squid.service", "keepalived.service",
	"kea-dhcp4-server.service", "freeradius.service",
	"apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer",
}

// cacheDir is where roots and running labs live, outside of the repository.
func cacheDir() string {
	if dir := os.Getenv("GATEWAY_LAB_CACHE"); dir != "" {
		return dir
	}
	return "/var/cache/gateway-lab"
}

// Root returns the folder of a Debian 13 root file system, building it when
// this machine does not have it yet. It is shared by all labs and must not be
// written to: nodes see it through an overlay.
func Root(ctx context.Context) (string, error) {
	dir := filepath.Join(cacheDir(), "root-"+rootKey())
	if exists(dir) {
		return dir, nil
	}
	if err := checkHost(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(cacheDir(), 0o755); err != nil {
		return "", fmt.Errorf("make the lab's cache: %w", err)
	}
	held, err := lock(ctx, filepath.Join(cacheDir(), "root.lock"))
	if err != nil {
		return "", err
	}
	defer held.Close()
	if exists(dir) { // another process built it while this one waited
		return dir, nil
	}
	if err := buildRoot(ctx, dir); err != nil {
		return "", fmt.Errorf("build the Debian root: %w", err)
	}
	return dir, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func rootKey() string {
	sum := sha256.Sum256(fmt.Appendln(nil, recipe, release, packages, disabled))
	return hex.EncodeToString(sum[:6])
}

// buildRoot builds next to dir and renames, so that a root is there whole or not at all.
func buildRoot(ctx context.Context, dir string) error {
	sources, err := hostSources()
	if err != nil {
		return err
	}
	tmp := dir + ".tmp" // the caller holds the lock: an old one is a leftover
	if err := os.RemoveAll(tmp); err != nil {
		return fmt.Errorf("remove an unfinished root: %w", err)
	}
	steps := []func(context.Context, string, []source) error{bootstrap, writeApt, install, settle}
	for _, step := range steps {
		if err := step(ctx, tmp, sources); err != nil {
			return errors.Join(err, os.RemoveAll(tmp))
		}
	}
	return os.Rename(tmp, dir)
}

// bootstrap unpacks the base system only: Debian 12's debootstrap fails on
// trixie's systemd when it is included, so apt installs that afterwards.
func bootstrap(ctx context.Context, dir string, sources []source) error {
	return build(ctx, "debootstrap", "--variant=minbase", "--include=ca-certificates", release, dir, sources[0].uri)
}

func writeApt(_ context.Context, dir string, sources []source) error {
	var list strings.Builder
	for _, s := range sources {
		for _, suite := range s.suites {
			fmt.Fprintf(&list, "deb %s %s main\n", s.uri, suite)
		}
	}
	files := map[string]string{
		"etc/apt/sources.list": list.String(),
		// Compressed lists and no translations: they stay in the root, for apt-cache.
		"etc/apt/apt.conf.d/90lab": "Acquire::Languages \"none\";\nAcquire::GzipIndexes \"true\";\n",
		// No daemon may start on the host while its package is configured.
		"usr/sbin/policy-rc.d": "#!/bin/sh\nexit 101\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return os.Chmod(filepath.Join(dir, "usr/sbin/policy-rc.d"), 0o755)
}

// install runs apt inside the root. The updates and security archives are not
// on every mirror, so the release alone is enough.
func install(ctx context.Context, dir string, sources []source) error {
	// debootstrap leaves its own copy of the lists, which apt never reads again.
	if err := os.RemoveAll(filepath.Join(dir, "var/lib/apt/lists")); err != nil {
		return fmt.Errorf("remove debootstrap's lists: %w", err)
	}
	if err := inRoot(ctx, dir, "apt-get", "update", "-q", "-o", "APT::Update::Error-Mode=any"); err != nil {
		only := "deb " + sources[0].uri + " " + release + " main\n"
		if err := os.WriteFile(filepath.Join(dir, "etc/apt/sources.list"), []byte(only), 0o644); err != nil {
			return fmt.Errorf("write sources.list: %w", err)
		}
		if err := inRoot(ctx, dir, "apt-get", "update", "-q"); err != nil {
			return err
		}
	}
	args := []string{"apt-get", "install", "-yq", "--no-install-recommends"}
	if err := inRoot(ctx, dir, append(args, packages...)...); err != nil {
		return err
	}
	if err := inRoot(ctx, dir, "apt-get", "clean"); err != nil {
		return err
	}
	// As on any machine where root has asked apt before. Without it every question of a node costs a second of the processor.
	return inRoot(ctx, dir, "apt-cache", "gencaches", "-q")
}

// settle removes what belongs to the build and would be shared by all nodes.
func settle(ctx context.Context, dir string, _ []source) error {
	for _, unit := range disabled {
		if err := inRoot(ctx, dir, "systemctl", "disable", unit); err != nil {
			return err
		}
	}
	if err := os.Remove(filepath.Join(dir, "usr/sbin/policy-rc.d")); err != nil {
		return fmt.Errorf("let daemons start: %w", err)
	}
	// dbus keeps a second copy of the identity; at boot it follows /etc/machine-id.
	if err := os.RemoveAll(filepath.Join(dir, "var/lib/dbus/machine-id")); err != nil {
		return fmt.Errorf("remove the build's identity: %w", err)
	}
	// Empty, not absent: systemd then makes a new identity without treating the
	// boot as the first one, which would enable every unit again.
	for name, text := range map[string]string{"machine-id": "", "resolv.conf": "", "hostname": "gateway\n"} {
		path := filepath.Join(dir, "etc", name)
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the build's %s: %w", name, err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fmt.Errorf("settle %s: %w", name, err)
		}
	}
	return nil
}

// inRoot runs a command in the root being built.
func inRoot(ctx context.Context, dir string, command ...string) error {
	script := `mount -t proc proc "$0/proc" && exec chroot "$0" "$@"`
	return build(ctx, append([]string{"sh", "-c", script, dir}, command...)...)
}

// build runs one step of the build, in namespaces of its own: its mounts and
// whatever it leaves running end with it, also when it is interrupted.
func build(ctx context.Context, command ...string) error {
	args := []string{"--mount", "--pid", "--fork", "--kill-child", "--mount-proc"}
	cmd := exec.CommandContext(ctx, "unshare", append(args, command...)...)
	cmd.Env = cleanEnv()
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, tail(out, 20))
	}
	return nil
}

// cleanEnv keeps only what a build needs from the caller's environment.
func cleanEnv() []string {
	env := []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
	}
	for _, name := range []string{"http_proxy", "https_proxy", "no_proxy", "TERM"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// tail returns the last n lines of a command's output.
func tail(out []byte, n int) []byte {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-n):], []byte("\n"))
}
