package lab

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"
)

// Option changes how a node or a client is made.
type Option func(*settings)

type settings struct {
	networks []string
	image    string // of the disk; empty for Debian as it comes
}

// On plugs the host into these networks instead of "lan": the first is its
// eth0, the second its eth1, and so on.
func On(networks ...string) Option {
	return func(s *settings) { s.networks = networks }
}

// host is what nodes and clients share: a name, a disk and a place on the networks.
type host struct {
	lab    *Lab
	name   string
	number int
	ports  []*port
	image  string
	disk   *disk

	mu  sync.Mutex
	net *holder // nil while a node is off
}

// Name is the name the host was given.
func (h *host) Name() string { return h.name }

// IP is the host's IPv4 address on its first network.
func (h *host) IP() netip.Addr { return h.ports[0].addr }

// IP6 is the host's IPv6 address on its first network.
func (h *host) IP6() netip.Addr { return h.ports[0].addr6 }

// IPOn is the host's IPv4 address on a network, or the zero address when it is
// not on it.
func (h *host) IPOn(network string) netip.Addr {
	for _, p := range h.ports {
		if p.network.name == network {
			return p.addr
		}
	}
	return netip.Addr{}
}

// plug gives the host a new network namespace with its interfaces: what was
// configured in an earlier one is gone, as after a reboot.
func (h *host) plug(ctx context.Context) error {
	prefix := append(h.lab.anchor.enter("--mount", "--pid"), "unshare", "--net")
	net, err := hold(ctx, prefix, `ip link set lo up`)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.net = net
	var outside, inside []string
	for _, p := range h.ports {
		outside = append(outside, p.outsideSetup(net.pid)...)
		inside = append(inside, p.insideSetup()...)
	}
	if err := h.lab.ip(outside...); err != nil {
		return fmt.Errorf("plug in %s: %w", h.name, err)
	}
	if err := ipBatch(net, inside); err != nil {
		return fmt.Errorf("address %s: %w", h.name, err)
	}
	return nil
}

// unplug ends the host's network namespace. The kernel takes the links away
// with it, but later: deleting them first frees their names for the next boot.
func (h *host) unplug() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.net == nil {
		return
	}
	for _, p := range h.ports {
		_ = h.lab.ip("link del " + p.outside)
	}
	h.net.stop()
	h.net = nil
}

// end waits for the host's holders after the lab's anchor is gone.
func (h *host) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.net != nil {
		h.net.stop()
		h.net = nil
	}
	if h.disk != nil {
		h.disk.holder.stop()
	}
}

// netPath is the host's network namespace as a file.
func (h *host) netPath() (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.net == nil {
		return "", fmt.Errorf("%s is off", h.name)
	}
	return h.net.netPath(), nil
}

// CutLink takes the cable out: the host sees its interface lose carrier. With
// no network named, all cables are taken out.
func (h *host) CutLink(networks ...string) error { return h.setLinks(true, networks) }

// RestoreLink puts the cable back.
func (h *host) RestoreLink(networks ...string) error { return h.setLinks(false, networks) }

func (h *host) setLinks(cut bool, networks []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var lines []string
	for _, p := range h.ports {
		if len(networks) == 0 || slices.Contains(networks, p.network.name) {
			p.cut = cut
			lines = append(lines, "link set "+p.outside+" "+p.state())
		}
	}
	if len(lines) == 0 {
		return fmt.Errorf("set links of %s: it is on none of %v", h.name, networks)
	}
	if h.net == nil { // off: the next boot plugs it in as asked
		return nil
	}
	if err := h.lab.ip(lines...); err != nil {
		return fmt.Errorf("set links of %s: %w", h.name, err)
	}
	return nil
}
