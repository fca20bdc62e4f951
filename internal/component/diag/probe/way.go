package probe

import (
	"context"
	"fmt"
	"net/netip"

	"gateway/internal/packetfilter"
)

// Way is how packets leave this node for an address.
type Way struct {
	Interface string
	MTU       int // of the interface; 0 where nobody knows
	Source    netip.Addr
	Gateway   netip.Addr // nobody's if the target is on the link
	Uplink    string     // its name; empty if the interface is none
	Local     bool       // it does not leave: the address is this node's own
}

// Ways are what is known of the node itself. Either may be nil, and then nobody knows.
type Ways struct {
	To func(ctx context.Context, to netip.Addr) (Way, error)
	// Filter says what the packet filter does with the first packet of a connection from
	// elsewhere.
	Filter func(ctx context.Context, k packetfilter.Packet) (packetfilter.Trace, error)
}

func (w Ways) to(ctx context.Context, to netip.Addr) (Way, error) {
	if w.To == nil {
		return Way{}, fmt.Errorf("look up the route to %s: nobody knows", to)
	}
	return w.To(ctx, to)
}
