package lab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// addPackages installs Debian packages over the shared root, which does not change: what
// they bring is in $2/upper. $1 is the root.
const addPackages = `root=$1 dir=$2; shift 2
set -e
mkdir -p "$dir/upper" "$dir/work" "$dir/top"
mount -t overlay overlay -o "lowerdir=$root,upperdir=$dir/upper,workdir=$dir/work" "$dir/top"
mount -t proc proc "$dir/top/proc"
cat /etc/resolv.conf >"$dir/top/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' >"$dir/top/usr/sbin/policy-rc.d"
chmod 755 "$dir/top/usr/sbin/policy-rc.d"
export INITRD=No # which a kernel's package would make
chroot "$dir/top" apt-get update -q || true # the root's lists may be months old; without a network they are what there is
chroot "$dir/top" apt-get install -yq --no-install-recommends "$@"
chroot "$dir/top" apt-get clean`

// withPackages returns the folder with what packages bring beyond the root, fetching them
// when this machine does not have them yet. They are for tests only: nodes do not see them.
func withPackages(ctx context.Context, root string, packages []string) (string, error) {
	sum := sha256.Sum256([]byte(strings.Join(packages, " ")))
	dir := filepath.Join(cacheDir(), "with-"+hex.EncodeToString(sum[:6])+"-"+filepath.Base(root))
	if exists(dir) {
		return dir, nil
	}
	held, err := lock(ctx, filepath.Join(cacheDir(), "root.lock"))
	if err != nil {
		return "", err
	}
	defer held.Close()
	if exists(dir) { // another process made it while this one waited
		return dir, nil
	}
	tmp := dir + ".tmp"
	if err := os.RemoveAll(tmp); err != nil {
		return "", fmt.Errorf("remove unfinished packages: %w", err)
	}
	steps := append([]string{"sh", "-c", addPackages, "sh", root, tmp}, packages...)
	if err := build(ctx, steps...); err != nil {
		return "", errors.Join(fmt.Errorf("install %s: %w", strings.Join(packages, " "), err), os.RemoveAll(tmp))
	}
	if err := os.Rename(filepath.Join(tmp, "upper"), dir); err != nil {
		return "", fmt.Errorf("keep the packages: %w", err)
	}
	return dir, os.RemoveAll(tmp)
}

// extended runs a program in the root with the packages of $1 over it, on the mount point $2.
const extended = `mount --make-rprivate / && mount -t overlay overlay -o "lowerdir=$1:$0" "$2" &&
mount --bind /tmp "$2/tmp" && mount -t proc proc "$2/proc" || exit 1
top=$2; shift 2
exec chroot "$top" "$@"`

// InRootWith is InRoot for a program of packages that a node does not have, such as lintian.
func InRootWith(t testing.TB, packages []string, program ...string) []string {
	t.Helper()
	if os.Geteuid() != 0 || testing.Short() {
		t.Skip("needs root, and is not short")
	}
	root, err := Root(t.Context())
	if err != nil {
		t.Skipf("no Debian 13 for tests: %v", err)
	}
	added, err := withPackages(t.Context(), root, packages)
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{"unshare", "--mount", "sh", "-c", extended, root, added, t.TempDir()}, program...)
}
