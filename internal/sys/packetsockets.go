package sys

import (
	"fmt"
	"os"
	"strings"
)

// DeadPacketSockets counts the sockets for whole frames whose link is gone: those of any process of our network namespace.
// They are not told of one that is made anew under the same name.
func (h *Host) DeadPacketSockets() (int, error) {
	const (
		list      = "/proc/thread-self/net/packet" // that of the namespace that this thread is in
		linkField = 4
	)
	data, err := os.ReadFile(list)
	if err != nil {
		return 0, fmt.Errorf("list the sockets for whole frames: %w", err)
	}
	dead := 0
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > linkField && f[linkField] == "-1" {
			dead++
		}
	}
	return dead, nil
}
