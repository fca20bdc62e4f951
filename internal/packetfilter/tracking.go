package packetfilter

// What connection tracking makes of the first packet of something. Most packets begin a
// connection. Messages of ICMP that answer something are invalid when nothing was asked, and
// those of IPv6's own business are not tracked at all, so no NAT rule gets them.

// invalid are the flows that begin nothing.
func invalid(v4 bool) []Span[flow] {
	// Of the messages of the other family's protocol none does.
	begin := typed(ICMP, 8, 13, 15, 17)
	if !v4 {
		begin = sorted(append(typed(ICMPv6, 128, 139), untracked(v4)...))
	}
	return without(append(typed(ICMP, -1), typed(ICMPv6, -1)...), begin)
}

// untracked are the flows that pass by connection tracking.
func untracked(v4 bool) []Span[flow] {
	if v4 {
		return nil
	}
	return typed(ICMPv6, 130, 131, 132, 133, 134, 135, 136, 143)
}

// typed are the flows of message types; -1 is all of them.
func typed(protocol Protocol, types ...int) []Span[flow] {
	list := make([]Span[flow], len(types))
	for i, t := range types {
		list[i] = Service{Protocol: protocol, Type: t}.span()
	}
	return sorted(list)
}
