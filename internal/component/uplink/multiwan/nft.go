package multiwan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"gateway/internal/sys"
)

const (
	nftProgram = "/usr/sbin/nft"
	nftTable   = "inet gateway_uplink"
	// markMask are the bits of a mark that name an uplink: its number, and whether the
	// connection came in by it. The packet filter has bit 28, tunnels have the upper eight of
	// a packet's; the lower sixteen are left to others.
	markMask  = 0x00ff0000
	markShift = 16
	inbound   = 0x00800000
)

// mark is that of connections which leave by an uplink, and of packets that are to.
func (u Uplink) mark() uint32 { return uint32(u.Number) << markShift }

// marking are the commands that make the table: base chains stay where they hang, so that no
// connection misses its mark while the table is loaded anew.
//
// Which uplink a connection is on is seen, not chosen: by the interface that its first packet
// came in by, or by the one that the routes sent it to. What goes to a host beside the gateway
// is on no uplink. From then on its packets are routed by the mark: outbound those of who began
// it, inbound those that answer. The others go where the main table says.
func marking(c Config, gateway func(Uplink) string) []byte {
	var b bytes.Buffer
	rule := func(chain, format string, args ...any) {
		fmt.Fprintf(&b, "add rule "+nftTable+" "+chain+" "+format+"\n", args...)
	}
	b.WriteString("add table " + nftTable + "\n")
	for _, chain := range []string{"prerouting { type filter", "output { type route", "postrouting { type filter"} {
		hook, _, _ := strings.Cut(chain, " ")
		fmt.Fprintf(&b, "add chain %s %s hook %s priority mangle; policy accept; }\n", nftTable, chain, hook)
	}
	b.WriteString("flush table " + nftTable + "\n")
	for _, chain := range []string{"prerouting", "output"} {
		for _, u := range c.Uplinks {
			set := fmt.Sprintf("meta mark set meta mark and %#010x or %#010x", ^uint32(markMask), u.mark())
			rule(chain, "ct direction original ct mark and %#010x == %#010x %s", markMask, u.mark(), set)
			rule(chain, "ct direction reply ct mark and %#010x == %#010x %s", markMask, u.mark()|inbound, set)
		}
	}
	for _, u := range c.Uplinks {
		family, local, hop := "ipv4", "", ""
		if u.IPv6 {
			family, local = "ipv6", "ip6 saddr != fe80::/10 "
		}
		if at := gateway(u); at != "" {
			hop = fmt.Sprintf("rt %s nexthop %s ", map[bool]string{false: "ip", true: "ip6"}[u.IPv6], at)
		}
		rule("prerouting", "iifname %q meta nfproto %s %sct direction original ct mark and %#010x == 0 ct mark set ct mark and %#010x or %#010x",
			u.Interface, family, local, markMask, ^uint32(markMask), u.mark()|inbound)
		rule("postrouting", "oifname %q meta nfproto %s %s%sct direction original ct mark and %#010x == 0 ct mark set ct mark and %#010x or %#010x",
			u.Interface, family, local, hop, markMask, ^uint32(markMask), u.mark())
	}
	return b.Bytes()
}

// unmarking removes the table; adding it first makes that no error where there is none.
const unmarking = "add table " + nftTable + "\ndelete table " + nftTable + "\n"

// loadMarking brings the table into the kernel, unless it is there as it was loaded last.
func (d *uplinks) loadMarking(ctx context.Context, text []byte) error {
	if bytes.Equal(text, d.marked.text) && d.marked.kernel != "" {
		if now, err := d.listMarking(ctx); err == nil && now == d.marked.kernel {
			return nil
		}
	}
	if _, err := d.nft(ctx, text, "-f", "-"); err != nil {
		return fmt.Errorf("load the marks of uplinks: %w", err)
	}
	d.marked.text, d.marked.kernel = text, ""
	if string(text) == unmarking {
		return nil
	}
	now, err := d.listMarking(ctx)
	d.marked.kernel = now
	return err
}

// listMarking is the table as the kernel has it, and empty where it has none.
func (d *uplinks) listMarking(ctx context.Context) (string, error) {
	out, err := d.nft(ctx, nil, append([]string{"list", "table"}, strings.Fields(nftTable)...)...)
	var exit *sys.ExitError
	if errors.As(err, &exit) {
		return "", nil
	}
	return string(out), err
}

func (d *uplinks) nft(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	out, err := d.Exec(ctx, sys.Command{Path: nftProgram, Args: args, Stdin: in})
	return out.Stdout, err
}
