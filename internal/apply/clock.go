package apply

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Clock tells the time, and the time since boot, which nobody can set.
type Clock struct {
	Now    func() time.Time
	Uptime func() time.Duration
	Boot   string // another one after each boot
}

// SystemClock is the machine's. Boots are told apart by a file in run, a folder that no
// boot survives: the kernel's own boot id is the host's in a container.
func SystemClock(run string) (Clock, error) {
	path := filepath.Join(run, "boot")
	id, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		id = []byte(rand.Text())
		err = os.WriteFile(path, id, 0o600)
	}
	if err != nil {
		return Clock{}, fmt.Errorf("mark this boot: %w", err)
	}
	return Clock{Now: time.Now, Uptime: uptime, Boot: string(id)}, nil
}

func uptime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0 // it cannot fail with this clock
	}
	return time.Duration(ts.Nano())
}
