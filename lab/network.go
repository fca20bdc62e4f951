package lab

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"time"
)

// validName keeps interface names within the kernel's 15 characters, and host
// names within what every tool accepts.
var validName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,11}$`)

// Network is one bridge of the lab: a cable segment that hosts are plugged into.
type Network struct {
	name   string
	number int
}

// Name is the name that On takes.
func (n *Network) Name() string { return n.name }

// Prefix is the network's IPv4 range; other labs use the same, in their own namespaces.
func (n *Network) Prefix() netip.Prefix { return netip.PrefixFrom(n.addr(0), 24) }

// Prefix6 is the network's IPv6 range.
func (n *Network) Prefix6() netip.Prefix { return netip.PrefixFrom(n.addr6(0), 64) }

func (n *Network) addr(host int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, 99, byte(n.number), byte(host)})
}

func (n *Network) addr6(host int) netip.Addr {
	return netip.AddrFrom16([16]byte{0: 0xfd, 1: 0x99, 7: byte(n.number), 15: byte(host)})
}

// Network returns the network of that name and makes it when it is new.
func (l *Lab) Network(name string) *Network {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.network(name)
	l.Must(err)
	return n
}

// network needs l.mu.
func (l *Lab) network(name string) (*Network, error) {
	for _, n := range l.networks {
		if n.name == name {
			return n, nil
		}
	}
	if !validName.MatchString(name) {
		return nil, fmt.Errorf("%q cannot name a network: use up to 12 lower-case letters, digits and dashes", name)
	}
	// The bridge forwards multicast to all ports, as a cheap switch does: snooping
	// would drop neighbour discovery until a querier is heard.
	err := l.ip("link add "+name+" type bridge mcast_snooping 0", "link set "+name+" up")
	if err != nil {
		return nil, fmt.Errorf("make network %s: %w", name, err)
	}
	n := &Network{name: name, number: len(l.networks) + 1}
	l.networks = append(l.networks, n)
	return n, nil
}

// ip runs lines of iproute2 commands in the switch.
func (l *Lab) ip(lines ...string) error { return ipBatch(l.anchor, lines) }

func ipBatch(where *holder, lines []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	argv := append(where.enter("--net"), "ip", "-batch", "-")
	out, err := run(ctx, strings.NewReader(strings.Join(lines, "\n")+"\n"), argv)
	if err != nil {
		return fmt.Errorf("ip: %w: %s", err, strings.TrimSpace(out))
	}
	return nil
}

// port is where a host is plugged into a network.
type port struct {
	network  *Network
	addr     netip.Addr
	addr6    netip.Addr
	outside  string // the interface's name in the switch
	inside   string // and in the host
	hardware string
	cut      bool // stays cut when the host boots again
}

// newPort derives everything from numbers, so that a node that boots again has
// the same addresses and its neighbours' caches stay right.
func newPort(h *host, n *Network, index int) *port {
	return &port{
		network: n,
		addr:    n.addr(10 + h.number), addr6: n.addr6(10 + h.number),
		outside: fmt.Sprintf("p%d-%d", h.number, index), inside: fmt.Sprintf("eth%d", index),
		hardware: fmt.Sprintf("02:99:00:00:%02x:%02x", n.number, h.number),
	}
}

// state is the word iproute2 uses for a port of the switch.
func (p *port) state() string {
	if p.cut {
		return "down"
	}
	return "up"
}

// outsideSetup are the iproute2 commands that make the cable, in the switch.
func (p *port) outsideSetup(hostPID int) []string {
	return []string{
		fmt.Sprintf("link add %s type veth peer name %s address %s netns %d", p.outside, p.inside, p.hardware, hostPID),
		fmt.Sprintf("link set %s master %s", p.outside, p.network.name),
		fmt.Sprintf("link set %s %s", p.outside, p.state()),
	}
}

// insideSetup are the iproute2 commands for the host's end of it.
func (p *port) insideSetup() []string {
	return []string{
		fmt.Sprintf("addr add %s/24 dev %s", p.addr, p.inside),
		// Addresses are unique by construction: waiting to find that out costs a second.
		fmt.Sprintf("addr add %s/64 dev %s nodad", p.addr6, p.inside),
		fmt.Sprintf("link set %s up", p.inside),
	}
}
