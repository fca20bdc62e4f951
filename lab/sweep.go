package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// runDir holds one folder for each lab that runs or died.
func runDir() string { return filepath.Join(cacheDir(), "run") }

// claim makes a folder for a new lab, locked for as long as this process lives.
func claim(ctx context.Context) (string, *os.File, error) {
	gate, err := closeGate(ctx)
	if err != nil {
		return "", nil, err
	}
	defer gate.Close()
	if _, err := sweepDead(); err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp(runDir(), fmt.Sprintf("%d-*", os.Getpid()))
	if err != nil {
		return "", nil, fmt.Errorf("make the lab's folder: %w", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // daemons run below it
		return "", nil, fmt.Errorf("open the lab's folder: %w", err)
	}
	held, err := tryLock(filepath.Join(dir, "lock"))
	return dir, held, err
}

// closeGate lets one process at a time make or sweep folders: a folder that is
// not locked yet must not look dead to another.
func closeGate(ctx context.Context) (*os.File, error) {
	if err := os.MkdirAll(runDir(), 0o755); err != nil {
		return nil, fmt.Errorf("make the labs' folder: %w", err)
	}
	return lock(ctx, filepath.Join(runDir(), "gate.lock"))
}

// Sweep removes what labs of dead processes left behind and returns their names.
// Opening a lab does the same.
func Sweep(ctx context.Context) ([]string, error) {
	gate, err := closeGate(ctx)
	if err != nil {
		return nil, err
	}
	defer gate.Close()
	return sweepDead()
}

func sweepDead() ([]string, error) {
	dirs, err := filepath.Glob(filepath.Join(runDir(), "*-*"))
	if err != nil {
		return nil, fmt.Errorf("list labs: %w", err)
	}
	var swept []string
	for _, dir := range dirs {
		held, err := tryLock(filepath.Join(dir, "lock"))
		if errors.Is(err, unix.EWOULDBLOCK) {
			continue // its owner lives
		}
		if err != nil {
			return swept, err
		}
		err = sweepOne(dir)
		_ = held.Close()
		if err != nil {
			return swept, fmt.Errorf("sweep %s: %w", filepath.Base(dir), err)
		}
		swept = append(swept, filepath.Base(dir))
	}
	return swept, nil
}

// sweepOne removes a dead lab. Its anchor goes by itself when its owner dies;
// one that was stopped or hangs is ended here, if it is still the same process.
func sweepOne(dir string) error {
	s, err := readState(dir)
	if err == nil && s.alive() {
		_ = unix.Kill(s.Anchor, unix.SIGKILL)
		for i := 0; i < 100 && s.alive(); i++ {
			time.Sleep(20 * time.Millisecond)
		}
	}
	return removeLab(dir)
}

// removeLab removes a lab's control groups and folder once its processes are gone.
func removeLab(dir string) error {
	group, err := labCgroup(filepath.Base(dir))
	if err != nil {
		return err
	}
	if exists(group) {
		if err := removeCgroup(group); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the lab's folder: %w", err)
	}
	return nil
}
