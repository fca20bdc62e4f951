package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cgroupRoot is where the host mounts version 2 control groups: some hosts
// mount it beside version 1.
func cgroupRoot() (string, error) {
	b, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return "", fmt.Errorf("look for control groups: %w", err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 2 && f[2] == "cgroup2" {
			return f[1], nil
		}
	}
	return "", errors.New("the host has no version 2 control groups mounted")
}

// labCgroup is the group that a lab's nodes are in.
func labCgroup(id string) (string, error) {
	root, err := cgroupRoot()
	return filepath.Join(root, "gateway-lab", id), err
}

func makeCgroup(id, name string) (*os.File, error) {
	group, err := labCgroup(id)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(group, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make a control group: %w", err)
	}
	return os.Open(dir)
}

// removeCgroup removes a group and those below it. The kernel lets go of a dead
// process's group a moment after the process.
func removeCgroup(dir string) error {
	var err error
	for range 50 {
		if err = removeCgroupOnce(dir); !errors.Is(err, unix.EBUSY) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

func removeCgroupOnce(dir string) error {
	var dirs []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return nil // what vanishes while walking needs no removing
	})
	slices.Reverse(dirs) // the deepest first
	for _, d := range dirs {
		if e := unix.Rmdir(d); e != nil && !errors.Is(e, unix.ENOENT) {
			err = errors.Join(err, fmt.Errorf("remove control group %s: %w", d, e))
		}
	}
	return err
}
