package apply

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"github.com/coreos/go-systemd/v22/activation"
)

// Listen takes the socket that systemd passed, or else makes one at path that owner and
// group may connect to.
func Listen(path string) (net.Listener, error) {
	passed, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("take the socket from systemd: %w", err)
	}
	if len(passed) > 0 {
		return onlyUnix(passed)
	}
	if err := removeStale(path); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	// The group is how the API comes in; its uid is checked as well.
	if err := os.Chmod(path, 0o660); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}

// onlyUnix refuses anything but one unix socket: we know whom we talk to on that alone.
func onlyUnix(passed []net.Listener) (net.Listener, error) {
	if len(passed) == 1 {
		if l, ok := passed[0].(*net.UnixListener); ok {
			return l, nil
		}
	}
	for _, l := range passed {
		if l != nil { // what is no listening socket was left nil
			_ = l.Close()
		}
	}
	return nil, errors.New("systemd did not pass exactly one listening unix socket")
}

// removeStale clears the socket of a process that was killed, and nothing but a socket.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return errors.New("a file that is not a socket is in the way")
	}
	return os.Remove(path)
}
