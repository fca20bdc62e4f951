package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// disk is a writable view of the shared root, mounted where only the lab sees
// it. It outlives its node's boots.
type disk struct {
	top    string // the mounted root, valid in the holder's mount namespace
	holder *holder
}

// overlay mounts the shared root below a folder for changes, both given as arguments.
const overlay = `mount -t overlay overlay -o "redirect_dir=on,lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/top"`

// nameDisk makes the system on a disk know its own name, before it is mounted.
func (l *Lab) nameDisk(name string) error {
	etc := filepath.Join(l.dir, name, "upper", "etc")
	if err := os.MkdirAll(etc, 0o755); err != nil {
		return fmt.Errorf("name the disk of %s: %w", name, err)
	}
	files := map[string]string{
		"hostname": name + "\n",
		"hosts":    "127.0.0.1 localhost\n127.0.1.1 " + name + "\n::1 localhost ip6-localhost ip6-loopback\n",
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(etc, file), []byte(text), 0o644); err != nil {
			return fmt.Errorf("name the disk of %s: %w", name, err)
		}
	}
	return nil
}

// newDisk mounts a disk, of an image or of Debian as it comes, and runs more mount commands of the caller's after it.
func (l *Lab) newDisk(ctx context.Context, name, image, more string) (*disk, error) {
	dir := filepath.Join(l.dir, name)
	if err := errors.Join(overlayDirs(dir), l.nameDisk(name)); err != nil {
		return nil, err
	}
	prefix := append(l.anchor.enter("--mount", "--pid"), "unshare", "--mount")
	lower := l.root
	if image != "" {
		lower = image + ":" + lower
	}
	h, err := hold(ctx, prefix, overlay+more, lower, dir)
	if err != nil {
		return nil, fmt.Errorf("mount the disk of %s: %w", name, err)
	}
	return &disk{top: filepath.Join(dir, "top"), holder: h}, nil
}

func overlayDirs(dir string) error {
	for _, sub := range []string{"upper", "work", "top"} {
		// The mounted root has the mode of upper, and daemons must be able to enter it.
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return fmt.Errorf("make a disk: %w", err)
		}
	}
	return nil
}

// enter is the command prefix that runs something on the disk, with no system
// running on it, in the network namespace given.
func (d *disk) enter(netFlag ...string) []string {
	flags := append([]string{"--mount", "--pid"}, netFlag...)
	return append(d.holder.enter(flags...), "chroot", d.top)
}

// runner runs commands somewhere in the lab.
type runner func(ctx context.Context, stdin io.Reader, command ...string) (string, error)

func writeFile(ctx context.Context, run runner, path string, data io.Reader, mode os.FileMode) error {
	script := `mkdir -p "$(dirname "$1")" && cat >"$1" && chmod "$2" "$1"`
	out, err := run(ctx, data, "sh", "-c", script, "sh", path, fmt.Sprintf("%o", mode.Perm()))
	if err != nil {
		return fmt.Errorf("write %s: %w: %s", path, err, out)
	}
	return nil
}
