package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// hostTools are the programs a lab starts on the host, by Debian package.
var hostTools = map[string]string{
	"debootstrap":    "debootstrap",
	"systemd-nspawn": "systemd-container",
	"ip":             "iproute2",
	"nsenter":        "util-linux",
	"unshare":        "util-linux",
}

// checkHost says in one sentence what keeps this host from running a lab.
func checkHost() error {
	if os.Geteuid() != 0 {
		return errors.New("a lab needs root: it makes namespaces and mounts")
	}
	var missing []string
	for tool, pkg := range hostTools {
		if _, err := exec.LookPath(tool); err != nil {
			missing = append(missing, pkg)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the host lacks packages: apt-get install %s", strings.Join(missing, " "))
	}
	return nil
}

// Tool returns the path of a Go program that tests run against, building it when this
// machine does not have that version yet. No module of ours depends on it.
func Tool(ctx context.Context, pkg, version string) (string, error) {
	dir := filepath.Join(cacheDir(), "tools", strings.ReplaceAll(pkg, "/", "_")+"@"+version)
	program := filepath.Join(dir, path.Base(pkg))
	if exists(program) {
		return program, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the lab's cache: %w", err)
	}
	held, err := lock(ctx, dir+".lock")
	if err != nil {
		return "", err
	}
	defer held.Close()
	if exists(program) { // another process built it while this one waited
		return program, nil
	}
	cmd := exec.CommandContext(ctx, "go", "install", pkg+"@"+version)
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, tail(out, 20))
	}
	return program, nil
}

// Program is a Go program that tests run against.
type Program struct{ Package, Version string }

// What takes longest to come by, of all that tests run against.
var (
	// Versitygw is an object store, for package s3test. Building it takes minutes.
	Versitygw = Program{"github.com/versity/versitygw/cmd/versitygw", "v1.8.0"}
	// OpenSSH are the Debian packages of package sshtest.
	OpenSSH = []string{"openssh-server"}
)

// Counterparts brings what tests would otherwise come by themselves, in a time that is limited.
func Counterparts(ctx context.Context) error {
	root, err := Root(ctx)
	if err != nil {
		return err
	}
	if _, err := withPackages(ctx, root, OpenSSH); err != nil {
		return err
	}
	_, err = Tool(ctx, Versitygw.Package, Versitygw.Version)
	return err
}
