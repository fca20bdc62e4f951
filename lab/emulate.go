package lab

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Card is a network card of a node for an emulator: what it sends to File is on the node's network.
type Card struct {
	File     *os.File
	Hardware string   // its address
	Setup    []string // what iproute2 has to be told on the node, where it is an interface in the order of the cards
}

// Cards plugs a node that is off into its networks once more, for an emulator to run it. A card
// is pulled out when its file is closed.
func (n *Node) Cards() ([]Card, error) {
	if n.running() != nil {
		return nil, fmt.Errorf("emulate %s: it is running", n.name)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	var cards []Card
	for _, p := range n.ports {
		f, err := n.lab.tap(p)
		if err != nil {
			for _, c := range cards {
				_ = c.File.Close()
			}
			return nil, fmt.Errorf("emulate %s: %w", n.name, err)
		}
		cards = append(cards, Card{File: f, Hardware: p.hardware, Setup: p.insideSetup()})
	}
	return cards, nil
}

// tap plugs a port into its network by a file in place of a cable.
func (l *Lab) tap(p *port) (*os.File, error) {
	switched, err := os.Open(l.anchor.netPath())
	if err != nil {
		return nil, fmt.Errorf("enter the switch: %w", err)
	}
	defer switched.Close()
	var f *os.File
	done := make(chan error, 1)
	go func() {
		done <- onThread(switched, func() error {
			f, err = openTap(p.outside)
			return err
		})
	}()
	if err := <-done; err != nil {
		return nil, err
	}
	if err := l.ip("link set "+p.outside+" master "+p.network.name, "link set "+p.outside+" "+p.state()); err != nil {
		return nil, fmt.Errorf("plug in a tap: %w", errors.Join(err, f.Close()))
	}
	return f, nil
}

// openTap makes an interface whose packets are read from a file and written to it.
func openTap(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open a tap: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	request, err := unix.NewIfreq(name)
	if err == nil {
		request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("make the tap %s: %w", name, err)
	}
	return f, nil
}

// writeDisk makes a file system of $1, with what is in $2 over it, in the file $3.
const writeDisk = `set -e
cp -a "$2/." "$1"
truncate -s 8G "$3"
mkfs.ext4 -q -d "$1" "$3"`

// WriteDisk writes the disk of a node that is off to a file, as an emulator reads it; what is
// below the folder more is from then on on the disk, too. The file has holes: it is as large as what is on it.
func (n *Node) WriteDisk(ctx context.Context, more, file string) error {
	if n.running() != nil {
		return fmt.Errorf("write the disk of %s: it is running", n.name)
	}
	argv := append(n.disk.holder.enter("--mount"), "sh", "-c", writeDisk, "sh", n.disk.top, more, file)
	if out, err := run(ctx, nil, argv); err != nil {
		return fmt.Errorf("write the disk of %s: %w: %s", n.name, err, out)
	}
	return nil
}
